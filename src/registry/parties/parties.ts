import type { Db, Reads } from '../../base/db/db.ts';
import { findVersion } from '../../base/db/version.ts';
import { listSetModes, type PartyModes } from '../../base/party-modes.ts';
import type { Deadline } from '../../base/system/deadline.ts';
import { createTurns } from '../../base/system/turns.ts';
import { indexRegisters, type Register } from '../../registers/contract.ts';
import type { StoredFile } from '../records/imports/store.ts';
import { createSourceDataWriter, type WriteSourceData } from '../records/source-data.ts';
import { type FindWithholding, findLimit, limitRegisters, namesPersons } from '../records/withholding.ts';
import {
  type Company,
  type FindCompany,
  findOwnNumber,
  findSubject,
  loadCompanies,
  type Subject,
} from './companies/store.ts';
import * as store from './store.ts';
import { type Ownership, walkOwnership } from './walk.ts';

export interface PartyFilter {
  readonly role?: string | undefined;
  /** `YYYY-MM-DD`. Without a day, the parties in force are listed. */
  readonly at?: string | undefined;
}

export type Parties = ReturnType<typeof createParties>;

/** Whether the answer has data about the company's parties, or why not. */
export const coverages = {
  available: 'the files of parties of this register are imported',
  off: 'the operator of this service has switched them off',
  not_imported: 'the register publishes them, but they are not imported here',
  not_published: 'the register publishes none that can be imported',
} as const;
export type Coverage = keyof typeof coverages;

interface Answer {
  readonly version: string;
  readonly register: string;
  readonly coverage: Coverage;
}

export interface PartyList extends Answer {
  readonly parties: readonly ShownParty[];
  /** How many parties there are, even if the list is shorter. */
  readonly total: number;
  /** How many persons are left out at their request. */
  readonly withheld: number;
}

export interface OwnershipAnswer extends Answer, Ownership {}

export interface ShownParty extends store.PartyContent {
  readonly role: string;
  readonly entityId: string | null;
  readonly from: string | null;
  readonly until: string | null;
  readonly current: boolean;
  readonly source: { readonly file: string; readonly hash: string; readonly row: number };
  readonly sourceData: unknown;
}

export const MAX_PARTIES = 1_000;

/**
 * Who is connected with companies: reads the parties of companies, and follows ownership from company to company. Files are imported by
 * `import/`. Companies and parties are connected when they are read, by register and number.
 */
