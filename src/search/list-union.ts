import type { Match } from './match.ts';
import { keep, mergeFew } from './sets.ts';

export type Test = (doc: number) => boolean;

/** Documents that are quicker to sort than to mark. */
const FEW = 4_096;

/**
 * Unites posting lists into one list where that is cheap: most fragments are one long list, that of the word itself, and a few
 * short ones. Writes to two buffers of its own, again and again, for memory fresh from the system costs more than filling
 * it: what it returns holds until the next query.
 */
export class ListUnion {
  readonly #buffers: readonly [Uint32Array, Uint32Array];

  constructor(docCount: number) {
    const room = docCount + 2 * FEW;
    this.#buffers = [new Uint32Array(room), new Uint32Array(room)];
  }

  /**
   * What is in any of the matches and passes the filter. Undefined where there is too much beside the longest list: that is a
   * case for marks.
   */
  unite(matches: readonly Match[], filter: Test | undefined): Uint32Array | undefined {
    let united: Uint32Array | undefined;
    for (const match of matches) {
      const list = this.#toList(match, filter, this.#otherThan(united));
      if (list === undefined) return undefined;
      if (united === undefined) united = list;
      else {
        const [long, short] = list.length > united.length ? [list, united] : [united, list];
        if (short.length > FEW) return undefined;
        united = mergeFew(long, short.slice(), this.#otherThan(long));
      }
    }
    return united;
  }

  keep(list: Uint32Array, passes: Test): Uint32Array {
    return keep(list, passes, this.#buffers.find(({ buffer }) => buffer === list.buffer) ?? this.#buffers[0]);
  }

  #otherThan(list: Uint32Array | undefined): Uint32Array {
    const [first, second] = this.#buffers;
    return list?.buffer === first.buffer ? second : first;
  }

  #toList({ ranges, docs, cost, check }: Match, filter: Test | undefined, into: Uint32Array): Uint32Array | undefined {
    let longest = 0;
    for (let range = 2; range < ranges.length; range += 2) {
      if (lengthOf(ranges, range) > lengthOf(ranges, longest)) longest = range;
    }
    const beside = cost - lengthOf(ranges, longest);
    if (beside > FEW) return undefined;
    let list = docs.subarray(ranges[longest], ranges[longest + 1]);
    if (beside > 0) list = mergeFew(list, gather(ranges, docs, longest, beside), into);
    const test = both(filter, check);
    return test === undefined ? list : keep(list, test, into);
  }
}

/** The second is the dearer one. */
export function both(first: Test | undefined, second: Test | undefined): Test | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return (doc) => first(doc) && second(doc);
}

function gather(ranges: readonly number[], docs: Uint32Array, except: number, count: number): Uint32Array {
  const few = new Uint32Array(count);
  let filled = 0;
  for (let range = 0; range < ranges.length; range += 2) {
    if (range === except) continue;
    for (let at = ranges[range] as number; at < (ranges[range + 1] as number); at++) few[filled++] = docs[at] as number;
  }
  return few;
}

function lengthOf(ranges: readonly number[], range: number): number {
  return (ranges[range + 1] as number) - (ranges[range] as number);
}
