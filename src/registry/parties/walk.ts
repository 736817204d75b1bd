import type { Db } from '../../base/db/db.ts';
import { runWithBreaks, takeBreakIfDue } from '../../base/system/event-loop.ts';
import type { Register } from '../../registers/contract.ts';
import type { StoredFile } from '../records/imports/store.ts';
import { loadCompanies, type Subject } from './companies/store.ts';
import * as store from './store.ts';

/** The most companies of an answer. The largest groups have more companies. */
export const MAX_NODES = 1_000;
/** The most links of an answer, including the reasons for having no owner. A company seldom has more than two links to owners. */
export const MAX_LINKS = 4 * MAX_NODES;
/** Links are read and added in parts, with breaks in between: about this many links of at most this many companies per part. */
const LINKS_AT_ONCE = 500;
const COMPANIES_AT_ONCE = 128;

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
  limit: 'the chain may go on: the answer has as many companies or links as possible',
} as const;
export type EndReason = keyof typeof endReasons;

/** The reasons of sources for an unnamed owner (`absenceReasons`) that end a chain under another name. Other reasons have the same name. */
const RENAMED: Readonly<Record<string, EndReason>> = { persons: 'person', statement: 'not_disclosed' };

export interface OwnershipNode {
  readonly node: number;
  readonly depth: number;
  readonly register: string;
  readonly number: string | null;
  readonly entityId: string | null;
  readonly name: string | null;
  readonly countryCode: string | null;
  readonly status: string | null;
  /** Why the chain ends here. `text` is in the words of the source. Null if the chain goes on. */
  readonly end: { readonly reason: EndReason; readonly text: string | null } | null;
}

export interface OwnershipLink extends Edge {
  readonly role: string;
  readonly roleText: string;
  readonly interests: store.PartyContent['interests'];
  readonly from: string | null;
  readonly until: string | null;
  readonly inCycle: boolean;
  readonly source: { readonly file: string; readonly hash: string; readonly row: number };
}

export interface Ownership {
  readonly nodes: readonly OwnershipNode[];
  readonly links: readonly OwnershipLink[];
  readonly truncated: boolean;
}

/** A node whose values are set when all links are known. Objects are created once, because an answer has thousands of objects. */
type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

interface WalkOptions {
  readonly direction: store.Direction;
  readonly depth: number;
  mayRead(register: string): boolean;
  /** Whether files of the register name natural persons who are not stored. */
  leavesOutPersons(register: string): boolean;
  readonly visible: store.Visible;
}

