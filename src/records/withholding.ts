import { hash } from 'node:crypto';
import { fold } from '../core/fold.ts';
import { BENEFICIAL_OWNERS, exceeds, IN_RECORDS, lowerModes, type SetModes } from '../core/party-modes.ts';
import type { Json, Register, TableSource } from '../registers/contract.ts';
import { createCellHider, createTreeHider, type HideCells, isRecord, type JsonRecord } from './withheld.ts';

/**
 * What the modes of a register leave out of the records of companies. The only place that decides it: imports, reads of a store that has
 * more, the removal from the store and proofs all use it.
 */
export interface Withholding {
  /** `registry` without what is left out. */
  registry<T extends object>(entityId: string, registry: T): T;
  /** The source as it is stored, without what is left out. `columns` is of its layout; null for a tree. */
  source(entityId: string, columns: string | null, source: SourceText): string;
}

/** A source as JSON. */
export interface SourceText {
  readonly text: string;
  /** The same, parsed: then the text is written only once. */
  readonly value?: unknown;
}

/** A party that was removed at somebody's request. */
export interface SuppressedParty {
  readonly entityId: string;
  /** The number of the company. */
  readonly company: string;
  /** `hashParty` of its name, which is not stored. */
  readonly party: string;
}

/** 144 bits. The id of the company is part of it, so equal names of two companies have nothing in common. */
export function hashParty(entityId: string, name: string): string {
  return hash('sha256', `${entityId}/${fold(name)}`, 'base64url').slice(0, 24);
}

/** Whether records of companies of this register name parties. Their sources say what is withheld, even if it is nothing. */
export function namesParties({ sources }: Pick<Register, 'sources'>): boolean {
  return sources.some(({ withheld }) => withheld !== undefined);
}

/** Whether rows of the source may name natural persons. */
export function mayNamePersons({ withheld, parties }: Register['sources'][number]): boolean {
  const cells = parties?.withheld ?? withheld;
  return typeof cells === 'function' || Object.keys(cells ?? {}).length > 0;
}

/** Whether the modes let in what was left out when the file was imported. */
export function isRaised(register: Register, text: string | null, allowed: SetModes): boolean {
  const held = readHeldModes(register, text);
  const wanted = Object.fromEntries(
    Object.keys(held).map((set) => [set, allowed[set] ?? allowed[IN_RECORDS] ?? 'off'] as const),
  );
  const namesNobody = !register.sources.some(mayNamePersons);
  return exceeds(namesNobody ? lowerModes(wanted, { [IN_RECORDS]: 'organisations' }) : wanted, held);
}

/** The modes in which a file of the register was imported. Null for files from before they were recorded. */
export function readHeldModes(register: Register, text: string | null): SetModes {
  const { [IN_RECORDS]: inRecords, ...sets } = text === null ? guessModes(register) : (JSON.parse(text) as SetModes);
  return namesParties(register) && inRecords !== undefined ? { [IN_RECORDS]: inRecords, ...sets } : sets;
}

/** Earlier releases stored all persons of records, and of files of parties only organisations. */
function guessModes({ sources, ownersApart }: Register): SetModes {
  const sets = sources.flatMap(({ parties }) => (parties === undefined ? [] : [parties.set]));
  return {
    [IN_RECORDS]: 'names',
    ...Object.fromEntries(sets.map((set) => [set, 'organisations'])),
    ...(ownersApart && { [BENEFICIAL_OWNERS]: 'names' }),
  };
}

/** What is left of persons if another one of the same company is suppressed: other fields, such as `jointWith`, may name that one. */
const KEPT = new Set([
  ...['role', 'roleLabel', 'roleCode', 'kind', 'name', 'share', 'jointShare', 'contribution', 'from', 'until'],
  ...['country', 'countryCode', 'countryNumber', 'foreign', 'group', 'members', 'ageGroup', 'ageGroupLabel'],
]);

/** Works on parsed JSON. Undefined if nothing is left out. */
type Hide = ((value: never) => unknown) | undefined;

