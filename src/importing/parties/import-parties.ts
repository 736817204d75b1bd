import { formatCount } from '../../core/format-count.ts';
import { nameUuid } from '../../core/ids.ts';
import type { SetModes } from '../../core/party-modes.ts';
import type { Transaction } from '../../db/db.ts';
import { insertPartyChanges } from '../../journal/store.ts';
import { findCompanies } from '../../parties/companies/companies.ts';
import { indexNumbers } from '../../parties/companies/store.ts';
import { digest, type NewParty, readCompany } from '../../parties/new-party.ts';
import {
  deleteMissing,
  deleteParties,
  insertParties,
  type PartySetKey,
  readPartySets,
  readPartyStates,
  recordPartySet,
} from '../../parties/store.ts';
import type { ImportedFile } from '../../records/imports/store.ts';
import { createSeen, dropSeen, keepLayout } from '../../records/store.ts';
import { createWithholding, type SuppressedParty } from '../../records/withholding.ts';
import type { Register } from '../../registers/contract.ts';
import { compareStates } from '../compare-states.ts';
import { createIdFilter } from '../id-filter.ts';
import type { ImportPlan } from '../import-plan.ts';
import { ImportRefused, type PartyCounts } from '../import-result.ts';
import { createTouched, dropTouched, insertTouched } from '../links/store.ts';
import type { MapTools } from '../mapping/map-part.ts';
import type { Problems } from '../mapping/problems.ts';
import { indexRegisters } from '../mapping/record.ts';
import { isTable, type Part } from '../reading/part.ts';
import { limitPartyLoss, requireMost } from '../require-most.ts';
import { requireAllParts } from './complete.ts';
import { addTally, type PartyBatch } from './map-parties.ts';
import { createPartyMapper } from './map-thread.ts';

const BATCH = 1_000;

/** The part of the options of an import that matters here. */
interface Request {
  readonly register: Register;
  readonly registers: readonly Register[];
  readonly paths: readonly string[];
  /** Undefined: full, unless that would remove many. */
  readonly mode?: 'full' | 'partial';
  readonly signal?: AbortSignal;
}

/** What the import has done so far. */
interface Steps extends Pick<MapTools, 'onBytes'> {
  readonly files: readonly ImportedFile[];
  readonly problems: Problems;
  /** Parties that are left out at somebody's request. */
  readonly suppressed: readonly SuppressedParty[];
  /** Rows of companies. */
  readonly rowsBefore: number;
  /** Called with the number of rows so far. */
  onRows(rows: number): void;
  /** Where the journal continues. Undefined if this import lists no changes of companies. */
  readonly position: number | undefined;
}

/** What was done, and what is recorded when the import has its generation. */
interface ImportedParties {
  readonly counts: PartyCounts;
  /** Changes of companies that were added to the journal. */
  readonly changes: number;
  record(generation: number): Promise<void>;
}

/**
 * Imports files of parties, set by set, in the transaction of the import. As for companies, only what differs from the store is written,
 * and a full import removes what its files lack. Companies whose parties changed are listed in the journal, unless the set is new.
 * Undefined if there are no such files.
 */
export async function importParties(
  tx: Transaction,
  request: Request,
  {
    partyParts,
    parts,
    codes,
    modes,
    ...plan
  }: Pick<ImportPlan, 'partyParts' | 'parts' | 'codes' | 'codeTables' | 'inThreads'> & { readonly modes: SetModes },
  steps: Steps,
): Promise<ImportedParties | undefined> {
  if (partyParts.length === 0) return undefined;
  const { register, registers, mode = 'full' } = request;
  const { files, problems, onBytes, position, suppressed } = steps;
  const firstFile = files[0]?.id ?? 0;
  const withholding = createWithholding(register, modes, suppressed);
  const tools = { register, registers: indexRegisters(registers), withholding, parts, codes, problems, onBytes };
  if (register.country === null) await indexNumbers(tx, register.id);
  const before = new Map((await readPartySets(tx, register.id)).map(({ set, parties }) => [set, parties]));
  const counts = { rows: 0, added: 0, changed: 0, unchanged: 0, removed: 0, duplicates: 0 };
  const sets = Map.groupBy(partyParts, ({ source }) => source.parties?.set ?? '');
  const sizes = new Map<string, number>();
  await createTouched(tx);
  for (const [set, ofSet] of sets) {
    const held = before.get(set) ?? 0;
    const totals = mode === 'full' ? ofSet[0]?.source.parties?.totals : undefined;
    if (totals !== undefined)
      requireAllParts(
        ofSet.map(({ file }) => file),
        totals.part,
      );
    const isListed = position !== undefined && held > 0;
    const touch = (companies: readonly string[]) => (isListed ? touchCompanies(tx, register, companies) : undefined);
    await createSeen(tx);
    const onRows = (rows: number) => steps.onRows(steps.rowsBefore + counts.rows + rows);
    await using mapper = createPartyMapper(tools, { ...plan, mode: modes[set] ?? 'off', suppressed });
    const merge = () =>
      mergeSet(tx, { register: register.id, set }, ofSet, {
        ...{ firstFile, isFirst: held === 0, map: mapper.map, onRows, touch, signal: request.signal },
        fileIdOf: ({ file }) => files[request.paths.indexOf(file)]?.id ?? 0,
      });
    const merged = await tx.fill('parties', merge);
    problems.check(steps.rowsBefore + counts.rows + merged.rows);
    const incomplete = totals?.check(merged.tally, merged.rows) ?? null;
    if (incomplete !== null) throw new ImportRefused(`${incomplete}. Nothing was changed.`);
    if (request.mode === undefined) {
      const things = `${formatCount(held)} ${set}`;
      requireMost(merged.changed + merged.unchanged, { held, limit: limitPartyLoss(held), things, loss: 'remove' });
    }
    const missing =
      mode === 'full' && held > 0 ? await deleteMissing(tx, { register: register.id, set }, firstFile) : [];
    await touch(missing);
    await dropSeen(tx);
    sizes.set(set, held + merged.added - missing.length);
    for (const name of ['rows', 'added', 'changed', 'unchanged', 'duplicates'] as const) counts[name] += merged[name];
    counts.removed += missing.length;
  }
  const changes = position === undefined ? 0 : await insertPartyChanges(tx, { batch: firstFile, position });
  await dropTouched(tx);
  return {
    counts,
    changes,
    async record(generation) {
      for (const [set, parties] of sizes) {
        await recordPartySet(tx, { register: register.id, set }, { generation, mode, parties });
      }
    },
  };
}

