import { basename } from 'node:path';
import type { Transaction } from '../base/db/db.ts';
import { formatCount } from '../base/format-count.ts';
import { nameUuid } from '../base/ids.ts';
import { BENEFICIAL_OWNERS, IN_RECORDS, type PartyMode } from '../base/party-modes.ts';
import { indexRegisters, type Register } from '../registers/contract.ts';
import type { PartyOf } from '../registers/vocabulary.ts';
import { insertPartyChanges, type Place } from '../registry/journal/store.ts';
import { findCompanies, findOwnNumber, indexNumbers } from '../registry/parties/companies/store.ts';
import { companyOf, type NewParty } from '../registry/parties/new-party.ts';
import {
  deleteMissing,
  deleteParties,
  findPartyStates,
  insertParties,
  listPartySets,
  recordPartySet,
} from '../registry/parties/store.ts';
import { contentColumns, type NewEntity } from '../registry/records/store.ts';
import { limitPartyLoss, requireMost } from './history.ts';
import { boundParty, prepareParty } from './mapping/prepare.ts';
import { ImportRefused } from './mapping/problems.ts';
import type { Part } from './reading/part.ts';
import { importRows, type Run, type Sink } from './road.ts';
import {
  createIds,
  deletePartiesOfDelisted,
  deleteRecordParties,
  dropIds,
  findPlaces,
  IN_RECORD,
  insertIds,
  type RecordPartySet,
  recordPartySets,
} from './store.ts';

/**
 * Imports files of parties, set by set, in the transaction of the import. As for companies, only rows that differ from the store are written,
 * and a full import removes what its files lack. Companies whose parties changed are listed in the journal from `position` on, unless the
 * set is new, or this import lists no changes of companies. Undefined without files of parties.
 */
export async function importParties(run: Run, position: number | undefined) {
  const { tx, register, partyJobs, firstFile, mode = 'full' } = run;
  if (partyJobs.length === 0) return undefined;
  if (register.country === null) await indexNumbers(tx, register.id);
  const before = new Map((await listPartySets(tx, register.id)).map(({ set, parties }) => [set, parties]));
  const counts = { rows: 0, added: 0, changed: 0, unchanged: 0, removed: 0, duplicates: 0 };
  const sizes = new Map<string, number>();
  await createIds(tx, 'touched');
  for (const [set, ofSet] of Map.groupBy(partyJobs, ({ main: [part] }) => part?.source.parties?.set ?? '')) {
    const held = before.get(set) ?? 0;
    const key = { register: register.id, set };
    const parts = ofSet.flatMap(({ main }) => main);
    const totals = mode === 'full' ? parts[0]?.source.parties?.totals : undefined;
    if (totals !== undefined) requireAllParts(parts, totals.part);
    const touch = async (companies: readonly string[]) => {
      if (position !== undefined && held > 0) await touchCompanies(tx, register, companies);
    };
    const sink: Sink = {
      isFirst: held === 0,
      findStates: findPartyStates,
      async write(rows, changed) {
        await deleteParties(tx, [...changed]);
        await insertParties(tx, key, rows);
        await touch(rows.map(({ row }) => companyOf(row)));
      },
    };
    const merged = await tx.fill('parties', () => importRows(run, ofSet, sink));
    const incomplete = totals?.check(merged.tally, merged.rows) ?? null;
    if (incomplete !== null) throw new ImportRefused(`${incomplete}. Nothing was changed.`);
    if (run.mode === undefined) {
      const things = `${formatCount(held)} ${set}`;
      const found = merged.counts.changed + merged.counts.unchanged;
      requireMost(found, held, limitPartyLoss(held), { things, loss: 'remove' });
    }
    const missing = mode === 'full' && held > 0 ? await deleteMissing(tx, key, firstFile) : [];
    await touch(missing);
    await merged.end();
    sizes.set(set, held + merged.counts.added - missing.length);
    for (const name of ['added', 'changed', 'unchanged', 'duplicates'] as const) counts[name] += merged.counts[name];
    counts.rows += merged.rows;
    counts.removed += missing.length;
  }
  const changes = position === undefined ? 0 : await insertPartyChanges(tx, { batch: firstFile, position });
  await dropIds(tx, 'touched');
  return {
    counts,
    changes,
    async record(generation: number) {
      for (const [set, parties] of sizes) {
        await recordPartySet(tx, { register: register.id, set }, { generation, mode, parties });
      }
    },
  };
}

