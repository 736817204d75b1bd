import { fold } from '../../base/fold.ts';
import { digest } from '../../base/ids.ts';
import {
  BENEFICIAL_OWNERS,
  exceeds,
  IN_RECORDS,
  listSetModes,
  type PartyModes,
  parseSetModes,
  type SetModes,
} from '../../base/party-modes.ts';
import type { Json, Marks, Register, Source, TableSource } from '../../registers/contract.ts';
import type { StoredRecord } from './records.ts';
import {
  createCellHider,
  createTreeHider,
  type HideCells,
  type HideTree,
  hasCareOf,
  isRecord,
  type JsonRecord,
  type Scope,
} from './withheld.ts';

export type Withholding = ReturnType<typeof createWithholding>;

export interface SourceText {
  readonly text: string;
  readonly value?: unknown;
}

/** The values that decide what is left out of the source of a party. */
export interface PartyText {
  readonly set: string;
  /** The number of the company. */
  readonly company: string;
  readonly kind: string;
}

export interface SuppressedParty {
  readonly entityId: string;
  readonly company: string;
  /** `hashParty` of the name of the party; the name is not stored. */
  readonly party: string;
}

/** The hash includes the id of the company, so equal names at two companies have different hashes. */
export function hashParty(entityId: string, name: string): string {
  return digest(`${entityId}/${fold(name)}`);
}

/** More words than a name has: comparing all parts of a longer text would take quadratic time. */
const MAX_WORDS = 24;

/** Whether the text is the name of a suppressed party, in any case, or has the name as a part: `ANA RUSU, "ALFA" S.R.L.` */
function namesOne(text: string, suppressed: readonly SuppressedParty[] | undefined): boolean {
  if (suppressed === undefined) return false;
  const words = fold(text).split(' ').slice(0, MAX_WORDS);
  const isOne = (name: string) => suppressed.some(({ entityId, party }) => party === hashParty(entityId, name));
  if (isOne(text)) return true;
  for (let first = 0; first < words.length; first++) {
    for (let last = first + 1; last < words.length; last++) {
      const part = words.slice(first, last + 1).join(' ');
      if (isOne(part.replace(EDGES, ''))) return true;
    }
  }
  return false;
}

const EDGES = /^[\p{P}\s]+|[\p{P}\s]+$/gu;

/** Whether the store lacks owners of the register's companies in modes below `names`, because owners may be persons. */
export function namesPersons({ cells, sources, recordParties }: Register): boolean {
  return sources.some(({ name, parties }) => {
    const marks = [...(cells.get(name)?.values() ?? [])];
    if (parties !== undefined) return marks.includes('party') || marks.includes('person');
    return recordParties !== undefined && marks.some((mark) => PERSONAL.has(mark));
  });
}

const PERSONAL: ReadonlySet<string> = new Set(['party', 'owner', 'mixed', 'person']);

/** Whether rows of the source may name natural persons. */
export function mayNamePersons({ cells }: Pick<Register, 'cells'>, { name }: Pick<Source<unknown>, 'name'>): boolean {
  return [...(cells.get(name)?.values() ?? [])].some((mark) => PERSONAL.has(mark));
}

/** Whether the modes let in what was left out when the file was imported: persons, or columns that the register did not know. */
export function isRaised(text: string, allowed: SetModes): boolean {
  const held = parseSetModes(text);
  const wanted = Object.keys(held).map((set) => [set, allowed[set] ?? allowed[IN_RECORDS] ?? 'off'] as const);
  return exceeds(Object.fromEntries(wanted), held);
}

/** The fields of an organisation in a record that may also name persons. */
const FREE_TEXTS = ['representative', 'details', 'jointWith'];

export function omitFreeTexts(party: JsonRecord): JsonRecord {
  return FREE_TEXTS.some((key) => key in party) ? omit(party, FREE_TEXTS) : party;
}

type Withheld = Pick<Register, 'sources' | 'cells'>;