/** Follows links between companies, level by level, through registers that `mayRead`. Each company is expanded once, so a cycle ends. */
export async function walkOwnership(
  db: Db,
  registers: ReadonlyMap<string, Register>,
  start: Subject,
  { direction, depth, mayRead, leavesOutPersons, visible }: WalkOptions,
): Promise<Ownership> {
  const nodes: Writable<OwnershipNode>[] = [];
  const links: Writable<OwnershipLink>[] = [];
  const byNumber = new Map<string, Map<string | null, number>>();
  const files = new Map<number, StoredFile>();
  const parseShown = createContentParser();
  /** By node: the content of the first row without a party, and whether the node has owners. */
  const absences = new Map<number, string>();
  const isOwned: boolean[] = [];
  const isRead: boolean[] = [];
  let expanded = 0;
  let companiesRead = 0;
  /** Below zero if there are more links than `MAX_LINKS`. */
  let linksLeft = MAX_LINKS;
  let truncated = false;

  function place(register: string, number: string | null, level: number): number | undefined {
    const ofRegister = byNumber.getOrInsertComputed(register, () => new Map());
    const known = ofRegister.get(number);
    if (known !== undefined || nodes.length === MAX_NODES) return known;
    const node = nodes.length;
    ofRegister.set(number, node);
    const unknown = { entityId: null, name: null, countryCode: null, status: null, end: null };
    nodes.push({ node, depth: level, register, number, ...unknown });
    return node;
  }

  function add(given: number, row: store.LinkRow, level: number): void {
    const number = row[1];
    const register = row[2];
    const content = row[6];
    if (register === null || number === null) {
      // The reason for the direct parent comes first.
      if (!absences.has(given)) absences.set(given, content);
      return;
    }
    const other = place(register, number, level);
    if (other === undefined) {
      truncated = true;
      return;
    }
    const isUp = direction === 'owners';
    const company = isUp ? given : other;
    const { roleText, interests } = parseShown(content);
    const file = files.get(row[7]);
    isOwned[company] = true;
    links.push({
      company,
      party: isUp ? other : given,
      role: row[3],
      roleText,
      interests,
      from: row[4],
      until: row[5],
      inCycle: false,
      source: { file: file?.name ?? '', hash: file?.hash ?? '', row: row[8] },
    });
  }

  place(start.register, start.number, 0);
  for (let level = 1; level <= depth && expanded < nodes.length && !truncated; level++) {
    const frontier = nodes.slice(expanded).filter(({ number }) => number !== null);
    expanded = nodes.length;
    for (const [register, ofRegister] of Map.groupBy(frontier, (node) => node.register)) {
      if (!mayRead(register)) continue;
      ofRegister.sort((a, b) => ((a.number as string) < (b.number as string) ? -1 : 1));
      const rows = await loadLinks(register, ofRegister);
      store.sortLinks(direction, rows);
      const fileIds = rows.map((row) => row[7]);
      await store.findPartyFiles(db, fileIds, files);
      for (let from = 0; from < rows.length; from += LINKS_AT_ONCE) {
        await takeBreakIfDue();
        rows.slice(from, from + LINKS_AT_ONCE).forEach((row) => {
          add((ofRegister[row[0]] as OwnershipNode).node, row, level);
        });
      }
    }
  }

  async function loadLinks(register: string, companies: readonly OwnershipNode[]): Promise<store.LinkRow[]> {
    const rows: store.LinkRow[] = [];
    for (let first = 0; first < companies.length && linksLeft >= 0; ) {
      await takeBreakIfDue();
      // The number of companies that likely have `LINKS_AT_ONCE` links, judged by the companies before.
      const likely = Math.ceil((LINKS_AT_ONCE * companiesRead) / Math.max(1, MAX_LINKS - linksLeft));
      const part = companies.slice(first, first + Math.max(1, Math.min(COMPANIES_AT_ONCE, likely)));
      const numbers = part.map(({ number }) => number as string);
      const found = await store.findLinks(db, direction, register, numbers, { first, limit: linksLeft + 1, visible });
      const [next] = found[linksLeft] ?? [first + part.length];
      for (const { node } of part.slice(0, next - first)) isRead[node] = true;
      rows.push(...found.slice(0, linksLeft));
      linksLeft -= found.length;
      companiesRead += part.length;
      first += part.length;
    }
    truncated ||= linksLeft < 0;
    return rows;
  }

  function describeEnd({ node, depth: at, register, number, entityId }: OwnershipNode): OwnershipNode['end'] {
    if (number === null) return { reason: 'no_number', text: null };
    if (direction === 'owners' && isOwned[node]) return null;
    if (!isRead[node]) return { reason: at >= depth ? 'depth' : 'limit', text: null };
    if (direction === 'holdings') return null;
    const content = absences.get(node);
    if (content === undefined) {
      if (entityId === null) return { reason: 'not_found', text: null };
      return { reason: leavesOutPersons(register) ? 'persons_not_kept' : 'not_in_files', text: null };
    }
    const { absence, kind, name, roleText } = JSON.parse(content) as store.PartyContent;
    if (absence !== null) {
      return { reason: RENAMED[absence.reason] ?? (absence.reason as EndReason), text: absence.text };
    }
    if (kind === 'person') return { reason: 'person', text: roleText };
    return { reason: 'no_number', text: kind === 'organisation' ? name : roleText };
  }

  await takeBreakIfDue();
  const find = await loadCompanies(db, registers, nodes);
  await takeBreakIfDue();
  for (const node of nodes) {
    const company = node.node === 0 ? start : find(node.register, node.number);
    if (company !== undefined) {
      node.entityId = company.id;
      node.name = company.name;
      node.countryCode = company.countryCode;
      node.status = company.status;
    }
    node.end = describeEnd(node);
  }
  for (const link of await runWithBreaks(findCycles(links))) link.inCycle = true;
  return { nodes, links, truncated };
}

type Shown = Pick<store.PartyContent, 'roleText' | 'interests'>;

/**
 * Most rows differ only in who the party is: the first and last part of the content, which many rows share, are parsed once. A quote inside
 * of a text is escaped, so the search finds only keys, in the order in which keys are written.
 */
function createContentParser(): (content: string) => Shown {
  const known = new Map<string, Shown>();
  const parse = (json: string): Shown => {
    const { roleText, interests } = JSON.parse(json) as Shown;
    return { roleText, interests: store.completeInterests(interests) };
  };
  return (content) => {
    const first = content.slice(0, content.indexOf(',"kind":'));
    return known.getOrInsertComputed(first + content.slice(content.lastIndexOf(',"interests":')), parse);
  };
}

export interface Edge {
  readonly company: number;
  /** The node that owns `company`. */
  readonly party: number;
}

/** The edges that are part of a cycle: from the party of such an edge, owners of owners lead back to its company. */
export function* findCycles<E extends Edge>(edges: readonly E[]): Generator<undefined, ReadonlySet<E>> {
  const byCompany = Map.groupBy(edges, ({ company }) => company);
  const found = new Set<E>();
  for (const [start, owned] of Map.groupBy(edges, ({ party }) => party)) {
    const reached = new Set([start]);
    for (const node of reached) for (const { party } of byCompany.get(node) ?? []) reached.add(party);
    for (const edge of owned) if (reached.has(edge.company)) found.add(edge);
    yield;
  }
  return found;
}