export function createWithholding(
  register: Pick<Register, 'sources' | 'personFields'>,
  modes: SetModes,
  suppressed: readonly SuppressedParty[] = [],
): Withholding {
  const mode = modes[IN_RECORDS] ?? 'off';
  const hidesPersons = mode !== 'names';
  const hidesOwners = (modes[BENEFICIAL_OWNERS] ?? mode) !== 'names';
  const byEntity = Map.groupBy(suppressed, ({ entityId }) => entityId);
  const personFields = (register.personFields ?? []).map((path) => path.split('.'));

  /** `isSuppressed` is undefined if nobody of the company is. */
  function limitParty(party: JsonRecord, isSuppressed: ((name: unknown) => boolean) | undefined): JsonRecord[] {
    const { kind, role, name } = party;
    const { representative, ...others } = party;
    if (mode === 'off' || isSuppressed?.(name)) return [];
    const isOrganisation = kind === 'organisation';
    if (!isOrganisation && (hidesPersons || (hidesOwners && role === 'beneficial_owner'))) return [];
    const hidesRepresentative = hidesPersons || (isRecord(representative) && isSuppressed?.(representative.name));
    const shown = hidesRepresentative ? others : party;
    if (isOrganisation || isSuppressed === undefined) return [shown];
    return [Object.fromEntries(Object.entries(shown).filter(([key]) => key === 'representative' || KEPT.has(key)))];
  }

  /** By the columns themselves: a key that is made of them would have to be hashed for every record. */
  const hiders = new Map<string | null, Hide>();

  return {
    registry(entityId, registry) {
      const hidden = byEntity.get(entityId);
      if (!hidesPersons && !hidesOwners && hidden === undefined) return registry;
      let limited: Record<string, unknown> = registry as Record<string, unknown>;
      if (hidesPersons) for (const path of personFields) limited = removeField(limited, path) as typeof limited;
      const { parties } = limited;
      if (!Array.isArray(parties)) return limited as typeof registry;
      const isSuppressed =
        hidden && ((name: unknown) => hidden.some(({ party }) => party === hashParty(entityId, String(name))));
      const shown = parties.flatMap((party) => (isRecord(party) ? limitParty(party, isSuppressed) : []));
      if (shown.length > 0) return { ...limited, parties: shown } as unknown as typeof registry;
      const { parties: _none, ...others } = limited;
      return others as typeof registry;
    },
    source(entityId, columns, source) {
      if (!hidesPersons && !hidesOwners && !byEntity.has(entityId)) return source.text;
      const hide = hiders.getOrInsertComputed(columns, () => createSourceHider(register, columns));
      return hide === undefined
        ? source.text
        : JSON.stringify(hide((source.value ?? JSON.parse(source.text)) as never));
    },
  };
}

/** A list on the way is followed into each of its items. */
function removeField(value: unknown, [key = '', ...rest]: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => removeField(item, [key, ...rest]));
  if (!isRecord(value) || !(key in value)) return value;
  const { [key]: inner, ...others } = value;
  return rest.length === 0 ? others : { ...value, [key]: removeField(inner, rest) };
}

/** Hides cells of stored source data: of a tree, of one table, or of several (`source-data.ts`). */
function createSourceHider({ sources }: Pick<Register, 'sources'>, columns: string | null): Hide {
  if (columns === null) {
    const trees = sources.filter((source) => source.kind === 'tree');
    const hiders = trees.flatMap(({ withheld }) => (withheld ? [createTreeHider(withheld)] : []));
    return hiders.length === 0 ? undefined : (value: Json) => hiders.reduce((left, hide) => hide(left), value);
  }
  const tables = sources.filter((source) => source.kind === 'table');
  const hiderOf = (texts: readonly string[], of: readonly TableSource<unknown>[]): HideCells | undefined => {
    const hiders = of.flatMap((source) => (source.withheld ? [createCellHider(texts, source, source.withheld)] : []));
    return hiders.length === 0 ? undefined : (cells) => hiders.reduce((left, hide) => hide(left), cells);
  };
  const main = tables.filter(({ map }) => map !== undefined);
  const names: readonly string[] | Readonly<Record<string, readonly string[]>> = JSON.parse(columns);
  if (Array.isArray(names)) return hiderOf(names, main);
  const hiders = Object.entries(names).map(([name, texts]) => {
    const joined = tables.filter((table) => table.name === name);
    // The main table may have no name here, and its other rows have one of ours.
    return hiderOf(texts, joined.length > 0 ? joined : main);
  });
  if (hiders.every((hide) => hide === undefined)) return undefined;
  return ([first, ...lists]: [string[], ...string[][][]]) => {
    const [hideFirst = same, ...hideLists] = hiders;
    return [hideFirst(first), ...lists.map((rows, index) => rows.map((row) => (hideLists[index] ?? same)(row)))];
  };
}

function same(cells: readonly string[]): readonly string[] {
  return cells;
}
