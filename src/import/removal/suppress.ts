import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../base/db/db.ts';
import { parseSetModes } from '../../base/party-modes.ts';
import type { Register } from '../../registers/contract.ts';
import { insertJournalEntry } from '../../registry/journal/store.ts';
import { findOwnNumber, findSubject } from '../../registry/parties/companies/store.ts';
import { deleteParty, type PartyContent } from '../../registry/parties/store.ts';
import { insertSuppressed, listSuppressedOf } from '../../registry/parties/suppression/store.ts';
import { raiseGeneration, takeFileNumbers } from '../../registry/records/imports/store.ts';
import { createWithholding } from '../../registry/records/withholding.ts';
import { rewriteParty, rewriteRecord, TABLES } from './remove-persons.ts';
import { eraseDeleted, findContent, listPartyRowsOf } from './store.ts';

interface Request {
  readonly entityId: string;
  /** `hashParty` of the name. */
  readonly party: string;
  readonly reason: string | null;
}

/**
 * Removes a party of a company from the store, and keeps it out of later imports. The data gets a new version, so that nothing that
 * was kept of the old one is shown. Returns false if there is no such company.
 */
export async function suppressParty(db: Db, clock: Clock, registers: readonly Register[], request: Request) {
  const { entityId, party, reason } = request;
  await eraseDeleted(db);
  const isFound = await db.transaction(
    async (tx) => {
      const subject = await findSubject(tx, entityId);
      const register = registers.find(({ id }) => id === subject?.register);
      if (subject === undefined || register === undefined) return false;
      await tx.hold(`import ${register.id}`, 'exclusive');
      const now = clock.now();
      const company = findOwnNumber(register, subject) ?? '';
      const place = { register: register.id, company };
      await insertSuppressed(tx, { ...place, entityId, party, reason, suppressedAt: now });
      const suppressed = await listSuppressedOf(tx, entityId);
      const content = await findContent(tx, entityId);
      const withholding = createWithholding(register, parseSetModes(content?.modes), suppressed);
      for (const row of await listPartyRowsOf(tx, register.id, company)) {
        const { name } = JSON.parse(row.row.content) as PartyContent;
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
    },
    { patient: true },
  );
  await db.shrinkLog().catch(() => false);
  // SQLite has overwritten them.
  if (isFound && db.engine === 'postgres') await db.erase(TABLES);
  return isFound;
}
