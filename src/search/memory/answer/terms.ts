import { fold } from '../../../base/fold.ts';
import { findActivityKeys, type NumberFragment, parseNumberFragment } from '../../../base/search-keys.ts';
import { readVatNumber } from '../../../registers/vat-numbers.ts';
import type { SearchQuery } from '../../search.ts';
import { listWords } from '../../words.ts';

type Filters = Omit<SearchQuery, 'q' | 'words' | 'activity' | 'activityType' | 'sort' | 'page' | 'pageSize'>;

/** What a query looks for, parsed once for the base and all segments. */
export interface Terms extends Filters, Fragment {
  /** All pages of a query have the same key, in any order of results. */
  readonly key: string;
  /** Keys of the activity: for its codes and labels, and for values as written. */
  readonly activityKeys: readonly string[] | undefined;
  /** The distinct words, in the order of the query. */
  readonly words: readonly Fragment[];
  /** The whole text of the words, folded. */
  readonly asked: string;
}

/** A text to find in names and numbers. */
export interface Fragment {
  readonly folded: string;
  readonly number: NumberFragment;
  readonly vat: ReturnType<typeof readVatNumber>;
}

export function readTerms(query: SearchQuery): Terms {
  const { q, words, activity, activityType, sort, page, pageSize, ...filters } = query;
  const folded = fold(q.toWellFormed());
  const asked = fold(words.toWellFormed());
  return {
    ...filters,
    key: JSON.stringify([folded, asked, filters, activity, activityType]),
    activityKeys: activity === undefined ? undefined : findActivityKeys(activityType, activity),
    ...readFragment(folded),
    words: [...new Set(listWords(asked))].map(readFragment),
    asked,
  };
}

function readFragment(folded: string): Fragment {
  return { folded, number: parseNumberFragment(folded), vat: readVatNumber(folded) };
}
