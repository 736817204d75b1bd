import type { Db, Reads } from '../db/db.ts';
import type { Register } from '../registers/contract.ts';
import { findCompanies, splitList } from './companies/companies.ts';
import type { Company, Subject } from './companies/store.ts';
import { type Direction, findLinks, type LinkRow } from './links/store.ts';
import { type Edge, findCycles } from './ownership.ts';
import { findPartyFiles, type PartyContent, type PartyFile, type Visible } from './store.ts';

/** The most companies of an answer. The largest groups have more. */
export const MAX_NODES = 1_000;
/** The most links that are read of one list of companies. A company seldom has more than two links to owners. */
const MAX_LINKS = 4 * MAX_NODES;

/** Why a chain does not go on at a company. */
export const endReasons = {
  person: 'natural persons own or control it',
  no_number: 'the owner has no number in this register, or the company itself has none',
  no_parent: 'nobody controls or consolidates it',
  not_disclosed: 'the company does not disclose its owner',
  not_identified: 'the company has not identified its owner, or not confirmed the details',
  no_answer: 'the owner was asked and has not answered',
  exempt: 'the company need not name its owner',
  protected: 'the owner is protected: the register publishes nothing about it',
  not_found: 'the company is not in the store, and its files say nothing about it',
  not_in_files: 'the files name no owner who may be shown',
  persons_not_kept: 'the files name no organisation as owner, and natural persons, who may own it, are not kept here',
  depth: 'the chain may go on: ask for a greater depth',
  limit: 'the chain may go on: the answer has as many companies as possible',
} as const;
export type EndReason = keyof typeof endReasons;

const ABSENCES: Readonly<Record<string, EndReason>> = {
  persons: 'person',
  no_number: 'no_number',
  no_parent: 'no_parent',
  not_disclosed: 'not_disclosed',
  not_identified: 'not_identified',
  no_answer: 'no_answer',
  exempt: 'exempt',
  protected: 'protected',
};

interface Node {
  readonly node: number;
  readonly depth: number;
  readonly register: string;
  readonly number: string | null;
}

export interface OwnershipNode extends Node {
  /** Null if the company is not in the store. */
  readonly entityId: string | null;
  readonly name: string | null;
  readonly countryCode: string | null;
  readonly status: string | null;
  /** Why the chain ends here. `text` is in the words of the source. Null if it goes on. */
  readonly end: { readonly reason: EndReason; readonly text: string | null } | null;
}

export interface OwnershipLink extends Edge {
  readonly role: string;
  readonly roleText: string;
  readonly interests: PartyContent['interests'];
  readonly from: string | null;
  readonly until: string | null;
  readonly inCycle: boolean;
  readonly source: { readonly file: string; readonly hash: string; readonly row: number };
}

export interface Ownership {
  readonly nodes: readonly OwnershipNode[];
  readonly links: readonly OwnershipLink[];
  /** Whether something was left out. */
  readonly truncated: boolean;
}

/** A link before its file and the cycles are known. */
interface FoundLink extends Edge {
  readonly row: LinkRow;
}

interface WalkOptions {
  readonly direction: Direction;
  readonly depth: number;
  mayRead(register: string): boolean;
  /** Whether files of the register name natural persons who are not stored. */
  leavesOutPersons(register: string): boolean;
  readonly visible: Visible;
}

/**
 * Follows links between companies, level by level. Each company is one node and is expanded once, so a cycle ends. `mayRead` says whether
 * the parties of a register are switched on.
 */
