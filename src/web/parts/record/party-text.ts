import type { ShownParty } from '../../../parties/parties.ts';
import { heldAsTexts } from '../../../registers/vocabulary-values.ts';

/** `ultimate_parent` → `Ultimate parent`. */
export function nameRole(role: string): string {
  return role.charAt(0).toUpperCase() + role.slice(1).replaceAll('_', ' ');
}

/** The first share, and how it is held if that is known: `25–50 %, in its own right and as a member of a firm`. Empty if neither is. */
export function describeHolding(interests: ShownParty['interests']): string {
  const ways = new Set(interests.map(({ heldAs }) => (heldAs === null ? 'in its own right' : nameWay(heldAs))));
  const isOwn = interests.every(({ heldAs }) => heldAs === null);
  return [...showShare(interests), ...(isOwn ? [] : [[...ways].join(' and ')])].join(', ');
}

function nameWay(heldAs: string): string {
  return Object.entries(heldAsTexts).find(([name]) => name === heldAs)?.[1] ?? heldAs;
}

/** The first share that is published, such as `25–50 %`. */
export function showShare(interests: ShownParty['interests']): string[] {
  for (const { share } of interests) {
    const { exact, min, max } = (share ?? {}) as { exact?: number; min?: number; max?: number };
    if (exact !== undefined) return [`${exact} %`];
    if (min !== undefined && max !== undefined) return [`${min}–${max} %`];
    if (min !== undefined) return [`${min} % or more`];
    if (max !== undefined) return [`up to ${max} %`];
  }
  return [];
}
