import type { CandidateName } from '../matching/candidates.ts';

/** The former and further names of a record, from its `registry` as JSON; none if that is empty. */
export function listOtherNames(registry: string): CandidateName[] {
  const { previousNames, otherNames } = JSON.parse(registry || '{}') as {
    previousNames?: unknown;
    otherNames?: unknown;
  };
  return [...listNames(previousNames, 'former'), ...listNames(otherNames, 'other')].slice(0, MAX_NAMES);
}

const MAX_NAMES = 100;

function listNames(list: unknown, kind: CandidateName['kind']): CandidateName[] {
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  return items.flatMap((item) => {
    const { name } = (item ?? {}) as { readonly name?: unknown };
    return typeof name === 'string' ? { text: name, kind } : [];
  });
}