const MAX_SHOWN = 5;
const ADVICE = 'Name all parts of one day in one command, or use --partial to import only these.';

/** Throws if the files are parts of a whole and a part is missing. `pattern` is `part` of `PartyTotals`. */
function requireAllParts(given: readonly Part[], pattern: RegExp): void {
  const names = new Set(given.map(({ file }) => basename(file)).filter((name) => pattern.test(name)));
  const [first] = names;
  if (first === undefined) return;
  const { part = '', of } = pattern.exec(first)?.groups ?? {};
  const nameOf = (number: number) => first.replace(pattern, (text) => text.replace(part, String(number)));
  const expected = Array.from({ length: Number(of) }, (_, index) => nameOf(index + 1));
  const [strange] = names.difference(new Set(expected));
  if (strange !== undefined)
    throw new ImportRefused(`${first} and ${strange} are not parts of the same file. ${ADVICE}`);
  const missing = expected.filter((name) => !names.has(name));
  if (missing.length === 0) return;
  const shown = missing.slice(0, MAX_SHOWN).join(', ');
  const more = missing.length > MAX_SHOWN ? ` and ${missing.length - MAX_SHOWN} more` : '';
  throw new ImportRefused(`${missing.length} of ${of} parts are missing: ${shown}${more}. ${ADVICE}`);
}

/** Bounds the memory that companies take while they are looked up. */
const LOOKUP_SIZE = 1_000;

/** Adds the companies to the table `touched`. Companies that are not in the store change nothing there. */
async function touchCompanies(tx: Transaction, register: Register, numbers: readonly string[]): Promise<void> {
  const distinct = [...new Set(numbers)];
  const { id, country } = register;
  for (let first = 0; first < distinct.length; first += LOOKUP_SIZE) {
    const part = distinct.slice(first, first + LOOKUP_SIZE);
    const ids =
      country === null
        ? Array.from((await findCompanies(tx, register, part)).values(), (company) => company.id)
        : part.map((number) => nameUuid(`${country}/${id}/${number}`));
    await insertIds(tx, 'touched', ids);
  }
}

const REGISTRY = contentColumns.indexOf('registry');
const NUMBER = contentColumns.indexOf('registration_number');

export type RecordParties = NonNullable<Awaited<ReturnType<typeof openRecordParties>>>;

type WrittenRecord = Pick<NewEntity, 'id' | 'fileId' | 'place' | 'content'>;

/**
 * Writes the parties in `registry.parties` of records as parties with rows of their own, in the transaction of the import. The rows of a
 * company are replaced when its record is written. Rows of unchanged records are written if the store has no such rows of this register, or
 * if the import is repeated (`again`). Undefined if records of this register have no parties, or the parties are off.
 */
