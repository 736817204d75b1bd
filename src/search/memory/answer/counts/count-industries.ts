import type { Choice } from '../../../choices.ts';
import { toChoices } from '../../../facets.ts';
import { GROUP_SHIFT, industries, industriesOf, NEW_SECTION } from '../../industries.ts';
import type { SearchIndex } from '../../search-index.ts';
import type { Hits } from '../hits.ts';
import { readInSteps, type Steps } from '../steps.ts';

/** Counts the hits of all indexes in each section and division of ISIC. A company with several activities in one counts once. */
export function* countIndustries(
  parts: readonly { readonly index: SearchIndex }[],
  hits: readonly Hits[],
): Steps<Choice[]> {
  const counts = new Uint32Array(industries.length);
  for (const [part, { index }] of parts.entries()) yield* addHits(index, hits[part] as Hits, counts);
  return toChoices(industries.flatMap((code, at) => (counts[at] ? [[code, counts[at]] as const] : [])));
}

function* addHits({ arrays, texts }: SearchIndex, hits: Hits, counts: Uint32Array): Steps<void> {
  const { otherIndustryStarts: starts, otherIndustryDocs: lastBytes, otherIndustries: others } = arrays;
  const mains = arrays['summary.isic'];
  const add = (industry: number, count: number) => {
    counts[industry] = (counts[industry] as number) + count;
  };
  const ofMain = new Uint32Array(texts.columns.isic.length);
  const ofOthers = new Uint32Array(2 * NEW_SECTION);
  yield* readInSteps(hits, (docs) => {
    let [group, at, end] = [-1, 0, 0];
    for (let hit = 0; hit < docs.length; hit++) {
      const doc = docs[hit] as number;
      const main = mains[doc] as number;
      ofMain[main] = (ofMain[main] as number) + 1;
      if (doc >>> GROUP_SHIFT !== group) {
        group = doc >>> GROUP_SHIFT;
        at = starts[group] as number;
        end = starts[group + 1] as number;
      }
      const lastByte = doc & 0xff;
      for (; at < end && (lastBytes[at] as number) <= lastByte; at++) {
        if (lastBytes[at] !== lastByte) continue;
        const other = others[at] as number;
        ofOthers[other] = (ofOthers[other] as number) + 1;
      }
    }
  });
  for (const [number, count] of ofMain.entries()) {
    const code = count === 0 ? null : texts.columns.isic.at(number);
    if (code !== null) for (const industry of industriesOf(code)) add(industry, count);
  }
  for (const [industry, code] of industries.entries()) {
    const withSection = ofOthers[industry | NEW_SECTION] as number;
    add(industry, (ofOthers[industry] as number) + withSection);
    if (withSection > 0) add(industriesOf(code)[0] as number, withSection);
  }
}
