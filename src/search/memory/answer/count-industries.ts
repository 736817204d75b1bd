import type { Choice } from '../../choices.ts';
import { toChoices } from '../../facets.ts';
import { industries, industriesOf, NEW_SECTION } from '../industries.ts';
import type { SearchIndex } from '../search-index.ts';
import type { Hits } from './hits.ts';
import { readInSteps, type Steps } from './steps.ts';
import { firstNotBelow } from './words.ts';

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
  const { otherIndustryDocs: docsOfOthers, otherIndustries: others, 'summary.isic': mains } = arrays;
  const add = (industry: number, count: number) => {
    counts[industry] = (counts[industry] as number) + count;
  };
  const ofMain = new Uint32Array(texts.columns.isic.length);
  const ofOthers = new Uint32Array(2 * NEW_SECTION);
  // Both lists ascend. If there are few hits, most entries of the other one are skipped.
  const isSparse = hits.size * 16 < docsOfOthers.length;
  let at = 0;
  yield* readInSteps(hits, (docs) => {
    for (let hit = 0; hit < docs.length; hit++) {
      const doc = docs[hit] as number;
      const main = mains[doc] as number;
      ofMain[main] = (ofMain[main] as number) + 1;
      if (isSparse) at = firstNotBelow(docsOfOthers.length, (entry) => (docsOfOthers[entry] as number) < doc, at);
      else while ((docsOfOthers[at] as number) < doc) at++;
      for (; docsOfOthers[at] === doc; at++) {
        const other = others[at] as number;
        ofOthers[other] = (ofOthers[other] as number) + 1;
      }
    }
  });
  for (const [number, code] of texts.columns.isic.entries()) {
    if (code !== null) for (const industry of industriesOf(code)) add(industry, ofMain[number] as number);
  }
  for (const [industry, code] of industries.entries()) {
    const withSection = ofOthers[industry | NEW_SECTION] as number;
    add(industry, (ofOthers[industry] as number) + withSection);
    if (withSection > 0) add(industriesOf(code)[0] as number, withSection);
  }
}
