import type { OwnershipAnswer } from './parties.ts';
import type { OwnershipLink, OwnershipNode } from './walk.ts';

/** A company in a tree, with its relation to the company above it. */
export interface Place extends Omit<Merged, 'company' | 'party'> {
  readonly node: OwnershipNode;
  /** Empty if the company is already in the tree. */
  readonly next: readonly Place[];
  readonly isRepeated: boolean;
}

interface Merged extends Pick<OwnershipLink, 'company' | 'party' | 'from' | 'inCycle' | 'interests'> {
  readonly roles: readonly string[];
  /** Whether the link is only to the ultimate parent: the companies in between are unknown. */
  readonly isIndirect: boolean;
}

/** `far` is the end of a link that leads away from the company. Each company is followed once, so a cycle ends. */
export function growTree({ nodes, links }: OwnershipAnswer, far: 'party' | 'company'): Place[] {
  const near = far === 'party' ? 'company' : 'party';
  const byNear = Map.groupBy(dropShortcuts(mergeLinks(links)), (link) => link[near]);
  const seen = new Set<number>();
  const grow = (at: number): Place[] => {
    seen.add(at);
    const sorted = (byNear.get(at) ?? []).toSorted((a, b) => Number(a.isIndirect) - Number(b.isIndirect));
    return sorted.flatMap((link) => {
      const node = nodes[link[far]];
      if (node === undefined) return [];
      const isRepeated = seen.has(node.node);
      return { ...link, node, isRepeated, next: isRepeated ? [] : grow(node.node) };
    });
  };
  return grow(0);
}

/** One link for all rows between the same two companies: often a parent is the ultimate parent, too. */
function mergeLinks(links: readonly OwnershipLink[]): Merged[] {
  return [...Map.groupBy(links, ({ company, party }) => `${company} ${party}`).values()].map((same) => {
    const [{ company, party, inCycle }] = same as [OwnershipLink];
    const roles = [...new Set(same.map(({ role }) => role))];
    const isIndirect = roles.every((role) => role === 'ultimate_parent');
    const from = same.find((link) => link.from !== null)?.from ?? null;
    return { company, party, inCycle, from, roles, isIndirect, interests: same.flatMap(({ interests }) => interests) };
  });
}

/** A link to the ultimate parent adds nothing if other links lead to the same company. */
function dropShortcuts(links: readonly Merged[]): Merged[] {
  const direct = links.filter(({ isIndirect }) => !isIndirect);
  const owners = Map.groupBy(direct, ({ company }) => company);
  return links.filter((link) => {
    if (!link.isIndirect) return true;
    const reached = new Set([link.company]);
    for (const company of reached) for (const { party } of owners.get(company) ?? []) reached.add(party);
    return !reached.has(link.party);
  });
}
