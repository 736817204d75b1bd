import type { Clock } from '../base/clock.ts';
import { type ErrorCode, Failure } from '../base/errors.ts';
import type { Html } from '../base/html.ts';
import { dayWindow, minuteWindow } from '../base/period.ts';
import { createVisitorLimit, type VisitorLimits } from '../base/requests/visitor-limit.ts';
import { type Deadline, millisecondsLeft, startDeadline, within } from '../base/system/deadline.ts';
import type { Registry } from '../registry/registry.ts';
import { type GivenParameters, readSearchQuery } from '../search/parameters.ts';
import type { Search, SearchQuery } from '../search/search.ts';
import { mistakeNotice, previewNotice, suggestionNotice } from './parts/search/limit-notices.ts';
import type { FoundPage } from './parts/search/results.ts';

/** Searches per clock minute. */
export const previewLimits: VisitorLimits = { perAddress: 30, inTotal: 600 };

/** Records per day (UTC). */
export const recordLimits: VisitorLimits = { perAddress: 10, inTotal: 5_000 };

/** Suggestions for signed-in users while they type, by account. A search that is typed takes about five. */
export const suggestionLimits = {
  perMinute: { perAddress: 30, inTotal: 600 },
  perDay: { perAddress: 1_000, inTotal: 100_000 },
};

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

/** The first results of a search, for one who is not charged: the address of a visitor, or the id of an account. */
export type Preview = (who: string, given: GivenParameters, deadline?: Deadline) => Promise<Previewed>;

interface Searched {
  readonly search: Pick<Search, 'find'>;
  readonly registry: Pick<Registry, 'findFormerNames'>;
  readonly clock: Clock;
}

/** For visitors. */
export function createPreview(services: Searched, limits: VisitorLimits): Preview {
  const take = createVisitorLimit(limits, minuteWindow);
  return limitPreview(
    services,
    take,
    () => VISITORS,
    (_, waitMs) => previewNotice(waitMs),
  );
}

/** For signed-in users while they type. */
export function createSuggest(services: Searched): Preview {
  const takeOfMinute = createVisitorLimit(suggestionLimits.perMinute, minuteWindow);
  const takeOfDay = createVisitorLimit(suggestionLimits.perDay, dayWindow);
  const take: typeof takeOfMinute = (account, now) => takeOfMinute(account, now) ?? takeOfDay(account, now);
  return limitPreview(services, take, (account) => account, suggestionNotice);
}

function limitPreview(
  { search, registry, clock }: Searched,
  take: ReturnType<typeof createVisitorLimit>,
  accountOf: (who: string) => string,
  refuse: (query: SearchQuery, waitMs: number) => Html,
): Preview {
  return async (who, given, deadline = startDeadline()) => {
    const query = { ...readSearchQuery(given), page: 1 };
    const now = clock.now();
    const until = take(who, now);
    if (until !== undefined) {
      return { kind: 'refused', code: 'rate_limit_exceeded', notice: refuse(query, until - now) };
    }
    const page = await findPage(search, { ...query, pageSize: PREVIEW_SIZE }, accountOf(who), deadline);
    return { kind: 'preview', page: await addFormerNames(registry, page, deadline) };
  };
}

/** Shows an invalid search on the page itself. Rethrows any other error. */
export function describeMistake(error: unknown): Refused {
  if (!(error instanceof Failure) || error.code !== 'invalid_request') throw error;
  return { kind: 'refused', code: error.code, notice: mistakeNotice(error.message) };
}

export async function findPage(
  search: Pick<Search, 'find'>,
  query: SearchQuery,
  account: string,
  deadline: Deadline,
): Promise<FoundPage> {
  const { body } = await search.find(query, account, deadline);
  return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString());
}

/** The time that what a page has besides its results leaves for the page itself. */
export const PAGE_MS = 500;

/**
 * Adds the former name of each result that has one. Search does not look at former names, and the API does not return them with
 * results, so that only pages pay for this read. A page never waits or fails for it.
 */
export async function addFormerNames(
  registry: Pick<Registry, 'findFormerNames'>,
  page: FoundPage,
  deadline: Deadline,
): Promise<FoundPage> {
  const latest = deadline - PAGE_MS;
  if (page.data.length === 0 || millisecondsLeft(latest) === 0) return page;
  const reading = registry.findFormerNames(page.data.map(({ id }) => id));
  const names = await within(latest, reading, 'reading former names').catch(() => undefined);
  if (names === undefined || names.size === 0) return page;
  return { ...page, data: page.data.map((entity) => ({ ...entity, formerName: names.get(entity.id) })) };
}
