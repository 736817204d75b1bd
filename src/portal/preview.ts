import type { Clock } from '../base/clock.ts';
import { showText } from '../base/display-text.ts';
import { type ErrorCode, Failure } from '../base/errors.ts';
import { type Html, html } from '../base/html.ts';
import { dayWindow, minuteWindow } from '../base/plans.ts';
import { createVisitorLimit, type VisitorLimits } from '../base/requests/visitor-limit.ts';
import { type Deadline, millisecondsLeft, startDeadline, within } from '../base/system/deadline.ts';
import { describeUnknownCountry, meantCountries } from '../registry/country-names.ts';
import type { Registry } from '../registry/registry.ts';
import type { Choices, Facets } from '../search/choices.ts';
import type { MatchCandidate, Matcher } from '../search/match/matching.ts';
import { type GivenParameters, readSearchQuery } from '../search/parameters.ts';
import type { Search, SearchQuery } from '../search/search.ts';
import { notice } from './parts/blocks.ts';
import { listFilters, withoutFilters } from './parts/search/filters.ts';
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

interface Searched {
  readonly search: Pick<Search, 'find'>;
  readonly registry: Pick<Registry, 'findFormerNames'>;
  readonly clock: Clock;
}

/** Creates the functions that find the first results of a search without a charge. */
export function createPreviews(services: Searched, limits: VisitorLimits) {
  const { clock } = services;
  const takeVisit = createVisitorLimit(limits, minuteWindow);
  const takeOfMinute = createVisitorLimit(suggestionLimits.perMinute, minuteWindow);
  const takeOfDay = createVisitorLimit(suggestionLimits.perDay, dayWindow);

  async function find(query: SearchQuery, account: string, deadline: Deadline): Promise<Previewed> {
    const first = { ...query, page: 1, pageSize: PREVIEW_SIZE };
    return { kind: 'preview', page: await findNamedPage(services, first, account, deadline) };
  }

  return {
    /** The preview for a visitor, who is known by the address of the network. */
    async preview(network: string, given: GivenParameters, deadline = startDeadline()): Promise<Previewed> {
      const query = readSearchQuery(given);
      const now = clock.now();
      const until = takeVisit(network, now);
      if (until === undefined) return find(query, VISITORS, deadline);
      const text = html`Try again in ${formatWait(until - now)}, or <a href="/auth/login?returnTo=/explore">sign in</a> to keep searching.`;
      return { kind: 'refused', code: 'rate_limit_exceeded', notice: notice('warn', 'Preview limit reached', text) };
    },
    /** The suggestions for a signed-in user who types. */
    async suggest(account: string, given: GivenParameters, deadline: Deadline): Promise<Previewed> {
      const query = readSearchQuery(given);
      const until = takeOfMinute(account, clock.now()) ?? takeOfDay(account, clock.now());
      if (until === undefined) return find(query, account, deadline);
      const text = html`Press Enter or <a href="${exploreAddress({ ...query, page: 1 })}">run the search</a> (uses 1 request).`;
      return { kind: 'refused', code: 'rate_limit_exceeded', notice: notice('warn', 'Too many suggestions', text) };
    },
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
 * Finds the results of a search with their former names, which search does not return, so that only pages pay for this read. A page is never
 * late and never fails because of this read.
 */
export async function findNamedPage(
  { search, registry }: Pick<Searched, 'search' | 'registry'>,
  query: SearchQuery,
  account: string,
  deadline: Deadline,
): Promise<FoundPage> {
  const page = await findPage(search, query, account, deadline);
  const latest = deadline - PAGE_MS;
  if (page.data.length === 0 || millisecondsLeft(latest) === 0) return page;
  const reading = registry.findFormerNames(page.data.map(({ id }) => id));
  const names = await within(latest, reading, 'reading former names').catch(() => undefined);
  return { ...page, data: page.data.map((entity) => ({ ...entity, formerName: names?.get(entity.id) })) };
}

/** The other parts of a page besides its results. */
export interface More {
  /** The number of results for each value of the filters; undefined if there are too many results to count. */
  readonly facets: Facets | undefined;
  /** Companies that may be meant, if the search found few or no companies. */
  readonly meant: readonly MatchCandidate[];
  readonly alternatives: Alternatives | undefined;
}

/** Finds the other parts of a page. Parts that would delay the page are left out. */
export async function findMore(
  { search, matcher }: { readonly search: Search; readonly matcher: Matcher },
  page: FoundPage,
  query: SearchQuery,
  account: string,
  deadline: Deadline,
): Promise<More> {
  const facets = await search.countFacets(query, account, deadline - PAGE_MS).catch(() => undefined);
  const meant = await findMeant(matcher, query, page, account, deadline);
  const alternatives = page.meta.total > 0 ? undefined : await findAlternatives(search, query, account, deadline);
  return { facets, meant, alternatives };
}

/** Links to searches that find something, to offer instead of a search that finds nothing. They are not charged. */
interface Alternatives {
  readonly spelling: readonly Html[];
  /** The search with fewer or no filters. */
  readonly wider: readonly Html[];
  /** The codes of other countries in which the search finds something. */
  readonly countries: readonly string[];
  readonly words: readonly Html[];
}

const MAX_WORDS = 3;
const MAX_COUNTRIES = 6;

/** Runs at most 13 searches, one after the other, and stops early rather than delaying the page. */
async function findAlternatives(
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
  async function link(text: Html | string, wanted: SearchQuery): Promise<Html[]> {
    const page = await find(wanted);
    if (page === undefined) return [];
    const address = exploreAddress({ ...wanted, page: 1 });
    return [html`<a href="${address}">${text}</a> (${formatAmount(page.meta.total, 'company', 'companies')})`];
  }

  const wider: Html[] = [];
  const filters = listFilters(query);
  for (const { label, value, without } of filters) {
    wider.push(...(await link(html`Without ${label}: ${showText(value)}`, without)));
  }
  if (filters.length > 1) wider.push(...(await link('Without filters', withoutFilters(query))));
  const elsewhere =
    query.country === undefined ? undefined : await find({ ...query, country: undefined, register: undefined }, 100);
  const countries = [...new Set(elsewhere?.data.map(({ countryCode }) => countryCode))].slice(0, MAX_COUNTRIES);

  const text = textOf(query);
  const corrected = text === '' ? undefined : search.correct?.(text);
  const spelling: Html[] = [];
  if (corrected !== undefined) {
    const spelled = replaceText(query, corrected);
    spelling.push(...(await link(showText(corrected), spelled)));
    if (spelling.length === 0) spelling.push(...(await link(showText(corrected), withoutFilters(spelled))));
  }
  const words: Html[] = [];
  const candidates = text.split(/\s+/).filter((word) => word.length > 2);
  if (wider.length + spelling.length === 0 && candidates.length > 1) {
    for (const word of candidates.slice(0, MAX_WORDS)) {
      words.push(...(await link(showText(word), replaceText(query, word))));
    }
  }
  return { spelling, wider, countries, words };
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
async function findMeant(
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
  const { spelling = [], wider = [], countries = [], words = [] } = alternatives ?? {};
  const elsewhere = countries.map((country, at) => {
    const address = exploreAddress({ ...query, country, register: undefined, page: 1 });
    return html`${at > 0 && ', '}<a href="${address}">${nameCountry(country)}</a>`;
  });
  const items = [
    ...(isMeant ? [] : spelling).map((link) => html`With another spelling: ${link}`),
    ...wider,
    ...(elsewhere.length > 0 ? [html`In other countries: ${elsewhere}`] : []),
    ...(isMeant ? [] : words).map((link) => html`Only ${link}`),
  ];
  return html`<div class="no-results"><p>${explain(query, wider.length > 0)}</p>
    ${items.length > 0 && html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`}
    ${items.length === 0 && !isMeant && describeUnknownCountry(query.country ?? 'GB') === undefined && html`<p class="hint">Try a shorter part of the name, or the registration number.</p>`}</div>`;
}

function explain(query: SearchQuery, isFiltered: boolean): Html {
  const filters = listFilters(query).length;
  const { country = '' } = query;
  const unknown = country === '' ? undefined : describeUnknownCountry(country);
  const meant = meantCountries[country];
  if (unknown !== undefined) {
    const address = exploreAddress({ ...query, country: meant, page: 1 });
    return html`${unknown}${meant !== undefined && html` <a href="${address}">Search in ${nameCountry(meant)}</a>`}`;
  }
  const text = showText(textOf(query));
  if (textOf(query) === '') return html`No company matches all of these filters.`;
  if (isFiltered)
    return html`Companies match “${text}”, but not with ${filters === 1 ? 'this filter' : 'these filters'}.`;
  const where = filters > 0 && 'in this selection ';
  if (query.words.trim() === '') return html`No name or registration number ${where}contains “${text}”.`;
  return html`No company ${where}has all words of “${text}” in its names or number.`;
}