export async function walkOwnership(
  db: Db,
  registers: ReadonlyMap<string, Register>,
  start: Subject,
  { direction, depth, mayRead, leavesOutPersons, visible }: WalkOptions,
): Promise<Ownership> {
  const nodes: Node[] = [{ node: 0, depth: 0, register: start.register, number: start.number }];
  const byNumber = new Map([[start.register, new Map([[start.number, 0]])]]);
  const links: FoundLink[] = [];
  const absences = new Map<number, LinkRow>();
  const expanded = new Set<number>();
  let truncated = false;

  function place(register: string, number: string, level: number): number | undefined {
    const ofRegister = byNumber.getOrInsertComputed(register, () => new Map());
    const known = ofRegister.get(number);
    if (known !== undefined || nodes.length === MAX_NODES) return known;
    ofRegister.set(number, nodes.length);
    return nodes.push({ node: nodes.length, depth: level, register, number }) - 1;
  }

  function add(row: LinkRow, level: number): void {
    const { register, company, partyRegister, partyNumber } = row;
    if (partyRegister === null || partyNumber === null) {
      const subject = byNumber.get(register)?.get(company);
      // The reason for the direct parent comes first.
      if (subject !== undefined && !absences.has(subject)) absences.set(subject, row);
      return;
    }
    const owned = place(register, company, level);
    const owner = place(partyRegister, partyNumber, level);
    if (owned === undefined || owner === undefined) truncated = true;
    else links.push({ company: owned, party: owner, row });
  }

  for (let level = 1, from = 0; level <= depth && from < nodes.length && !truncated; level++) {
    const frontier = nodes.slice(from).filter(({ number }) => number !== null);
    from = nodes.length;
    for (const [register, ofRegister] of Map.groupBy(frontier, (node) => node.register)) {
      if (!mayRead(register)) continue;
      for (const part of splitList(ofRegister)) {
        const numbers = part.map(({ number }) => number as string);
        const rows = await findLinks(db, direction, register, numbers, { limit: MAX_LINKS, visible });
        truncated ||= rows.length === MAX_LINKS;
        for (const { node } of part) expanded.add(node);
        for (const row of rows) add(row, level);
      }
    }
  }
  const readContent = createContentReader();
  const cyclic = findCycles(nodes.length, links);
  const owned = new Set(links.map(({ company }) => company));
  const files = await findPartyFiles(
    db,
    links.map(({ row }) => row),
  );
  const companies = (await findAll(db, registers, nodes)).with(0, start);

  function describeEnd({ node, depth: at, register, number }: Node): OwnershipNode['end'] {
    if (number === null) return { reason: 'no_number', text: null };
    if (!expanded.has(node)) return { reason: at >= depth ? 'depth' : 'limit', text: null };
    if (direction === 'holdings' || owned.has(node)) return null;
    const row = absences.get(node);
    if (row === undefined) {
      if (companies[node] === undefined) return { reason: 'not_found', text: null };
      return { reason: leavesOutPersons(register) ? 'persons_not_kept' : 'not_in_files', text: null };
    }
    const { absence, kind, name, roleText } = JSON.parse(row.content) as PartyContent;
    if (absence !== null) return { reason: ABSENCES[absence.reason] ?? 'not_disclosed', text: absence.text };
    if (kind === 'person') return { reason: 'person', text: roleText };
    return { reason: 'no_number', text: kind === 'organisation' ? name : roleText };
  }

  return {
    nodes: nodes.map((node) => {
      const { id = null, name = null, countryCode = null, status = null } = companies[node.node] ?? NO_RECORD;
      const { node: index, depth: at, register, number } = node;
      return {
        node: index,
        depth: at,
        register,
        number,
        entityId: id,
        name,
        countryCode,
        status,
        end: describeEnd(node),
      };
    }),
    links: links.map((link) => toLink(link, readContent(link.row), cyclic.has(link), files.get(link.row.fileId))),
    truncated,
  };
}

/** A company that is not in the store. */
const NO_RECORD: Partial<Company> = {};

/** What a link shows of the content of its row. */
type Shown = Pick<PartyContent, 'roleText' | 'interests'>;

/**
 * Most rows differ only in who the party is: what they have in common is parsed once. A quote inside of a text is escaped, so what is
 * searched for are keys, in the order in which they are written.
 */
function createContentReader(): (row: LinkRow) => Shown {
  const known = new Map<string, Shown>();
  return ({ content }) => {
    const common = content.slice(0, content.indexOf(',"kind":')) + content.slice(content.lastIndexOf(',"interests":'));
    return known.getOrInsertComputed(common, () => JSON.parse(common) as Shown);
  };
}

function toLink({ company, party, row }: FoundLink, shown: Shown, inCycle: boolean, file: PartyFile | undefined) {
  const { roleText, interests } = shown;
  const { role, from, until, place } = row;
  const source = { file: file?.file ?? '', hash: file?.hash ?? '', row: place };
  return { company, party, role, roleText, interests, from, until, inCycle, source } satisfies OwnershipLink;
}

/** The companies in the store, by node. */
async function findAll(db: Reads, registers: ReadonlyMap<string, Register>, nodes: readonly Node[]) {
  const found: (Omit<Company, 'number'> | undefined)[] = new Array(nodes.length);
  for (const [id, ofRegister] of Map.groupBy(nodes, ({ register }) => register)) {
    const register = registers.get(id);
    if (register === undefined) continue;
    const companies = await findCompanies(
      db,
      register,
      ofRegister.flatMap(({ number }) => number ?? []),
    );
    for (const { node, number } of ofRegister) found[node] = companies.get(number ?? '');
  }
  return found;
}
