import type { Clock } from '../base/clock.ts';
import { showText } from '../base/display-text.ts';
import { type ErrorCode, Failure } from '../base/errors.ts';
import { type Html, html } from '../base/html.ts';
import { dayWindow, minuteWindow } from '../base/period.ts';
import { createVisitorLimit, type VisitorLimits } from '../base/requests/visitor-limit.ts';
import { type Deadline, millisecondsLeft, startDeadline, within } from '../base/system/deadline.ts';
import { describeUnknownCountry } from '../registry/country-names.ts';
import type { Registry } from '../registry/registry.ts';
import type { Choices } from '../search/choices.ts';
import type { MatchCandidate, Matcher } from '../search/match/matching.ts';
import { type GivenParameters, readSearchQuery } from '../search/parameters.ts';
import type { Search, SearchQuery } from '../search/search.ts';
import { notice } from './parts/blocks.ts';
import { type Filter, listFilters, withoutFilters } from './parts/search/filters.ts';
import type { FoundPage } from './parts/search/results.ts';
import { formatAmount, formatWait, nameCountry } from './text/formatting.ts';
import { exploreAddress, textOf } from './text/search-address.ts';

/** The limits of searches per clock minute. */
export const previewLimits: VisitorLimits = { perAddress: 30, inTotal: 600 };

/** The limits of records per day (UTC). */
export const recordLimits: VisitorLimits = { perAddress: 10, inTotal: 5_000 };

/** The limits of suggestions for a signed-in user who types, per account. Typing a search takes about five suggestions. */
export const suggestionLimits = {
  perMinute: { perAddress: 30, inTotal: 600 },
  perDay: { perAddress: 1_000, inTotal: 100_000 },
};

const PREVIEW_SIZE = 5;

/** All visitors count as one account, so that the searches of visitors cannot take all connections from accounts. */
export const VISITORS = 'visitors';

/** A refused search: the notice to show, and the error code that determines the status of the page. */
export interface Refused {
  readonly kind: 'refused';
  readonly code: ErrorCode;
  readonly notice: Html;
}

export type Previewed = { readonly kind: 'preview'; readonly page: FoundPage } | Refused;

/** Finds the first results of a search without a charge. `who` is the address of a visitor or the id of an account. */
export type Preview = (who: string, given: GivenParameters, deadline?: Deadline) => Promise<Previewed>;

interface Searched {
  readonly search: Pick<Search, 'find'>;
  readonly registry: Pick<Registry, 'findFormerNames'>;
  readonly clock: Clock;
}

/** Creates the preview for visitors. */
export function createPreview(services: Searched, limits: VisitorLimits): Preview {
  const take = createVisitorLimit(limits, minuteWindow);
  return limitPreview(
    services,
    take,
    () => VISITORS,
    (_, waitMs) =>
      notice(
        'warn',
        'Preview limit reached',
        html`Try again in ${formatWait(waitMs)}, or <a href="/auth/login?returnTo=/explore">sign in</a> to keep searching.`,
      ),
  );
}