export function createParties(db: Db, registers: readonly Register[], modes: PartyModes) {
  const turns = createTurns({ perAccount: 1, inTotal: Number.POSITIVE_INFINITY }, 'walks through groups');
  const byId = indexRegisters(registers);
  const setModes = new Map(registers.map((register) => [register.id, listSetModes(modes, register)]));
  const visible = store.describeVisible(setModes);
  const findWithholding = limitRegisters(registers, modes);
  const isOff = (register: string) => Object.values(setModes.get(register) ?? {}).every((mode) => mode === 'off');
  const leavesOutPersons = (id: string) => {
    const register = byId.get(id);
    return register !== undefined && findLimit(register, modes) !== undefined && namesPersons(register);
  };
  const isPublished = (id: string) => {
    const register = byId.get(id);
    return register?.recordParties !== undefined || register?.sources.some(({ parties }) => parties) === true;
  };

  async function begin(id: string): Promise<(Answer & { readonly subject: Subject }) | undefined> {
    // The version is read before the data: an answer may be newer than its version, which costs a repeated request, but never older.
    const version = await findVersion(db);
    const subject = await findSubject(db, id);
    if (subject === undefined) return undefined;
    const { register } = subject;
    const number = findOwnNumber(byId.get(register) ?? {}, subject);
    return { version, subject: { ...subject, number }, register, coverage: await findCoverage(register) };
  }

  async function findCoverage(register: string): Promise<Coverage> {
    if (!isPublished(register)) return 'not_published';
    if (isOff(register)) return 'off';
    return (await store.listPartySets(db, register)).length > 0 ? 'available' : 'not_imported';
  }

  return {
    /** Whether the register publishes parties that are not switched off. */
    isShown: (register: string) => isPublished(register) && !isOff(register),
    /** A company of a register by its number. For registers whose parties are imported: the import adds the index. */
    async find(register: string, number: string): Promise<Company | undefined> {
      return (await loadCompanies(db, byId, [{ register, number }]))(register, number);
    },
    /** The parties of a company. Undefined if there is no such company. */
    async list(id: string, { role, at }: PartyFilter): Promise<PartyList | undefined> {
      const begun = await begin(id);
      if (begun === undefined) return undefined;
      const { subject, ...answer } = begun;
      const withheld = (await store.listSuppressed(db, { entityId: subject.id })).length;
      if (answer.coverage !== 'available' || subject.number === null)
        return { ...answer, parties: [], total: 0, withheld };
      const of = { register: subject.register, company: subject.number, visible };
      const filter = { role: role ?? null, at: at ?? null, limit: MAX_PARTIES };
      const { parties: rows, total } = await store.listParties(db, of, filter);
      const find = await loadCompanies(db, byId, rows.map(linkOf));
      const parties = await createPartyReader(db, findWithholding)(rows, find);
      return { ...answer, parties: parties.map(({ shown }) => shown), total, withheld };
    },
    /**
     * The companies above or below a company, up to `depth` levels. A group can have thousands of links, so an account follows one group at
     * a time: further calls wait for their turn, at most until the deadline.
     */
    async walk(
      id: string,
      direction: store.Direction,
      depth: number,
      account = '',
      deadline: Deadline = Number.POSITIVE_INFINITY,
    ): Promise<OwnershipAnswer | undefined> {
      const begun = await begin(id);
      if (begun === undefined) return undefined;
      const { subject, ...answer } = begun;
      if (answer.coverage !== 'available') return { ...answer, nodes: [], links: [], truncated: false };
      const mayRead = (register: string) => !isOff(register);
      const options = { direction, depth, mayRead, leavesOutPersons, visible };
      const follow = () => walkOwnership(db, byId, subject, options);
      return { ...answer, ...(await turns.run(account, deadline, follow)) };
    },
  };
}

export function linkOf({ partyRegister, partyNumber }: store.StoredParty) {
  return { register: partyRegister, number: partyNumber };
}

/** Returns a function that adds what users see to the rows of parties. Keeps files and columns, so all rows must be of one version of the data. */
export function createPartyReader(db: Reads, findWithholding: FindWithholding) {
  const files = new Map<number, StoredFile>();
  const writers = new Map<string, WriteSourceData>();

  async function readParty(row: store.StoredParty, linked: Company | undefined) {
    const { set, company, columns, role, from, until, isCurrent, place } = row;
    const content: store.PartyContent = JSON.parse(row.content);
    const { roleText, kind, name, number, countryCode, interests, absence } = content;
    const file = files.get(row.fileId);
    const withholding = await findWithholding(row.register, file?.modes);
    const text = withholding?.party({ set, company, kind }, columns, { text: row.sourceData }) ?? row.sourceData;
    const source = columns === null ? text : writers.getOrInsertComputed(columns, createSourceDataWriter)(text);
    // A name that the source lacks is taken from the record of the party.
    const shown: ShownParty = {
      ...{ role, roleText, kind, name: name ?? linked?.name ?? null },
      ...{ entityId: linked?.id ?? null, number, countryCode: countryCode ?? linked?.countryCode ?? null },
      ...{ interests: store.completeInterests(interests), from, until, current: isCurrent, absence },
      source: { file: file?.name ?? '', hash: file?.hash ?? '', row: place },
      sourceData: JSON.parse(source),
    };
    return { row, file, shown };
  }

  return async (rows: readonly store.StoredParty[], find: FindCompany) => {
    const fileIds = rows.map(({ fileId }) => fileId);
    await store.findPartyFiles(db, fileIds, files);
    const found = [];
    for (const row of rows) found.push(await readParty(row, find(row.partyRegister, row.partyNumber)));
    return found;
  };
}
