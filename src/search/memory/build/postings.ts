import { sharedNumbers } from '../shared-arrays.ts';

/**
 * Posting lists: for every group (a word, a group of a bridge, a gram, an activity) its documents, ascending and
 * without repeats.
 */
export interface Postings {
  readonly starts: Uint32Array<SharedArrayBuffer>;
  readonly docs: Uint32Array<SharedArrayBuffer>;
}

/**
 * Turns lists of groups per document into lists of documents per group. The first pass counts, so that each list gets
 * its exact room; the second fills. `latest` skips a group that occurs several times in one document.
 */
export function invert(groups: Uint32Array, listStarts: Uint32Array, docCount: number, groupCount: number): Postings {
  const starts = sharedNumbers(groupCount + 1);
  const latest = new Uint32Array(groupCount).fill(NONE);
  for (let doc = 0; doc < docCount; doc++) {
    for (let at = listStarts[doc] as number; at < (listStarts[doc + 1] as number); at++) {
      const group = groups[at] as number;
      if (latest[group] === doc) continue;
      latest[group] = doc;
      starts[group + 1] = (starts[group + 1] as number) + 1;
    }
  }
  for (let group = 1; group <= groupCount; group++) {
    starts[group] = (starts[group] as number) + (starts[group - 1] as number);
  }
  const docs = sharedNumbers(starts[groupCount] as number);
  const next = new Uint32Array(starts.subarray(0, groupCount));
  latest.fill(NONE);
  for (let doc = 0; doc < docCount; doc++) {
    for (let at = listStarts[doc] as number; at < (listStarts[doc + 1] as number); at++) {
      const group = groups[at] as number;
      if (latest[group] === doc) continue;
      latest[group] = doc;
      const end = next[group] as number;
      next[group] = end + 1;
      docs[end] = doc;
    }
  }
  return { starts, docs };
}

const NONE = 0xffffffff;

/** The same groups, with empty lists for those that `leaveOut` selects. */
export function withoutGroups(
  { starts, docs }: Postings,
  leaveOut: (group: number, length: number) => boolean,
): Postings {
  const groupCount = starts.length - 1;
  const lengthOf = (group: number) => (starts[group + 1] as number) - (starts[group] as number);
  const kept = sharedNumbers(groupCount + 1);
  for (let group = 0; group < groupCount; group++) {
    const length = lengthOf(group);
    kept[group + 1] = (kept[group] as number) + (leaveOut(group, length) ? 0 : length);
  }
  const keptDocs = sharedNumbers(kept[groupCount] as number);
  for (let group = 0; group < groupCount; group++) {
    const at = kept[group] as number;
    if ((kept[group + 1] as number) === at) continue;
    const from = starts[group] as number;
    const length = lengthOf(group);
    for (let index = 0; index < length; index++) keptDocs[at + index] = docs[from + index] as number;
  }
  return { starts: kept, docs: keptDocs };
}
