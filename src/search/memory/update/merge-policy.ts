/**
 * Which segments are built again together with new documents. Every query asks every segment, so there should be few;
 * and every merge builds documents again, so an update should merge little. Sizes are those of the segments, the oldest
 * first; the result is how many of them are kept as they are.
 */

/** Fewer documents than this are built within a tenth of a second, so they are always merged. */
const SMALL = 4_096;
/** A segment is built again when those after it have grown to this part of it. */
const GROWTH = 8;
const MAX_SEGMENTS = 8;

/** For an update that must be served soon: merges at most as many documents as it adds. */
export function planUpdate(sizes: readonly number[], added: number): number {
  if (sizes.length >= MAX_SEGMENTS) return planCompaction(sizes, added);
  let budget = Math.max(added, SMALL);
  let kept = sizes.length;
  while (kept > 0 && (sizes[kept - 1] as number) <= budget) budget -= sizes[--kept] as number;
  return kept;
}

/**
 * For the time after an update: each segment is more than eight times as large as all after it, unless those are few. With
 * 5 million entities, an overlay of 5 % then has three segments at most, and a document is built about eight times until
 * it is in the largest one.
 */
export function planCompaction(sizes: readonly number[], added = 0): number {
  let after = added;
  let kept = sizes.length;
  for (let at = sizes.length - 1; at >= 0; at--) {
    if (after >= Math.max(SMALL, (sizes[at] as number) / GROWTH)) kept = at;
    after += sizes[at] as number;
  }
  return kept;
}
