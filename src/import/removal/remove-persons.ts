import type { Clock } from '../../base/clock.ts';
import type { Db, Queries, Reads } from '../../base/db/db.ts';
import { digest } from '../../base/ids.ts';
import {
  exceeds,
  IN_RECORDS,
  listSetModes,
  lowerModes,
  type PartyModes,
  parseSetModes,
  type SetModes,
} from '../../base/party-modes.ts';
import type { Register } from '../../registers/contract.ts';
import { insertJournalEntry } from '../../registry/journal/store.ts';
import { dropNumberIndex, findOwnNumber, findSubject } from '../../registry/parties/companies/store.ts';
import { packRow } from '../../registry/parties/new-party.ts';
import {
  deleteParty,
  deletePartySet,
  insertSuppressed,
  listPartySets,
  listSuppressed,
  type PartyContent,
  type StoredParty,
} from '../../registry/parties/store.ts';
import { listFileModes, raiseGeneration, takeFileNumbers } from '../../registry/records/imports/store.ts';
import { hashContent, writeContent } from '../../registry/records/record-content.ts';
import { type ContentColumn, contentColumns, DELISTED_HASH } from '../../registry/records/store.ts';
import { createWithholding, type Withholding } from '../../registry/records/withholding.ts';
import {
  deletePersons,
  eraseDeleted,
  findContent,
  listContents,
  listPartyRows,
  listPartyRowsOf,
  replaceFileModes,
  type StoredContent,
  updateContent,
  updateParty,
} from './store.ts';

/** The registers of which the store has more than the modes allow, with their files. */
export async function findExcess(db: Reads, registers: readonly Register[], modes: PartyModes) {
  const files = Map.groupBy(await listFileModes(db), (file) => file.register);
  const found = registers.map((register) => {
    const allowed = listSetModes(modes, register);
    const exceeding = (files.get(register.id) ?? []).filter((file) => exceeds(parseSetModes(file.modes), allowed));
    return { register, allowed, files: exceeding };
  });
  return found.filter((excess) => excess.files.length > 0);
}

/** The tables that may have held persons. */
const TABLES = ['parties', 'entities'];
const BATCH = 500;

/**
 * Removes what the modes leave out from parties and records of companies, and then the bytes that deleted rows leave in the
 * files of the database. The removal is recorded last, so an interrupted removal starts again. Returns the registers.
 */
export async function removeExcess(
  db: Db,
  registers: readonly Register[],
  modes: PartyModes,
  onProgress: (text: string) => void = () => undefined,
): Promise<string[]> {
  const excess = await findExcess(db, registers, modes);
  if (excess.length === 0) return [];
  for (const { register, allowed } of excess) await removeOf(db, register, allowed, onProgress);
  onProgress('rewriting the tables, so that no deleted bytes are left');
  await db.erase(TABLES);
  await db.transaction(async (tx) => {
    for (const { allowed, files } of excess) {
      for (const file of files) {
        const lowered = lowerModes(parseSetModes(file.modes), allowed);
        await replaceFileModes(tx, file, JSON.stringify(lowered));
      }
    }
  }, PATIENT);
  return excess.map(({ register }) => register.id);
}

const PATIENT = { patient: true };

async function removeOf(db: Db, register: Register, allowed: SetModes, onProgress: (text: string) => void) {
  const { id } = register;
  await db.transaction(async (tx) => {
    for (const { set } of await listPartySets(tx, id)) {
      const mode = allowed[set] ?? allowed[IN_RECORDS];
      if (mode === 'organisations') await deletePersons(tx, id, set);
      else if (mode !== 'names') await deletePartySet(tx, { register: id, set });
    }
    if (Object.values(allowed).every((mode) => mode === 'off')) await dropNumberIndex(tx, id);
  }, PATIENT);
  const rewriteAll = async <Row extends { readonly id: string }>(
    things: string,
    list: (tx: Queries, register: string, after: string, limit: number) => Promise<readonly Row[]>,
    rewrite: (tx: Queries, row: Row, withholding: Withholding) => Promise<void>,
  ) => {
    let count = 0;
    let after = '';
    for (let last: Row | undefined; ; after = last.id) {
      const batch = await db.transaction(async (tx) => {
        // An import must not replace the rows between reading and writing them.
        await tx.hold(`import ${id}`, 'exclusive');
        const withholding = createWithholding(register, allowed, await listSuppressed(tx, { register: id }));
        const rows = await list(tx, id, after, BATCH);
        for (const row of rows) await rewrite(tx, row, withholding);
        return rows;
      }, PATIENT);
      last = batch.at(-1);
      if (last === undefined) return;
      count += batch.length;
      if (count % (BATCH * 100) === 0) onProgress(`${id}: ${count} ${things}`);
    }
  };
  await rewriteAll('parties', listPartyRows, rewriteParty);
  await rewriteAll('records', listContents, rewriteRecord);
}

