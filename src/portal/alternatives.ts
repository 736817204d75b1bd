import { showText } from '../base/display-text.ts';
import { type Html, html } from '../base/html.ts';
import { type Deadline, millisecondsLeft } from '../base/system/deadline.ts';
import { describeUnknownCountry } from '../registry/country-names.ts';
import type { MatchCandidate, Matcher } from '../search/match/matching.ts';
import type { Search, SearchQuery } from '../search/search.ts';
import { type Filter, listFilters, withoutFilters } from './parts/search/filters.ts';
import type { FoundPage } from './parts/search/results.ts';
import { findPage, PAGE_MS } from './preview.ts';
import { formatAmount, nameCountry } from './text/formatting.ts';
import { exploreAddress, textOf } from './text/search-address.ts';

/** Searches that find something, for a search that finds nothing. They are not charged. */
export interface Alternatives {
  readonly spelling: Alternative | undefined;
  readonly fewerFilters: readonly (Alternative & { readonly filter: Filter })[];
  readonly noFilters: Alternative | undefined;
  /** The same search in other countries, by code. */
  readonly countries: readonly string[];
  readonly words: readonly Alternative[];
}

interface Alternative {
  readonly query: SearchQuery;
  readonly total: number;
}

const MAX_WORDS = 3;
const MAX_COUNTRIES = 6;

/** Runs at most 13 searches, one after another, and stops early rather than delaying the page. */
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

/** The same search with another text, in the same parameter. */
function replaceText(query: SearchQuery, text: string): SearchQuery {
  return query.words.trim() === '' ? { ...query, q: text } : { ...query, words: text, q: '' };
}

/** A search with so few results may be for a company of another name. */
const FEW = 3;
/** Fewer are shown, because those of the result are left out. */
const MAX_MEANT = 6;
/** Less likely companies are noise. */
const MIN_SCORE = 0.02;

/** Companies that may be meant by the text of a search that finds few or none. They are not charged. */
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
  const reply = await matcher.match({ name, country, limit: MAX_MEANT }, requester).catch(() => undefined);
  const candidates = reply?.answer.candidates ?? [];
  return candidates.filter(({ entity, score }) => score >= MIN_SCORE && !known.has(entity.id));
}

/** Says why a search found nothing, and links to searches that find something. Other words are not offered if a company is likely to be meant. */
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
