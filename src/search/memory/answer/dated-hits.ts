import { Marks } from '../marks.ts';
import type { SearchIndex } from '../search-index.ts';
import type { Hits } from './hits.ts';
import { MarkedHits } from './index-reader.ts';
import { readInSteps, type Steps } from './steps.ts';
import type { Terms } from './terms.ts';

/** Whether a query asks for days of registration. */
export function isDated({ registeredFrom, registeredTo }: Pick<Terms, 'registeredFrom' | 'registeredTo'>): boolean {
  return registeredFrom !== undefined || registeredTo !== undefined;
}

/**
 * The hits of one index that were registered on these days. A set per day would take 4 bytes per entity, and a range would unite
 * thousands of them; the hits are fewer or as many. The result is kept.
 */
export function* keepDated({ arrays, texts, entities }: SearchIndex, hits: Hits, terms: Terms): Steps<Hits> {
  const { registeredFrom = '', registeredTo = LAST } = terms;
  const isWanted = Uint8Array.from(texts.columns.registeredAt, (day) =>
    day !== null && day >= registeredFrom && day <= registeredTo ? 1 : 0,
  );
  const numbers = arrays['summary.registeredAt'];
  const marks = new Marks(entities);
  yield* readInSteps(hits, (docs) => {
    for (let at = 0; at < docs.length; at++) {
      const doc = docs[at] as number;
      if (isWanted[numbers[doc] as number] === 1) marks.add(doc);
    }
  });
  return new MarkedHits(marks).keep();
}

/** After every day. */
const LAST = '~';
