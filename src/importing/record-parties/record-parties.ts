import { BENEFICIAL_OWNERS, IN_RECORDS, type PartyMode, type SetModes } from '../../core/party-modes.ts';
import type { Transaction } from '../../db/db.ts';
import { insertPartyChanges, type Place } from '../../journal/store.ts';
import { findOwnNumber } from '../../parties/companies/companies.ts';
import { digest, type NewParty } from '../../parties/new-party.ts';
import { insertParties, readPartySets, recordPartySet } from '../../parties/store.ts';
import { contentColumns, type NewEntity } from '../../records/store.ts';
import type { Register } from '../../registers/contract.ts';
import type { PartyOf } from '../../registers/vocabulary.ts';
import { createTouched, dropTouched, insertTouched } from '../links/store.ts';
import type { RegistersById } from '../mapping/record.ts';
import { boundParty, prepareParty } from '../parties/map-parties.ts';
import {
  createPending,
  deleteRecordParties,
  dropPending,
  IN_RECORD,
  listDelisted,
  type RecordOfParties,
  type RecordPartySet,
  readPending,
  recordPartySets,
} from './store.ts';

/** Companies per statement. */
const PAGE = 500;
const REGISTRY = contentColumns.indexOf('registry');
const NUMBER = contentColumns.indexOf('registration_number');

interface Request {
  readonly register: Register;
  readonly registers: RegistersById;
  readonly modes: SetModes;
  /** Whether the parties of all records are written, also of unchanged ones. */
  readonly again: boolean;
}

export type RecordParties = NonNullable<Awaited<ReturnType<typeof openRecordParties>>>;

/**
 * Writes the parties in `registry.parties` of records as parties with rows of their own, in the transaction of the import. Only those of
 * records that the import writes are replaced. If the store does not have them yet, they are read from all stored records at the end, so
 * a store of an older version gets them with its next import. Undefined if records of this register have none, or they are off.
 */
export async function openRecordParties(tx: Transaction, request: Request) {
  const { register, registers, modes } = request;
  const map = register.recordParties;
  const modeOf = (set: RecordPartySet): PartyMode => modes[set] ?? modes[IN_RECORDS] ?? 'off';
  if (map === undefined || modeOf(IN_RECORD) === 'off') return undefined;
  const held = new Map((await readPartySets(tx, register.id)).map(({ set, parties }) => [set, parties]));
  const isNew = !held.has(IN_RECORD);
  const sizes = new Map<RecordPartySet, number>(recordPartySets.map((set) => [set, held.get(set) ?? 0]));
  const count = (set: RecordPartySet, change: number) => sizes.set(set, (sizes.get(set) ?? 0) + change);

  /** Replaces the parties of these companies. Returns the ids of those whose parties differ from before. */
  async function replace(records: readonly RecordOfParties[], isStored = true): Promise<string[]> {
    const companies = records.map((record) => ({ ...record, company: findOwnNumber(register, record) }));
    const before = new Map<string, Set<string>>();
    const numbers = companies.flatMap(({ company }) => company ?? []);
    const deleted = isStored ? await deleteRecordParties(tx, register.id, numbers, PAGE) : [];
    for (const { id, set, company, contentHash } of deleted) {
      before.getOrInsertComputed(company, () => new Set()).add(id + contentHash);
      count(set, -1);
    }
    const differing: string[] = [];
    const written = new Map<string, { set: RecordPartySet; fileId: number; parties: NewParty[] }>();
    for (const { company, ...record } of companies) {
      if (company === null) continue;
      const rows = prepare(company, record);
      const former = before.get(company);
      const isSame = ({ party }: Prepared) => former?.has(party.id + digest(party.packed)) === true;
      if (rows.length !== (former?.size ?? 0) || !rows.every(isSame)) differing.push(record.id);
      for (const { set, party } of rows) {
        const { fileId } = record;
        written.getOrInsertComputed(`${set} ${fileId}`, () => ({ set, fileId, parties: [] })).parties.push(party);
        count(set, 1);
      }
    }
    for (const { set, fileId, parties } of written.values())
      await insertParties(tx, { register: register.id, set }, fileId, parties);
    return differing;
  }

  function prepare(company: string, { id, registry, place }: RecordOfParties): Prepared[] {
    if (!registry.includes('"parties":[')) return [];
    const { parties = [] } = JSON.parse(registry) as { readonly parties?: readonly PartyOf[] };
    const found = new Map<string, Prepared>();
    for (const party of parties) {
      const mapped = map?.(party) ?? null;
      if (mapped === null) continue;
      const set = mapped.role === 'beneficial_owner' ? BENEFICIAL_OWNERS : IN_RECORD;
      const mode = modeOf(set);
      if (mode === 'off') continue;
      // Numbers of persons are masked, so several persons may have the same.
      const known = mapped.kind === 'organisation' && mapped.number;
      const key = `${mapped.role}/${mapped.roleText}/${known || mapped.name}`;
      const source = { layout: null, text: JSON.stringify(party) };
      for (let copy = 1; ; copy++) {
        const bounded = boundParty({ ...mapped, company, key: `${key}/${copy}`, current: true }, mode, isNobody);
        if ('rejected' in bounded) break;
        // As in the record: below `names`, no other party is stored, not even a text about persons without names.
        const isPerson = bounded.kind !== 'organisation';
        const prepared = prepareParty(`${register.id}/${set}/${id}`, bounded, source, place, registers, isPerson);
        const same = found.get(prepared.id);
        if (same === undefined) found.set(prepared.id, { set, party: prepared, text: source.text });
        // The same text twice is one party. With another text, it is another one of the same name.
        if (same === undefined || same.text === source.text) break;
      }
    }
    return [...found.values()];
  }

  return {
    /** Takes the records that a batch of the import has written. Returns the ids of those whose parties changed. */
    async write(entities: readonly NewEntity[]): Promise<ReadonlySet<string>> {
      const changed: string[] = [];
      for (let at = 0; at < entities.length; at += PAGE) {
        const records = entities.slice(at, at + PAGE).map(toRecord);
        // Each record is written once, so a new set has none of its parties yet.
        changed.push(...(await replace(records, !isNew)));
      }
      return new Set(isNew ? [] : changed);
    },
    /** Removes the parties of delisted records. Returns how many changes were added to the journal at this place. */
    async finish({ batch, position, isFirst }: Place & { readonly isFirst: boolean }): Promise<number> {
      for (let from = 0; ; ) {
        const delisted = await listDelisted(tx, batch, from, PAGE);
        await replace(delisted.map((record) => ({ ...record, registry: '' })));
        if (delisted.length < PAGE) break;
        from = (delisted.at(-1)?.position ?? 0) + 1;
      }
      if (isFirst || !(isNew || request.again)) return 0;
      await createPending(tx, register.id);
      await createTouched(tx);
      for (let after = ''; ; ) {
        const records = await readPending(tx, after, PAGE);
        const differing = await replace(records);
        // The first parties of a register are no changes.
        if (!isNew) await insertTouched(tx, differing);
        if (records.length < PAGE) break;
        after = records.at(-1)?.id ?? '';
      }
      const changes = await insertPartyChanges(tx, { batch, position });
      await dropTouched(tx);
      await dropPending(tx);
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
  /** `sourceData` of the party. */
  readonly text: string;
}

function toRecord({ id, fileId, place, content }: NewEntity): RecordOfParties {
  return { id, fileId, place, number: content[NUMBER] as string | null, registry: content[REGISTRY] as string };
}