/**
 * What the modes of a register, and requests of persons, leave out of records of companies and of the rows of parties. The only place that
 * decides this: imports, reads of a store that has more, the removal from the store and proofs all use it. Which cells name persons is marked
 * in the table of the register (`registers/data-files.ts`). In the mode `names`, only persons who requested it are left out.
 */
export function createWithholding(register: Withheld, modes: SetModes, suppressed: readonly SuppressedParty[] = []) {
  const mode = modes[IN_RECORDS] ?? 'off';
  const ownersMode = modes[BENEFICIAL_OWNERS] ?? mode;
  const byEntity = Map.groupBy(suppressed, ({ entityId }) => entityId);
  const byCompany = Map.groupBy(suppressed, ({ company }) => company);
  const hideFields = createFieldHider(register);

  function findScope(hidden: readonly SuppressedParty[] | undefined): Scope | undefined {
    if (mode !== 'names' || hidden !== undefined) return 'persons';
    return ownersMode === 'names' ? undefined : 'owners';
  }

  /** The party of a record. Undefined if the party is left out. */
  function limitParty(party: JsonRecord, hidden: readonly SuppressedParty[] | undefined): JsonRecord | undefined {
    const { kind, role, name } = party;
    const isOwner = role === 'beneficial_owner';
    const allowed = isOwner ? ownersMode : mode;
    if (mode === 'off' || namesOne(String(name), hidden)) return undefined;
    if (kind !== 'organisation' && allowed !== 'names') return undefined;
    if (allowed === 'names' && hidden === undefined) return party;
    return omitFreeTexts(party);
  }

  /** By the scope of records or the set of parties, then by the columns: a key made of several values would have to be hashed for every record. */
  const hiders = new Map<string, Map<string | null, Hide>>();
  const findHide = (group: string, columns: string | null, scope: Scope, set?: string) =>
    hiders
      .getOrInsertComputed(group, () => new Map<string | null, Hide>())
      .getOrInsertComputed(columns, () => {
        const sources = register.sources.filter(({ parties }) => parties?.set === set);
        return createSourceHider(register, sources, columns, scope);
      });
  const write = (hide: Hide, source: SourceText, isOrganisation?: boolean) => {
    if (hide === undefined) return source.text;
    const value: unknown = source.value ?? JSON.parse(source.text);
    const left = hide(value as never, isOrganisation);
    // Most rows have no hidden values, so their text need not be written again.
    return left === value ? source.text : JSON.stringify(left);
  };

  return {
    registry<T extends object>(entityId: string, registry: T): T {
      const hidden = byEntity.get(entityId);
      const scope = findScope(hidden);
      if (scope === undefined) return registry;
      const limited = scope === 'persons' ? hideFields(registry as JsonRecord) : (registry as JsonRecord);
      const { parties, ...others } = limited;
      if (!Array.isArray(parties)) return limited as typeof registry;
      const shown = parties.flatMap((party) => (isRecord(party) ? (limitParty(party, hidden) ?? []) : []));
      return (shown.length > 0 ? { ...limited, parties: shown } : others) as typeof registry;
    },
    /** The source as it is stored, without what is left out. `columns` are the columns of the layout; null for a tree. */
    source(entityId: string, columns: string | null, source: SourceText): string {
      const scope = findScope(byEntity.get(entityId));
      return scope === undefined ? source.text : write(findHide(scope, columns, scope), source);
    },
    /** The source of the row of a party. Parties that must not be named have no row. */
    party({ set, company, kind }: PartyText, columns: string | null, source: SourceText): string {
      const hidden = byCompany.get(company);
      const isShown = (modes[set] ?? mode) === 'names';
      if (isShown && hidden === undefined) return source.text;
      if (!register.sources.some(({ parties }) => parties?.set === set)) return write(omitFreeTexts, source);
      // The row of a person who may be named keeps the cells of that person, but not cells that may name others.
      return write(findHide(`set ${set}`, columns, 'persons', set), source, kind === 'organisation' || isShown);
    },
    /** Whether this name of a party of the company was removed at somebody's request. */
    isSuppressed: (company: string, name: string) => namesOne(name, byCompany.get(company)),
  };
}

