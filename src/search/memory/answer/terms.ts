import { fold } from '../../../core/fold.ts';
import { findActivityKeys, type NumberFragment, readNumberFragment } from '../../../core/search-keys.ts';
import { readVatNumber } from '../../../registers/vat-numbers.ts';
import type { SearchQuery } from '../../search.ts';

/** What a query looks for, read once for all indexes that are searched. */
export interface Terms
  extends Pick<
    SearchQuery,
    | 'country'
    | 'register'
    | 'status'
    | 'legalForm'
    | 'legalFormCode'
    | 'elf'
    | 'legalFormClass'
    | 'isic'
    | 'registeredFrom'
    | 'registeredTo'
  > {
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
  const { activity, activityType } = query;
  const { country, register, status, legalForm, legalFormCode, elf, legalFormClass, isic } = query;
  const { registeredFrom, registeredTo } = query;
  const forms = { legalForm, legalFormCode, elf, legalFormClass };
  const filters = { country, register, status, ...forms, isic, registeredFrom, registeredTo };
  const folded = fold(query.q.toWellFormed());
  return {
    ...filters,
    key: JSON.stringify([folded, filters, activity, activityType]),
    activityKeys: activity === undefined ? undefined : findActivityKeys(activityType, activity),
    folded,
    number: readNumberFragment(folded),
    vat: readVatNumber(folded),
  };
}
