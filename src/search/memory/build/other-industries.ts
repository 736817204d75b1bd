import { GROUP_SHIFT, industries, industriesOf, NEW_SECTION } from '../industries.ts';
import { type Narrow, sharedBytes, sharedNumbers } from '../shared-arrays.ts';
import { GrowingNumbers, type OffsetArray } from './growing-arrays.ts';

/** The activities of each row, and the ISIC code of each activity as a number in `codes`. */
interface RowCodes {
  readonly codes: readonly (string | null)[];
  readonly activities: Uint32Array;
  readonly starts: OffsetArray;
  codeOf(activity: number): number;
}

/** The industries of each document besides that of its main activity, of which `mains` has the code. `order` has the row of each. */
export function layOutOtherIndustries(
  { codes, activities, starts, codeOf }: RowCodes,
  mains: Narrow,
  order: Uint32Array,
) {
  const parents = codes.map((code) => (code === null ? [] : industriesOf(code)));
  /** The last byte of the document, and the industry. */
  const entries = new GrowingNumbers();
  const otherIndustryStarts = sharedNumbers((order.length >>> GROUP_SHIFT) + 2);
  /** The last document with each industry, plus one. */
  const seen = new Uint32Array(industries.length);
  for (let doc = 0; doc < order.length; doc++) {
    const row = order[doc] as number;
    const [from, to] = [starts[row] as number, starts[row + 1] as number];
    // A single activity is the main one.
    if (to - from >= 2) {
      for (const industry of parents[mains[doc] as number] as readonly number[]) seen[industry] = doc + 1;
      for (let at = from; at < to; at++) {
        const [section, division] = parents[codeOf(activities[at] as number)] as readonly number[];
        if (section === undefined) continue;
        const isNew = seen[section] !== doc + 1;
        seen[section] = doc + 1;
        if (division === undefined ? !isNew : seen[division] === doc + 1) continue;
        if (division !== undefined) seen[division] = doc + 1;
        entries.push(((doc & 0xff) << 8) | (division ?? section) | (isNew && division !== undefined ? NEW_SECTION : 0));
      }
    }
    otherIndustryStarts[(doc >>> GROUP_SHIFT) + 1] = entries.length;
  }
  const [otherIndustryDocs, otherIndustries] = [sharedBytes(entries.length), sharedBytes(entries.length)];
  for (let at = 0; at < entries.length; at++) {
    const entry = entries.values[at] as number;
    otherIndustryDocs[at] = entry >>> 8;
    otherIndustries[at] = entry;
  }
  return { otherIndustryStarts, otherIndustryDocs, otherIndustries };
}