/** Creates the suggestions for signed-in users who type. */
export function createSuggest(services: Searched): Preview {
  const takeOfMinute = createVisitorLimit(suggestionLimits.perMinute, minuteWindow);
  const takeOfDay = createVisitorLimit(suggestionLimits.perDay, dayWindow);
  const take: typeof takeOfMinute = (account, now) => takeOfMinute(account, now) ?? takeOfDay(account, now);
  return limitPreview(
    services,
    take,
    (account) => account,
    (query) =>
      notice(
        'warn',
        'Too many suggestions',
        html`Press Enter or <a href="${exploreAddress(query)}">run the search</a> (uses 1 request).`,
      ),
  );
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
  return { kind: 'refused', code: error.code, notice: notice('bad', 'Invalid search', error.message) };
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

/** The values of all filters. Undefined if counting them takes longer: the first count of a large database takes seconds. */
export async function listChoices(
  search: Pick<Search, 'listChoices' | 'isReady'>,
  latest: Deadline,
): Promise<Choices | undefined> {
  if (!search.isReady()) return undefined;
  return within(latest, search.listChoices(), 'counting the values of filters').catch(() => undefined);
}

/** The time that optional parts of a page must leave for rendering the page. */
export const PAGE_MS = 500;

/**
 * Adds former names to the results that have one. Search does not return former names, and results of the API lack them, so that
 * only pages pay for this read. A page is never late and never fails because of this read.
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

/** Searches that find something, to offer instead of a search that finds nothing. They are not charged. */
export interface Alternatives {
  readonly spelling: Alternative | undefined;
  readonly fewerFilters: readonly (Alternative & { readonly filter: Filter })[];
  readonly noFilters: Alternative | undefined;
  /** The codes of other countries in which the search finds something. */
  readonly countries: readonly string[];
  readonly words: readonly Alternative[];
}

interface Alternative {
  readonly query: SearchQuery;
  readonly total: number;
}

const MAX_WORDS = 3;
const MAX_COUNTRIES = 6;

/** Runs at most 13 searches, one after the other, and stops early rather than delaying the page. */
export async function findAlternatives(
  search: Pick<Search, 'find' | 'correct'>,
  query: SearchQuery,
  account: string,
  deadline: Deadline,
): Promise<Alternatives> {
  const latest = deadline - PAGE_MS;
  async function find(wanted: SearchQuery, pageSize = 1) {
    if (millisecondsLeft(latest) === 0) return undefined;
    const page = await findPage(search, { ...wanted, page: 1, pageSize }, account, latest).catch(() => undefined);
    return page === undefined || page.meta.total === 0 ? undefined : page;
  }
  async function count(wanted: SearchQuery): Promise<Alternative | undefined> {
    const page = await find(wanted);
    return page && { query: { ...wanted, page: 1 }, total: page.meta.total };
  }

  const filters = listFilters(query);
  const fewerFilters: (Alternative & { filter: Filter })[] = [];
  for (const filter of filters) {
    const found = await count(filter.without);
    if (found !== undefined) fewerFilters.push({ ...found, filter });
  }
  const noFilters = filters.length > 1 ? await count(withoutFilters(query)) : undefined;
  const elsewhere =
    query.country === undefined ? undefined : await find({ ...query, country: undefined, register: undefined }, 100);
  const countries = [...new Set(elsewhere?.data.map(({ countryCode }) => countryCode))].slice(0, MAX_COUNTRIES);

  const text = textOf(query);
  const corrected = text === '' ? undefined : search.correct?.(text);
  const spelled = corrected === undefined ? undefined : replaceText(query, corrected);
  const spelling = spelled && ((await count(spelled)) ?? (await count(withoutFilters(spelled))));

  const words: Alternative[] = [];
  if (fewerFilters.length === 0 && noFilters === undefined && spelling === undefined) {
    const candidates = text.split(/\s+/).filter((word) => word.length > 2);
    for (const word of candidates.length > 1 ? candidates.slice(0, MAX_WORDS) : []) {
      const found = await count(replaceText(query, word));
      if (found !== undefined) words.push(found);
    }
  }
  return { spelling, fewerFilters, noFilters, countries, words };
}

/** Replaces the text of a search, in the parameter that has the text. */
function replaceText(query: SearchQuery, text: string): SearchQuery {
  return query.words.trim() === '' ? { ...query, q: text } : { ...query, words: text, q: '' };
}

/** A search with at most this many results may be for a company with another name. */
const FEW = 3;
/** The numbers of companies to find and to show: companies in the results are left out, and less likely ones are noise. */
const [MAX_FOUND, MAX_MEANT] = [6, 3];
/** Companies with a lower score are noise: with results, they have to be as likely as not. */
const [MIN_SCORE, MIN_SCORE_BESIDE_RESULTS] = [0.02, 0.5];

/** Finds companies that the text of a search may mean, for a search with few or no results. They are not charged. */
export async function findMeant(
  matcher: Matcher,
  { q, words, country, page }: SearchQuery,
  found: FoundPage,
  account: string,
  deadline: Deadline,
): Promise<readonly MatchCandidate[]> {
  const name = textOf({ q, words });
  if (name === '' || page > 1 || found.meta.total > FEW) return [];
  const known = new Set(found.data.map(({ id }) => id));
  const requester = { account, deadline: deadline - PAGE_MS };
  const reply = await matcher.match({ name, country, limit: MAX_FOUND }, requester).catch(() => undefined);
  const candidates = reply?.answer.candidates ?? [];
  const least = found.meta.total === 0 ? MIN_SCORE : MIN_SCORE_BESIDE_RESULTS;
  return candidates.filter(({ entity, score }) => score >= least && !known.has(entity.id)).slice(0, MAX_MEANT);
}

/** Explains why a search found nothing, and links to searches that find something. If a company is probably meant, other words are left out. */
export function noResults(query: SearchQuery, alternatives: Alternatives | undefined, isMeant: boolean): Html {
  const { spelling, fewerFilters = [], noFilters, countries = [], words = [] } = alternatives ?? {};
  const items = [
    !isMeant && spelling && html`With another spelling: ${link(spelling, showText(textOf(spelling.query)))}`,
    ...fewerFilters.map((one) => link(one, html`Without ${one.filter.label}: ${showText(one.filter.value)}`)),
    noFilters && link(noFilters, 'Without filters'),
    countries.length > 0 &&
      html`In other countries: ${countries.map(
        (country, at) =>
          html`${at > 0 && ', '}<a href="${exploreAddress({ ...query, country, register: undefined, page: 1 })}">${nameCountry(country)}</a>`,
      )}`,
    ...(isMeant ? [] : words).map((one) => html`Only ${link(one, showText(textOf(one.query)))}`),
  ].filter((item) => item !== undefined && item !== false);
  return html`<div class="no-results"><p>${explain(query, fewerFilters.length > 0 || noFilters !== undefined)}</p>
    ${items.length > 0 && html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`}
    ${items.length === 0 && !isMeant && html`<p class="hint">Try a shorter part of the name, or the registration number.</p>`}</div>`;
}

function explain(query: SearchQuery, isFiltered: boolean): Html {
  const filters = listFilters(query).length;
  const unknown = query.country === undefined ? undefined : describeUnknownCountry(query.country);
  if (unknown !== undefined) return html`${unknown}`;
  const text = textOf(query);
  if (text === '') return html`No company matches all of these filters.`;
  if (isFiltered)
    return html`Companies match “${showText(text)}”, but not with ${filters === 1 ? 'this filter' : 'these filters'}.`;
  if (query.words.trim() !== '')
    return html`No company ${filters > 0 && 'in this selection '}has all words of “${showText(text)}” in its names or number.`;
  return html`No name or registration number ${filters > 0 && 'in this selection '}contains “${showText(text)}”.`;
}

function link({ query, total }: Alternative, text: Html | string): Html {
  return html`<a href="${exploreAddress(query)}">${text}</a> (${formatAmount(total, 'company', 'companies')})`;
}