function omit(value: JsonRecord, keys: readonly string[]): JsonRecord {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

export type MarkedRegister = Pick<Register, 'id' | 'cells'>;

/** Removes the fields of `registry` that may name persons, besides `parties`: fields in the table of the register, and fields of addresses. */
export function createFieldHider({ cells }: Pick<MarkedRegister, 'cells'>): (registry: JsonRecord) => JsonRecord {
  const paths = [...(cells.get('registry')?.keys() ?? [])].map((path) => path.split('.'));
  return (registry) => {
    let limited = registry;
    for (const path of paths) limited = removeField(limited, path) as JsonRecord;
    for (const key of ['address', 'addresses', 'establishments']) {
      const value = limited[key];
      if (value !== undefined) limited = replaceField(limited, key, hideCareOf(value));
    }
    return limited;
  };
}

/** If a list is on the path, the field is removed from each item. */
function removeField(value: Json, [key = '', ...rest]: readonly string[]): Json {
  if (Array.isArray(value)) return value.map((item) => removeField(item, [key, ...rest]));
  if (!isRecord(value) || !(key in value)) return value;
  if (rest.length === 0) return omit(value, [key]);
  return { ...value, [key]: removeField(value[key] as Json, rest) };
}

/** The parts of an address in the order in which an address is written again, without the recipient of the mail. */
const ADDRESS_PARTS = [
  ...['lines', 'poBox', 'building', 'street', 'number', 'unit', 'district', 'postCode', 'city', 'municipality'],
  ...['region', 'country'],
];

/** Takes an address, or a list of addresses or of objects with an address. The text is written again from what remains; undefined if nothing does. */
function hideCareOf(value: Json): Json | undefined {
  if (Array.isArray(value)) {
    const items = value.map(hideCareOf);
    return items.some((item, index) => item !== value[index]) ? items.filter((item) => item !== undefined) : value;
  }
  if (!isRecord(value)) return value;
  if (value.address !== undefined) return replaceField(value, 'address', hideCareOf(value.address));
  const isHidden = (part: Json) => typeof part === 'string' && hasCareOf(part);
  const { text, lines, careOf, ...parts } = value;
  const lineList = Array.isArray(lines) ? lines : [];
  if (
    typeof text !== 'string' ||
    !(careOf !== undefined || [text, ...lineList, ...Object.values(parts)].some(isHidden))
  )
    return value;
  const left: Record<string, Json> = Object.fromEntries(Object.entries(parts).filter(([, part]) => !isHidden(part)));
  const shownLines = lineList.filter((line) => !isHidden(line));
  if (shownLines.length > 0) left.lines = shownLines;
  const written = ADDRESS_PARTS.flatMap((part) => (left[part] as string | string[] | undefined) ?? []).join(', ');
  return written === '' ? undefined : { text: written, ...left };
}

function replaceField(value: JsonRecord, key: string, field: Json | undefined): JsonRecord {
  if (field === value[key]) return value;
  return field === undefined ? omit(value, [key]) : { ...value, [key]: field };
}

/** Works on parsed JSON. Undefined if nothing is left out. */
type Hide = ((value: never, isOrganisation?: boolean) => unknown) | undefined;

/** Hides cells of stored source data: of a tree, of one table, or of several tables (`source-data.ts`). */
function createSourceHider(
  { cells }: Withheld,
  sources: readonly Source<unknown>[],
  columns: string | null,
  scope: Scope,
): Hide {
  const marksOf = (of: readonly Source<unknown>[]): Marks =>
    new Map(of.flatMap(({ name }) => [...(cells.get(name) ?? [])]));
  if (columns === null) {
    const hide: HideTree = createTreeHider(marksOf(sources.filter(({ kind }) => kind === 'tree')), scope);
    return hide;
  }
  const tables = sources.filter((source) => source.kind === 'table');
  const main = tables.filter(({ map, parties }) => map !== undefined || parties !== undefined);
  const hiderOf = (texts: readonly string[], name: string): HideCells | undefined => {
    const named = tables.filter((table) => table.name === name);
    // The main table may have no name in the layout, and its other rows have the name `otherRows`.
    const of: readonly TableSource<unknown>[] = named.length > 0 ? named : main;
    const { match = 'trimmed', isOrganisation } = of[0] ?? {};
    const table = { columns: of.flatMap((source) => source.columns), match, marks: marksOf(of) };
    return createCellHider(texts, isOrganisation === undefined ? table : { ...table, isOrganisation }, scope);
  };
  const names: readonly string[] | Readonly<Record<string, readonly string[]>> = JSON.parse(columns);
  if (Array.isArray(names)) return hiderOf(names, '');
  const hiders = Object.entries(names).map(([name, texts]) => hiderOf(texts, name));
  if (hiders.every((hide) => hide === undefined)) return undefined;
  return ([first, ...lists]: [string[], ...string[][][]]) => {
    const [hideFirst = same, ...hideLists] = hiders;
    return [hideFirst(first), ...lists.map((rows, index) => rows.map((row) => (hideLists[index] ?? same)(row)))];
  };
}

function same(cells: readonly string[]): readonly string[] {
  return cells;
}

/** What may be shown of the persons in records of a register, and in rows of its parties. Undefined if all persons may be shown. */
export function findLimit(register: Register, modes: PartyModes): SetModes | undefined {
  const limit = listSetModes(modes, register);
  return Object.values(limit).every((mode) => mode === 'names') ? undefined : limit;
}

/** What to leave out of data of a register that was stored in these modes (`files.modes`). Undefined if all of it may be shown. */
export type FindWithholding = (id: string, modes: string | undefined) => Promise<Withholding | undefined> | undefined;

/** `limits` has the limit of each register, by its id. Data above its limit is in the store until the removal has reached it. */
export function createLimits(limits: ReadonlyMap<string, SetModes | undefined>): FindWithholding {
  // Files of an import have the same modes, so a few texts are compared.
  const known = new Map<string, Promise<Withholding | undefined>>();
  return (id, modes) => {
    const limit = limits.get(id);
    return limit && known.getOrInsertComputed(`${id} ${modes}`, () => findWithholding(id, parseSetModes(modes), limit));
  };
}

export function limitRegisters(registers: readonly Register[], modes: PartyModes): FindWithholding {
  return createLimits(new Map(registers.map((register) => [register.id, findLimit(register, modes)])));
}

/** Registers are loaded only on demand: a thread starts faster without registers. */
async function findWithholding(id: string, held: SetModes, limit: SetModes): Promise<Withholding | undefined> {
  if (!exceeds(held, limit)) return undefined;
  const { registers } = await import('../../registers/index.ts');
  const register = registers.find((candidate) => candidate.id === id);
  return register && createWithholding(register, limit);
}

/** The record without what is left out. Columns that were too long to be read stay empty. */
export async function limitRecord(record: StoredRecord, find: FindWithholding): Promise<StoredRecord> {
  const { entity, layout, file } = record;
  const finding = find(entity.register, file?.modes);
  // Nearly all records have no limit: an await would delay each of them.
  const withholding = finding && (await finding);
  if (withholding === undefined) return record;
  const { id, registry, sourceData } = entity;
  const limited = {
    ...entity,
    registry: registry === '' ? '' : JSON.stringify(withholding.registry(id, JSON.parse(registry))),
    sourceData: sourceData === '' ? '' : withholding.source(id, layout?.columns ?? null, { text: sourceData }),
  };
  return { ...record, entity: limited };
}
