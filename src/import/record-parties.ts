import { BENEFICIAL_OWNERS, IN_RECORDS, type PartyMode, type SetModes } from '../base/party-modes.ts';
import { indexRegisters } from '../registers/contract.ts';
import type { PartyOf } from '../registers/vocabulary.ts';
import { insertPartyChanges, type Place } from '../registry/journal/store.ts';
import { findOwnNumber } from '../registry/parties/companies/store.ts';
import type { NewParty } from '../registry/parties/new-party.ts';
import { insertParties, listPartySets, recordPartySet } from '../registry/parties/store.ts';
import { contentColumns, type NewEntity } from '../registry/records/store.ts';
import { boundParty, prepareParty } from './mapping/party.ts';
import type { Run } from './road.ts';
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

const REGISTRY = contentColumns.indexOf('registry');
const NUMBER = contentColumns.indexOf('registration_number');

export type RecordParties = NonNullable<Awaited<ReturnType<typeof openRecordParties>>>;

type WrittenRecord = Pick<NewEntity, 'id' | 'fileId' | 'place' | 'content'>;

/**
 * Writes the parties in `registry.parties` of records as parties with rows of their own, in the transaction of the import. The rows of a
 * company are replaced when its record is written. Those of unchanged records are written if the store has none of this register, or if the
 * import is repeated (`again`). Undefined if records of this register have none, or they are off.
 */
export async function openRecordParties({ tx, register, ...run }: Run, modes: SetModes, again: boolean) {
  const map = register.recordParties;
  const registers = indexRegisters(run.registers);
  const modeOf = (set: RecordPartySet): PartyMode => modes[set] ?? modes[IN_RECORDS] ?? 'off';
  if (map === undefined || modeOf(IN_RECORD) === 'off') return undefined;
  const held = new Map((await listPartySets(tx, register.id)).map(({ set, parties }) => [set, parties]));
  const isNew = !held.has(IN_RECORD);
  const sizes = new Map<RecordPartySet, number>(recordPartySets.map((set) => [set, held.get(set) ?? 0]));
  const count = (set: RecordPartySet, change: number) => sizes.set(set, (sizes.get(set) ?? 0) + change);
  if (again) await createIds(tx, 'touched');

  /** Replaces the parties of these companies. Returns the ids of those whose parties differ from before. */
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

  /** Replaces the parties of unchanged records. The first parties of a register are no changes. */
  async function visitUnchanged(entities: readonly NewEntity[]): Promise<void> {
    const ids = entities.map(({ id }) => id);
    const places = await findPlaces(tx, ids);
    const stored = entities.map((entity) => ({ ...entity, ...places.get(entity.id) }));
    const differing = await replace(stored, true);
    if (!isNew) await insertIds(tx, 'touched', differing);
  }

  return {
    /** Takes the records that a batch of the import has written. Returns the ids of those whose parties changed. */
    async write(entities: readonly NewEntity[]): Promise<ReadonlySet<string>> {
      // Each record is written once, so a new set has none of its parties yet.
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
  /** `sourceData` of the party. */
  readonly text: string;
}