/** Writes the party again if something is left out, like `rewriteRecord`. */
async function rewriteParty(tx: Queries, party: StoredParty, withholding: Withholding): Promise<void> {
  const { id, set, company, columns } = party;
  const { kind } = JSON.parse(party.content) as PartyContent;
  const sourceData = withholding.party({ set, company, kind }, columns, { text: party.sourceData });
  if (sourceData === party.sourceData) return;
  await updateParty(tx, id, { sourceData, contentHash: digest(packRow({ ...party, sourceData })) });
}

const at = (column: ContentColumn) => contentColumns.indexOf(column);

/** Writes the record again if something is left out. The hash is the same as after an import in these modes, so the next import changes nothing. */
async function rewriteRecord(tx: Queries, stored: StoredContent, withholding: Withholding): Promise<void> {
  const { id, columns, content, linkedNumbers, linkedId } = stored;
  const [before, sourceBefore] = [content[at('registry')] as string, content[at('source_data')] as string];
  const registry = JSON.stringify(withholding.registry(id, JSON.parse(before)));
  const sourceData = withholding.source(id, columns, { text: sourceBefore });
  if (registry === before && sourceData === sourceBefore) return;
  const values = Object.fromEntries(
    contentColumns.map((column, index) => [column, content[index] === null ? null : String(content[index])]),
  ) as Record<ContentColumn, string | null>;
  const numberKeys = (values.number_keys ?? '').slice(0, -linkedNumbers.length || undefined);
  const written = writeContent({ ...values, number_keys: numberKeys, registry, source_data: sourceData });
  const contentHash =
    stored.contentHash === DELISTED_HASH ? DELISTED_HASH : hashContent(written, linkedId ?? undefined);
  await updateContent(tx, id, { registry, sourceData, contentHash });
}

interface Request {
  readonly entityId: string;
  /** `hashParty` of the name. */
  readonly party: string;
  readonly reason: string | null;
}

/**
 * Removes a party of a company from the store, and keeps it out of later imports. The data gets a new version, so that nothing that
 * was kept of the old version is shown. Returns false if there is no such company.
 */
export async function suppressParty(db: Db, clock: Clock, registers: readonly Register[], request: Request) {
  const { entityId, party, reason } = request;
  await eraseDeleted(db);
  const isFound = await db.transaction(async (tx) => {
    const subject = await findSubject(tx, entityId);
    const register = registers.find(({ id }) => id === subject?.register);
    if (subject === undefined || register === undefined) return false;
    await tx.hold(`import ${register.id}`, 'exclusive');
    const now = clock.now();
    const company = findOwnNumber(register, subject) ?? '';
    const place = { register: register.id, company };
    await insertSuppressed(tx, { ...place, entityId, party, reason, suppressedAt: now });
    const content = await findContent(tx, entityId);
    const modes = parseSetModes(content?.modes);
    const withholding = createWithholding(register, modes, await listSuppressed(tx, { entityId }));
    for (const row of await listPartyRowsOf(tx, register.id, company)) {
      const { name } = JSON.parse(row.content) as PartyContent;
      if (name !== null && withholding.isSuppressed(company, name))
        await deleteParty(tx, { register: register.id, set: row.set }, row.id);
      else await rewriteParty(tx, row, withholding);
    }
    if (content !== undefined) await rewriteRecord(tx, content, withholding);
    const batch = await takeFileNumbers(tx, 1);
    const generation = await raiseGeneration(tx, now);
    const nothing = { changes: 0, loaded: false, mixed: false };
    await insertJournalEntry(tx, { generation, publishedAt: now, register: register.id, batch, ...nothing });
    return true;
  }, PATIENT);
  // SQLite has already overwritten the deleted rows, but while a reader uses the log, the log and the main file still contain the old pages.
  if (!(await db.shrinkLog({ patient: true })))
    throw new Error(
      'The party is removed, but a long reader, such as an export, keeps old pages in the log of the database. Run the command again when it has ended.',
    );
  if (isFound && db.engine === 'postgres') await db.erase(TABLES);
  return isFound;
}
