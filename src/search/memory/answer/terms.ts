import { fold } from '../../../base/fold.ts';
import { findActivityKeys, type NumberFragment, parseNumberFragment } from '../../../base/search-keys.ts';
import { readVatNumber } from '../../../registers/vat-numbers.ts';
import type { SearchQuery } from '../../search.ts';

type Filters = Omit<SearchQuery, 'q' | 'activity' | 'activityType' | 'sort' | 'page' | 'pageSize'>;

/** What a query looks for, read once for all indexes that are searched. */
export interface Terms extends Filters {
  /** The same for all pages of a query, in any order. */
  readonly key: string;
  /** Keys of the activity: for its codes and labels, and for values as written. */
  readonly activityKeys: readonly string[] | undefined;
  readonly folded: string;
  /** What is looked for in numbers. */
  readonly number: NumberFragment;
  readonly vat: ReturnType<typeof readVatNumber>;
}

export function readTerms(query: SearchQuery): Terms {
  const { q, activity, activityType, sort, page, pageSize, ...filters } = query;
  const folded = fold(q.toWellFormed());
  return {
    ...filters,
    key: JSON.stringify([folded, filters, activity, activityType]),
    activityKeys: activity === undefined ? undefined : findActivityKeys(activityType, activity),
    folded,
    number: parseNumberFragment(folded),
    vat: readVatNumber(folded),
  };
}
