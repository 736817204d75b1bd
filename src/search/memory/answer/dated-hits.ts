import { Marks } from '../marks.ts';
import type { SearchIndex } from '../search-index.ts';
import type { Hits } from './hits.ts';
import { MarkedHits } from './index-reader.ts';
import { readInSteps, type Steps } from './steps.ts';
import type { Terms } from './terms.ts';
import { findPlace, orderOf, readDay } from './value-order.ts';

/** Whether a query asks for days of registration. */
export function isDated({ registeredFrom, registeredTo }: Pick<Terms, 'registeredFrom' | 'registeredTo'>): boolean {
  return registeredFrom !== undefined || registeredTo !== undefined;
}

/**
 * The hits of one index that were registered on these days. A set per day would take 4 bytes per entity, and a range would unite
 * thousands of them; the hits are fewer or as many. The result is kept.
 */
export function* keepDated(index: SearchIndex, hits: Hits, terms: Terms): Steps<Hits> {
  const { registeredFrom = FIRST, registeredTo = LAST } = terms;
  const { sorted, places } = orderOf(index, 'registeredAt');
  const from = findPlace(sorted, readDay(registeredFrom));
  const to = findPlace(sorted, readDay(registeredTo) + 1);
  const numbers = index.arrays['summary.registeredAt'];
  const marks = new Marks(index.entities);
  yield* readInSteps(hits, (docs) => {
    for (let at = 0; at < docs.length; at++) {
      const doc = docs[at] as number;
      const place = places[numbers[doc] as number] as number;
      if (place >= from && place < to) marks.add(doc);
    }
  });
  return new MarkedHits(marks).keep();
}

/** Before and after every day. No date sorts before all of them. */
const [FIRST, LAST] = ['0000-00-00', '9999-99-99'];
