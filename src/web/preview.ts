import type { Clock } from '../core/clock.ts';
import { type Deadline, startDeadline } from '../core/deadline.ts';
import { type ErrorCode, Failure } from '../core/errors.ts';
import { minuteWindow } from '../core/period.ts';
import { type GivenParameters, readSearchQuery } from '../search/parameters.ts';
import type { Search } from '../search/search.ts';
import { findPage } from './find-page.ts';
import type { Html } from './html.ts';
import { mistakeNotice, previewNotice } from './parts/limit-notices.ts';
import type { FoundPage } from './parts/results.ts';

/**
 * Limits on searches by visitors who are not signed in, per clock minute. They keep the preview from being used to copy
 * the data. Counted in memory by each serving thread, and never charged to an account.
 */
export interface PreviewLimits {
  readonly perAddress: number;
  readonly inTotal: number;
}

export const previewLimits: PreviewLimits = { perAddress: 30, inTotal: 600 };

/** How many results a visitor sees. */
const PREVIEW_SIZE = 5;

/** All visitors count as one account, so that their searches leave connections to the accounts. */
const VISITORS = 'visitors';

/** A search that was not run: the notice to show, and the error code whose status the page is sent with. */
export interface Refused {
  readonly kind: 'refused';
  readonly code: ErrorCode;
  readonly notice: Html;
}

export type Previewed = { readonly kind: 'preview'; readonly page: FoundPage } | Refused;

export type Preview = (address: string, given: GivenParameters, deadline?: Deadline) => Promise<Previewed>;

export interface PreviewServices {
  readonly search: Pick<Search, 'find'>;
  readonly clock: Clock;
}

export function createPreview({ search, clock }: PreviewServices, limits: PreviewLimits): Preview {
  const take = createLimit(limits);
  return async (address, given, deadline = startDeadline()) => {
    const query = readSearchQuery(given);
    const now = clock.now();
    const until = take(address, now);
    if (until !== undefined) {
      return { kind: 'refused', code: 'rate_limit_exceeded', notice: previewNotice(until - now) };
    }
    const first = { ...query, page: 1, pageSize: PREVIEW_SIZE };
    return { kind: 'preview', page: await findPage(search, first, VISITORS, deadline) };
  };
}

/** Shows an invalid search on the page itself. Rethrows any other error. */
export function describeMistake(error: unknown): Refused {
  if (!(error instanceof Failure) || error.code !== 'invalid_request') throw error;
  return { kind: 'refused', code: error.code, notice: mistakeNotice(error.message) };
}

/** Counts one search of an address. If its limit is reached, returns when the next minute starts, in epoch ms. */
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
    // The map holds at most `inTotal` addresses, because no more searches than that are accepted per minute.
    byAddress.set(address, taken + 1);
    total++;
    return undefined;
  };
}
