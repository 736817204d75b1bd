import type { Clock } from '../core/clock.ts';
import { type ErrorCode, Failure } from '../core/errors.ts';
import { minuteWindow } from '../core/period.ts';
import { type GivenParameters, readSearchQuery } from '../search/read-query.ts';
import type { Search } from '../search/search.ts';
import { findPage } from './find-page.ts';
import type { Html } from './html.ts';
import { mistakeNotice, previewNotice } from './parts/limit-notices.ts';
import type { FoundPage } from './parts/results.ts';

/**
 * What visitors who are not signed in may search: a taste of the data, not a way to copy it. Counted in memory by
 * clock minute, by every serving thread for itself; nobody is charged.
 */
export interface PreviewLimits {
  readonly perAddress: number;
  readonly inTotal: number;
}

export const previewLimits: PreviewLimits = { perAddress: 30, inTotal: 600 };

/** First results a visitor is shown. */
const PREVIEW_SIZE = 5;

/** Why there are no results, in words and as the code whose status the page is sent with. */
export interface Refused {
  readonly kind: 'refused';
  readonly code: ErrorCode;
  readonly notice: Html;
}

export type Previewed = { readonly kind: 'preview'; readonly page: FoundPage } | Refused;

export type Preview = (address: string, given: GivenParameters) => Promise<Previewed>;

export interface PreviewServices {
  readonly search: Pick<Search, 'find' | 'isReady'>;
  readonly clock: Clock;
}

export function createPreview({ search, clock }: PreviewServices, limits: PreviewLimits): Preview {
  const take = createLimit(limits);
  return async (address, given) => {
    const query = readSearchQuery(given);
    const now = clock.now();
    const until = take(address, now);
    if (until !== undefined) {
      return { kind: 'refused', code: 'rate_limit_exceeded', notice: previewNotice(until - now) };
    }
    return { kind: 'preview', page: await findPage(search, { ...query, page: 1, pageSize: PREVIEW_SIZE }) };
  };
}

/** A mistake in the search is said on the page; anything else is an error like any other. */
export function explainMistake(error: unknown): Refused {
  if (!(error instanceof Failure) || error.code !== 'invalid_request') throw error;
  return { kind: 'refused', code: error.code, notice: mistakeNotice(error.message) };
}

/** Takes one search of the address; when there is none left, returns when there will be, epoch ms. */
function createLimit({ perAddress, inTotal }: PreviewLimits): (address: string, now: number) => number | undefined {
  let minute = 0;
  let total = 0;
  const byAddress = new Map<string, number>();
  return (address, now) => {
    const { start, end } = minuteWindow(now);
    if (start !== minute) {
      minute = start;
      total = 0;
      byAddress.clear();
    }
    const taken = byAddress.get(address) ?? 0;
    if (taken >= perAddress || total >= inTotal) return end;
    // At most `inTotal` addresses are remembered, for as many are let in.
    byAddress.set(address, taken + 1);
    total++;
    return undefined;
  };
}
