import { type Narrow, type Offsets, sharedNumbers, sharedOffsets } from '../shared-arrays.ts';
import type { OffsetArray } from './growing-arrays.ts';

/** For every group (a word, a group of a bridge, a gram, an activity) its documents, ascending, without repeats. */
export interface Postings {
  readonly starts: Offsets;
  readonly docs: Uint32Array<SharedArrayBuffer>;
}

/** Lists of groups: the list of each row, and after the last one where it ends. */
export interface GroupLists {
  readonly groups: Uint32Array;
  readonly starts: OffsetArray;
}

/**
 * Turns lists of groups per document into lists of documents per group. The first pass counts, so that each list gets
 * its exact room; the second fills. With `rows`, the lists are those of rows, and `rows` has the row of each document.
 */
export function invert({ groups, starts: listStarts }: GroupLists, groupCount: number, rows?: Uint32Array): Postings {
  const listCount = listStarts.length - 1;
  const lengths = new Uint32Array(groupCount);
  // A group that occurs several times in one list counts once.
  const latest = new Uint32Array(groupCount).fill(NONE);
  for (let list = 0; list < listCount; list++) {
    const end = listStarts[list + 1] as number;
    for (let at = listStarts[list] as number; at < end; at++) {
      const group = groups[at] as number;
      if (latest[group] === list) continue;
      latest[group] = list;
      lengths[group] = (lengths[group] as number) + 1;
    }
  }
  const starts = addUp(lengths);
  const docs = sharedNumbers(starts[groupCount] as number);
  const next = starts.slice(0, groupCount);
  latest.fill(NONE);
  for (let doc = 0; doc < listCount; doc++) {
    const list = rows === undefined ? doc : (rows[doc] as number);
    const end = listStarts[list + 1] as number;
    for (let at = listStarts[list] as number; at < end; at++) {
      const group = groups[at] as number;
      if (latest[group] === doc) continue;
      latest[group] = doc;
      const place = next[group] as number;
      next[group] = place + 1;
      docs[place] = doc;
    }
  }
  return { starts, docs };
}

const NONE = 0xffffffff;

/** The same if each document has exactly one group. */
export function invertColumn(groups: Narrow, groupCount: number): Postings {
  const lengths = new Uint32Array(groupCount);
  for (let doc = 0; doc < groups.length; doc++) {
    const group = groups[doc] as number;
    lengths[group] = (lengths[group] as number) + 1;
  }
  const starts = addUp(lengths);
  const next = starts.slice(0, groupCount);
  const docs = sharedNumbers(groups.length);
  for (let doc = 0; doc < groups.length; doc++) {
    const group = groups[doc] as number;
    const place = next[group] as number;
    next[group] = place + 1;
    docs[place] = doc;
  }
  return { starts, docs };
}

/** The start of each list, and the end of the last one. */
export function addUp(lengths: Uint32Array): Offsets {
  let total = 0;
  for (let group = 0; group < lengths.length; group++) total += lengths[group] as number;
  const starts = sharedOffsets(lengths.length + 1, total);
  for (let group = 0; group < lengths.length; group++) {
    starts[group + 1] = (starts[group] as number) + (lengths[group] as number);
  }
  return starts;
}

/** The same groups, with empty lists for those that `leaveOut` selects. */
export function withoutGroups(
  { starts, docs }: Postings,
  leaveOut: (group: number, length: number) => boolean,
): Postings {
  const groupCount = starts.length - 1;
  const lengthOf = (group: number) => (starts[group + 1] as number) - (starts[group] as number);
  const lengths = new Uint32Array(groupCount);
  for (let group = 0; group < groupCount; group++) {
    const length = lengthOf(group);
    lengths[group] = leaveOut(group, length) ? 0 : length;
  }
  const kept = addUp(lengths);
  const keptDocs = sharedNumbers(kept[groupCount] as number);
  for (let group = 0; group < groupCount; group++) {
    const at = kept[group] as number;
    const from = starts[group] as number;
    const length = lengths[group] as number;
    for (let index = 0; index < length; index++) keptDocs[at + index] = docs[from + index] as number;
  }
  return { starts: kept, docs: keptDocs };
}
