import { basename } from 'node:path';
import type { Transaction } from '../base/db/db.ts';
import { formatCount } from '../base/format-count.ts';
import { nameUuid } from '../base/ids.ts';
import type { Register } from '../registers/contract.ts';
import { insertPartyChanges } from '../registry/journal/store.ts';
import { findCompanies, indexNumbers } from '../registry/parties/companies/store.ts';
import { companyOf } from '../registry/parties/new-party.ts';
import {
  deleteMissing,
  deleteParties,
  findPartyStates,
  insertParties,
  listPartySets,
  type PartySetKey,
  recordPartySet,
} from '../registry/parties/store.ts';
import { limitPartyLoss, requireMost } from './history.ts';
import type { PartyCounts } from './import-result.ts';
import { ImportRefused } from './mapping/problems.ts';
import type { Part } from './reading/part.ts';
import { createMerge, importRows, type Run, type Sink } from './road.ts';
import { createIds, dropIds, insertIds } from './store.ts';

/** What was done, and what is recorded when the import has its generation. */
interface ImportedParties {
  readonly counts: PartyCounts;
  /** Changes of companies that were added to the journal. */
  readonly changes: number;
  record(generation: number): Promise<void>;
}

/**
 * Imports files of parties, set by set, in the transaction of the import. As for companies, only what differs from the store is written,
 * and a full import removes what its files lack. Companies whose parties changed are listed in the journal from `position` on, unless the
 * set is new, or this import lists no changes of companies. Undefined if there are no such files.
 */
export async function importParties(
  run: Run,
  parts: readonly Part[],
  position: number | undefined,
): Promise<ImportedParties | undefined> {
  if (parts.length === 0) return undefined;
  const { tx, register, firstFile, problems, mode = 'full' } = run;
  const rowsBefore = run.rows;
  if (register.country === null) await indexNumbers(tx, register.id);
  const before = new Map((await listPartySets(tx, register.id)).map(({ set, parties }) => [set, parties]));
  const counts = { added: 0, changed: 0, unchanged: 0, removed: 0, duplicates: 0 };
  const sizes = new Map<string, number>();
  await createIds(tx, 'touched');
  for (const [set, ofSet] of Map.groupBy(parts, ({ source }) => source.parties?.set ?? '')) {
    const held = before.get(set) ?? 0;
    const key = { register: register.id, set };
    const totals = mode === 'full' ? ofSet[0]?.source.parties?.totals : undefined;
    const paths = ofSet.map(({ file }) => file);
    if (totals !== undefined) requireAllParts(paths, totals.part);
    const touch = async (companies: readonly string[]) => {
      if (position !== undefined && held > 0) await touchCompanies(tx, register, companies);
    };
    const merge = await createMerge(tx, createSink(tx, key, held === 0, touch), firstFile);
    const jobs = ofSet.map((part) => ({ main: [part], joined: [] }));
    const rowsOfOthers = run.rows;
    const tally = await tx.fill('parties', async () => {
      const summed = await importRows(run, jobs, merge);
      await merge.finish();
      return summed;
    });
    problems.check(run.rows);
    const incomplete = totals?.check(tally, run.rows - rowsOfOthers) ?? null;
    if (incomplete !== null) throw new ImportRefused(`${incomplete}. Nothing was changed.`);
    if (run.mode === undefined) {
      const things = `${formatCount(held)} ${set}`;
      const found = merge.counts.changed + merge.counts.unchanged;
      requireMost(found, { held, limit: limitPartyLoss(held), things, loss: 'remove' });
    }
    const missing = mode === 'full' && held > 0 ? await deleteMissing(tx, key, firstFile) : [];
    await touch(missing);
    await merge.end();
    sizes.set(set, held + merge.counts.added - missing.length);
    for (const name of ['added', 'changed', 'unchanged', 'duplicates'] as const) counts[name] += merge.counts[name];
    counts.removed += missing.length;
  }
  const changes = position === undefined ? 0 : await insertPartyChanges(tx, { batch: firstFile, position });
  await dropIds(tx, 'touched');
  return {
    counts: { rows: run.rows - rowsBefore, ...counts },
    changes,
    async record(generation) {
      for (const [set, parties] of sizes) {
        await recordPartySet(tx, { register: register.id, set }, { generation, mode, parties });
      }
    },
  };
}

/** `touch` is called with the numbers of the companies whose parties changed. */
function createSink(
  tx: Transaction,
  key: PartySetKey,
  isFirst: boolean,
  touch: (companies: readonly string[]) => Promise<void>,
): Sink {
  return {
    isFirst,
    findStates: findPartyStates,
    async write(rows, changed) {
      await deleteParties(tx, [...changed]);
      await insertParties(tx, key, rows);
      await touch(rows.map(({ row }) => companyOf(row)));
    },
  };
}

const MAX_SHOWN = 5;
const ADVICE = 'Name all parts of one day in one command, or use --partial to import only these.';

/** Throws if the files are parts of a whole and one of the parts is not there. `pattern` is that of `PartyTotals`. */
function requireAllParts(paths: readonly string[], pattern: RegExp): void {
  const parts = paths.flatMap((path) => {
    const name = basename(path);
    const { part, of } = pattern.exec(name)?.groups ?? {};
    const nameOf = (number: number) => name.replace(pattern, (text) => text.replace(`${part}`, String(number)));
    return part === undefined ? [] : [{ number: Number(part), of: Number(of), nameOf }];
  });
  const [first] = parts;
  if (first === undefined) return;
  const strange = parts.find(({ nameOf }) => nameOf(1) !== first.nameOf(1));
  if (strange !== undefined) {
    const names = `${first.nameOf(first.number)} and ${strange.nameOf(strange.number)}`;
    throw new ImportRefused(`${names} are not parts of the same file. ${ADVICE}`);
  }
  const given = new Set(parts.map(({ number }) => number));
  const missing = Array.from({ length: first.of }, (_, index) => index + 1).filter((number) => !given.has(number));
  if (missing.length === 0) return;
  const names = missing.slice(0, MAX_SHOWN).map(first.nameOf).join(', ');
  const more = missing.length > MAX_SHOWN ? ` and ${missing.length - MAX_SHOWN} more` : '';
  throw new ImportRefused(`${missing.length} of ${first.of} parts are missing: ${names}${more}. ${ADVICE}`);
}

/** Bounds the memory that companies take while they are looked up. */
const LOOKUP_SIZE = 1_000;

/** Collects the companies in the table `touched`. Those that are not in the store change nothing there. */
async function touchCompanies(tx: Transaction, register: Register, numbers: readonly string[]): Promise<void> {
  const distinct = [...new Set(numbers)];
  const { id, country } = register;
  if (country !== null) {
    const ids = distinct.map((number) => nameUuid(`${country}/${id}/${number}`));
    return insertIds(tx, 'touched', ids);
  }
  for (let first = 0; first < distinct.length; first += LOOKUP_SIZE) {
    const companies = await findCompanies(tx, register, distinct.slice(first, first + LOOKUP_SIZE));
    const ids = Array.from(companies.values(), (company) => company.id);
    await insertIds(tx, 'touched', ids);
  }
}
