import type { ShownParty } from '../../../parties/parties.ts';

/** `ultimate_parent` → `Ultimate parent`. */
export function nameRole(role: string): string {
  return role.charAt(0).toUpperCase() + role.slice(1).replaceAll('_', ' ');
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