export async function openRecordParties({ tx, register, modes, again, ...run }: Run) {
  const map = register.recordParties;
  const registers = indexRegisters(run.registers);
  const modeOf = (set: RecordPartySet): PartyMode => modes[set] ?? modes[IN_RECORDS] ?? 'off';
  if (map === undefined || modeOf(IN_RECORD) === 'off') return undefined;
  const held = new Map((await listPartySets(tx, register.id)).map(({ set, parties }) => [set, parties]));
  const isNew = !held.has(IN_RECORD);
  const sizes = new Map<RecordPartySet, number>(recordPartySets.map((set) => [set, held.get(set) ?? 0]));
  const count = (set: RecordPartySet, change: number) => sizes.set(set, (sizes.get(set) ?? 0) + change);
  if (again) await createIds(tx, 'touched');

  /** Replaces the parties of these companies. Returns the ids of companies whose parties differ from before. */
  async function replace(records: readonly WrittenRecord[], isStored: boolean): Promise<string[]> {
    const prepared = records.flatMap((record) => {
      const company = findOwnNumber(register, { number: record.content[NUMBER] as string | null });
      return company === null ? [] : [{ company, record, rows: prepare(company, record) }];
    });
    const numbers = prepared.map(({ company }) => company);
    const deleted = isStored ? await deleteRecordParties(tx, register.id, numbers) : [];
    for (const set of recordPartySets) {
      const rows = prepared.flatMap(({ record: { fileId }, rows }) =>
        rows.filter((each) => each.set === set).map(({ party }) => ({ row: party, fileId })),
      );
      if (rows.length > 0) await insertParties(tx, { register: register.id, set }, rows);
      count(set, rows.length - deleted.filter((each) => each.set === set).length);
    }
    const before = Map.groupBy(deleted, ({ company }) => company);
    const differing = prepared.filter(({ company, rows }) => {
      const former = new Set(before.get(company)?.map(({ id, contentHash }) => id + contentHash));
      return rows.length !== former.size || !rows.every(({ party }) => former.has(party.id + party.contentHash));
    });
    return differing.map(({ record }) => record.id);
  }

  function prepare(company: string, { id, place, content }: WrittenRecord): Prepared[] {
    const registry = content[REGISTRY] as string;
    if (!registry.includes('"parties":[')) return [];
    const { parties = [] } = JSON.parse(registry) as { readonly parties?: readonly PartyOf[] };
    const found = new Map<string, Prepared>();
    for (const party of parties) {
      const mapped = map?.(party) ?? null;
      if (mapped === null) continue;
      const set = mapped.role === 'beneficial_owner' ? BENEFICIAL_OWNERS : IN_RECORD;
      const mode = modeOf(set);
      if (mode === 'off') continue;
      // Numbers of persons are masked, so several persons may have the same number.
      const known = mapped.kind === 'organisation' && mapped.number;
      const key = `${mapped.role}/${mapped.roleText}/${known || mapped.name}`;
      const source = { layout: null, text: JSON.stringify(party) };
      for (let copy = 1; ; copy++) {
        const bounded = boundParty({ ...mapped, company, key: `${key}/${copy}`, current: true }, mode, isNobody);
        if ('rejected' in bounded) break;
        // As in the record: below the mode `names`, no other party is stored, not even a text about persons without names.
        const isPerson = bounded.kind !== 'organisation';
        const prepared = prepareParty(`${register.id}/${set}/${id}`, bounded, source, place, registers, isPerson);
        const same = found.get(prepared.id);
        if (same === undefined) found.set(prepared.id, { set, party: prepared, text: source.text });
        // Entries with the same text are one party. An entry with another text is another party of the same name.
        if (same === undefined || same.text === source.text) break;
      }
    }
    return [...found.values()];
  }

  /** Replaces the parties of unchanged records. The first parties of a register do not count as changes. */
  async function visitUnchanged(entities: readonly NewEntity[]): Promise<void> {
    const ids = entities.map(({ id }) => id);
    const places = await findPlaces(tx, ids);
    const stored = entities.map((entity) => ({ ...entity, ...places.get(entity.id) }));
    const differing = await replace(stored, true);
    if (!isNew) await insertIds(tx, 'touched', differing);
  }

  return {
    /** Takes the records that a batch of the import has written. Returns the ids of records whose parties changed. */
    async write(entities: readonly NewEntity[]): Promise<ReadonlySet<string>> {
      // Each record is written once, so a new set has no party of the record yet.
      const changed = await replace(entities, !isNew);
      return new Set(isNew ? [] : changed);
    },
    visitUnchanged: isNew || again ? visitUnchanged : undefined,
    /** Removes the parties of delisted records. Returns how many changes were added to the journal at this place. */
    async finish(place: Place): Promise<number> {
      for (const set of recordPartySets) {
        const key = { register: register.id, set };
        count(set, -(await deletePartiesOfDelisted(tx, key, place.batch, register.keyLength)));
      }
      if (!again) return 0;
      const changes = await insertPartyChanges(tx, place);
      await dropIds(tx, 'touched');
      return changes;
    },
    async record(generation: number, mode: string): Promise<void> {
      for (const [set, parties] of sizes)
        if (parties > 0 || set === IN_RECORD)
          await recordPartySet(tx, { register: register.id, set }, { generation, mode, parties });
    },
  };
}

/** The stored record has no suppressed parties. */
const isNobody = () => false;

interface Prepared {
  readonly set: RecordPartySet;
  readonly party: NewParty;
  readonly text: string;
}
