import { industries, industriesOf, NEW_SECTION } from '../industries.ts';
import { type Narrow, sharedBytes, shareNumbers } from '../shared-arrays.ts';
import { GrowingNumbers, type OffsetArray } from './growing-arrays.ts';

/** The numbers of ISIC codes of each row, and the code of each number. */
interface RowCodes {
  readonly codes: readonly (string | null)[];
  readonly numbers: Uint32Array;
  readonly starts: OffsetArray;
  /** The number of the code of an entry of `numbers`. */
  codeOf(entry: number): number;
}

/** The industries of each document besides that of its main activity, of which `mains` has the code. `order` has the row of each. */
export function layOutOtherIndustries({ codes, numbers, starts, codeOf }: RowCodes, mains: Narrow, order: Uint32Array) {
  const parents = codes.map((code) => (code === null ? [] : industriesOf(code)));
  const [docs, found] = [new GrowingNumbers(), new GrowingNumbers()];
  /** The last document with each industry, plus one. */
  const seen = new Uint32Array(industries.length);
  for (let doc = 0; doc < order.length; doc++) {
    const row = order[doc] as number;
    const [from, to] = [starts[row] as number, starts[row + 1] as number];
    // A single activity is the main one.
    if (to - from < 2) continue;
    for (const industry of parents[mains[doc] as number] as readonly number[]) seen[industry] = doc + 1;
    for (let at = from; at < to; at++) {
      const [section, division] = parents[codeOf(numbers[at] as number)] as readonly number[];
      if (section === undefined) continue;
      const isNew = seen[section] !== doc + 1;
      seen[section] = doc + 1;
      if (division === undefined ? !isNew : seen[division] === doc + 1) continue;
      if (division !== undefined) seen[division] = doc + 1;
      docs.push(doc);
      found.push(division === undefined ? section : division | (isNew ? NEW_SECTION : 0));
    }
  }
  const otherIndustries = sharedBytes(found.length);
  otherIndustries.set(found.values.subarray(0, found.length));
  return { otherIndustryDocs: shareNumbers(docs.values.subarray(0, docs.length)), otherIndustries };
}