interface SetMerge {
  readonly firstFile: number;
  /** Whether the store has no party of this set. */
  readonly isFirst: boolean;
  map(part: Part): AsyncGenerator<PartyBatch>;
  fileIdOf(part: Part): number;
  onRows(rows: number): void;
  /** Called with the numbers of the companies whose parties changed. */
  touch(companies: readonly string[]): Promise<void> | undefined;
  readonly signal: AbortSignal | undefined;
}

async function mergeSet(
  tx: Transaction,
  key: PartySetKey,
  parts: readonly Part[],
  { firstFile, isFirst, map, fileIdOf, onRows, touch, signal }: SetMerge,
) {
  const counts = { rows: 0, added: 0, changed: 0, unchanged: 0, duplicates: 0 };
  const tally: Record<string, number> = {};
  // Of a new set only rows of this import can have the same id.
  const stored = isFirst ? createIdFilter() : null;

  async function write(parties: readonly NewParty[], fileId: number): Promise<void> {
    const batch = new Map<string, NewParty>();
    for (const party of parties) if (!batch.has(party.id)) batch.set(party.id, party);
    counts.duplicates += parties.length - batch.size;
    const mayExist = [...batch.keys()].filter((id) => stored === null || stored.add(id));
    const states = await readPartyStates(tx, mayExist, BATCH);
    // Hashed here, because mapping takes longer than writing.
    const hashOf = (id: string) => digest(batch.get(id)?.packed ?? '');
    const { changed, known, newlySeen } = await compareStates(tx, states, hashOf, { firstFile, size: BATCH });
    for (const id of known) batch.delete(id);
    await deleteParties(tx, [...changed], BATCH);
    const written = [...batch.values()];
    await insertParties(tx, key, fileId, written);
    await touch(written.map(readCompany));
    counts.duplicates += known.length - newlySeen;
    counts.unchanged += newlySeen;
    counts.changed += changed.size;
    counts.added += batch.size - changed.size;
  }

  for (const part of parts) {
    if (isTable(part)) await keepLayout(tx, part.header.layout);
    const waiting: NewParty[] = [];
    for await (const batch of map(part)) {
      signal?.throwIfAborted();
      counts.rows += batch.rows;
      addTally(tally, batch.tally);
      waiting.push(...batch.prepared);
      while (waiting.length >= BATCH) await write(waiting.splice(0, BATCH), fileIdOf(part));
      onRows(counts.rows);
    }
    await write(waiting, fileIdOf(part));
  }
  return { ...counts, tally };
}

/** Bounds the memory that companies take while they are looked up. */
const LOOKUP_SIZE = 1_000;

/** Collects the companies in the table `touched`. Those that are not in the store change nothing there. */
async function touchCompanies(tx: Transaction, register: Register, numbers: readonly string[]): Promise<void> {
  const distinct = [...new Set(numbers)];
  const { id, country } = register;
  if (country !== null)
    return insertTouched(
      tx,
      distinct.map((number) => nameUuid(`${country}/${id}/${number}`)),
    );
  for (let first = 0; first < distinct.length; first += LOOKUP_SIZE) {
    const companies = await findCompanies(tx, register, distinct.slice(first, first + LOOKUP_SIZE));
    await insertTouched(
      tx,
      Array.from(companies.values(), (company) => company.id),
    );
  }
}
