import type { Clock } from '../core/clock.ts';
import { type ErrorCode, Failure } from '../core/errors.ts';
import { dayWindow, minuteWindow } from '../core/period.ts';
import { createVisitorLimit, type VisitorLimits } from '../core/requests/visitor-limit.ts';
import { type GivenParameters, readSearchQuery } from '../search/parameters.ts';
import type { Search, SearchQuery } from '../search/search.ts';
import { type Deadline, startDeadline } from '../system/deadline.ts';
import { addFormerNames, type FormerNames, findPage } from './found-page.ts';
import type { Html } from './html.ts';
import { mistakeNotice, previewNotice, suggestionNotice } from './parts/search/limit-notices.ts';
import type { FoundPage } from './parts/search/results.ts';

/** Searches per clock minute. */
export const previewLimits: VisitorLimits = { perAddress: 30, inTotal: 600 };

/** Records per day (UTC). */
export const recordLimits: VisitorLimits = { perAddress: 10, inTotal: 5_000 };

/** Suggestions for signed-in users while they type, by account. A search that is typed takes about five. */
export const suggestionLimits: SuggestionLimits = {
  perMinute: { perAddress: 30, inTotal: 600 },
  perDay: { perAddress: 1_000, inTotal: 100_000 },
};

export interface SuggestionLimits {
  readonly perMinute: VisitorLimits;
  readonly perDay: VisitorLimits;
}

/** How many results are shown. */
const PREVIEW_SIZE = 5;

/** All visitors count as one account, so that their searches leave connections to the accounts. */
export const VISITORS = 'visitors';

/** A search that was not run: the notice to show, and the error code whose status the page is sent with. */
export interface Refused {
  readonly kind: 'refused';
  readonly code: ErrorCode;
  readonly notice: Html;
}

export type Previewed = { readonly kind: 'preview'; readonly page: FoundPage } | Refused;

export type Preview = (address: string, given: GivenParameters, deadline?: Deadline) => Promise<Previewed>;

/** The same for an account. */
export type Suggest = (accountId: string, given: GivenParameters, deadline?: Deadline) => Promise<Previewed>;

export interface PreviewServices {
  readonly search: Pick<Search, 'find'>;
  readonly registry: FormerNames;
  readonly clock: Clock;
}

export function createPreview({ search, registry, clock }: PreviewServices, limits: VisitorLimits): Preview {
  const take = createVisitorLimit(limits, minuteWindow);
  return async (address, given, deadline = startDeadline()) => {
    const query = readSearchQuery(given);
    const now = clock.now();
    const until = take(address, now);
    if (until !== undefined) return refuse(previewNotice(until - now));
    const page = await findPage(search, toFirst(query), VISITORS, deadline);
    return { kind: 'preview', page: await addFormerNames(registry, page, deadline) };
  };
}

export function createSuggest({ search, registry, clock }: PreviewServices, limits = suggestionLimits): Suggest {
  const takeOfMinute = createVisitorLimit(limits.perMinute, minuteWindow);
  const takeOfDay = createVisitorLimit(limits.perDay, dayWindow);
  return async (accountId, given, deadline = startDeadline()) => {
    const query = readSearchQuery(given);
    const now = clock.now();
    const until = takeOfMinute(accountId, now) ?? takeOfDay(accountId, now);
    if (until !== undefined) return refuse(suggestionNotice({ ...query, page: 1 }));
    const page = await findPage(search, toFirst(query), accountId, deadline);
    return { kind: 'preview', page: await addFormerNames(registry, page, deadline) };
  };
}

function toFirst(query: SearchQuery): SearchQuery {
  return { ...query, page: 1, pageSize: PREVIEW_SIZE };
}

function refuse(notice: Html): Refused {
  return { kind: 'refused', code: 'rate_limit_exceeded', notice };
}

/** Shows an invalid search on the page itself. Rethrows any other error. */
export function describeMistake(error: unknown): Refused {
  if (!(error instanceof Failure) || error.code !== 'invalid_request') throw error;
  return { kind: 'refused', code: error.code, notice: mistakeNotice(error.message) };
}
