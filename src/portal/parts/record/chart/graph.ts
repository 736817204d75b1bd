import type { OwnershipAnswer, PartyList, ShownParty } from '../../../../registry/parties/parties.ts';
import { isOwnerRole } from '../../../../registry/parties/roles.ts';
import type { OwnershipLink, OwnershipNode } from '../../../../registry/parties/walk.ts';

/** What the chart shows: boxes in levels, and links between them. The company is level 0 and box 0, owners are above. */
export interface Chart {
  readonly boxes: readonly Box[];
  readonly links: readonly ChartLink[];
}

export interface Box {
  readonly level: number;
  readonly kind: 'company' | 'person' | 'more';
  /** Null for the number of boxes that were left out. */
  readonly name: string | null;
  readonly entityId: string | null;
  readonly countryCode: string | null;
  readonly status: string | null;
  readonly end: OwnershipNode['end'];
  /** How many it stands for, if it is of the kind `more`. */
  readonly count: number;
}

/** Box `party` owns box `company`. */
export interface ChartLink {
  readonly company: number;
  readonly party: number;
  readonly roles: readonly string[];
  readonly interests: ShownParty['interests'];
  readonly inCycle: boolean;
}

export interface ChartSource {
  readonly parties: PartyList;
  readonly owners: OwnershipAnswer;
  readonly holdings: OwnershipAnswer;
}

/** With the company, at most 28 boxes. The last one of each may say how many are left out. */
const MAX_OWNERS = 15;
const MAX_HOLDINGS = 12;

export function createChart({ parties, owners, holdings }: ChartSource): Chart {
  const others = listOthers(parties.parties, owners);
  const room = countShown(owners.nodes.length - 1 + others.length, MAX_OWNERS) + 1;
  const shown = owners.nodes.slice(0, room);
  const links = dropShortcuts(mergeLinks(owners.links.filter(({ company, party }) => company < room && party < room)));
  const levels = layer(shown, links);
  const boxes: Box[] = shown.map((node, index) => ({ ...describeNode(node), level: levels[index] as number }));
  const addBox = (box: Partial<Box> & Pick<Box, 'level'>) => boxes.push({ ...BLANK, ...box }) - 1;
  const addRest = (count: number, level: number) => {
    if (count <= 0) return;
    const rest = addBox({ level, kind: 'more', count });
    const ends = level > 0 ? { company: 0, party: rest } : { company: rest, party: 0 };
    links.push({ ...ends, roles: [], interests: [], inCycle: false });
  };
  for (const party of others.slice(0, room - shown.length)) {
    const { name, number, entityId, countryCode, role, interests } = party;
    const kind = party.kind === 'organisation' ? 'company' : 'person';
    const box = addBox({ level: 1, kind, name: name ?? number, entityId, countryCode });
    links.push({ company: 0, party: box, roles: [role], interests, inCycle: false });
  }
  addRest(owners.nodes.length + others.length - boxes.length, 1);
  const below = mergeLinks(holdings.links.filter(({ party, company }) => party === 0 && company !== 0));
  const fresh = below.filter(({ company }) => {
    const node = holdings.nodes[company];
    return !shown.some(({ register, number }) => number === node?.number && register === node.register);
  });
  const count = countShown(fresh.length, MAX_HOLDINGS);
  // Companies that name another parent as well come last.
  const sorted = fresh.toSorted((a, b) => Number(isUltimate(a)) - Number(isUltimate(b)));
  for (const link of sorted.slice(0, count)) {
    const node = holdings.nodes[link.company] as OwnershipNode;
    links.push({ ...link, company: addBox({ ...describeNode(node), level: -1, end: null }), inCycle: false });
  }
  addRest(fresh.length - count, -1);
  return { boxes, links };
}

const BLANK = {
  kind: 'company',
  name: null,
  entityId: null,
  countryCode: null,
  status: null,
  end: null,
  count: 1,
} as const;

function describeNode({ name, number, entityId, countryCode, status, end }: OwnershipNode) {
  return { ...BLANK, name: name ?? number, entityId, countryCode, status, end };
}

function countShown(count: number, max: number): number {
  return count > max ? max - 1 : count;
}

/** One link for all rows between the same two companies: often a parent is the ultimate parent, too. */
function mergeLinks(links: readonly OwnershipLink[]): ChartLink[] {
  return [...Map.groupBy(links, ({ company, party }) => `${company} ${party}`).values()].map((same) => {
    const [{ company, party, inCycle }] = same as [OwnershipLink];
    const interests = same.flatMap((link) => link.interests);
    return { company, party, roles: [...new Set(same.map(({ role }) => role))], interests, inCycle };
  });
}

const isUltimate = ({ roles }: ChartLink) => roles.every((role) => role === 'ultimate_parent');

/** A line to the ultimate parent says nothing new if other lines lead there. */
function dropShortcuts(links: readonly ChartLink[]): ChartLink[] {
  const direct = links.filter((link) => !isUltimate(link));
  const owners = Map.groupBy(direct, ({ company }) => company);
  return links.filter((link) => {
    if (!isUltimate(link)) return true;
    const reached = new Set([link.company]);
    for (const company of reached) for (const { party } of owners.get(company) ?? []) reached.add(party);
    return !reached.has(link.party);
  });
}

/** The level of each node: above everything that it owns. Links of a cycle count only as far as they led to the node. */
function layer(nodes: readonly OwnershipNode[], links: readonly ChartLink[]): number[] {
  const levels = nodes.map(({ depth }) => depth);
  for (let isStable = false; !isStable; ) {
    isStable = true;
    for (const { company, party, inCycle } of links) {
      const lowest = (levels[company] as number) + 1;
      if (inCycle || (levels[party] as number) >= lowest) continue;
      levels[party] = lowest;
      isStable = false;
    }
  }
  return levels;
}

/** Owners that are no companies with a number, such as persons: no chain leads through them. */
function listOthers(parties: readonly ShownParty[], { nodes, links }: OwnershipAnswer): ShownParty[] {
  const direct = links.filter(({ company }) => company === 0).map(({ party }) => nodes[party]);
  return parties.filter(({ role, absence, number, entityId }) => {
    if (!isOwnerRole(role) || absence !== null) return false;
    return !direct.some((node) => (entityId === null ? node?.number === number : node?.entityId === entityId));
  });
}
