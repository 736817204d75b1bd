import type { Plan } from '../../base/plans.ts';
import { countUnits, maxRowsOf } from '../../exports/results/result-files.ts';
import type { Choice, Choices, Facets } from '../../search/choices.ts';
import type { MatchCandidate } from '../../search/match/matching.ts';
import type { SearchQuery } from '../../search/search.ts';
import { type Alternatives, noResults } from '../alternatives.ts';
import { type Html, html } from '../html.ts';
import { freePlanHint } from '../parts/account/plans.ts';
import { codeBlock } from '../parts/blocks.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { facetLinks, filterChips } from '../parts/search/filters.ts';
import { paging } from '../parts/search/paging.ts';
import { type FoundPage, meantList, resultList, totalLine } from '../parts/search/results.ts';
import { searchForm, suggestActivities } from '../parts/search/search-form.ts';
import type { Previewed } from '../preview.ts';
import { plainText, showText } from '../text/display-text.ts';
import { formatAmount, formatCount, nameCountry, sortByCountryName } from '../text/formatting.ts';
import { apiAddress, exploreAddress, formatCurl, formatTypeScript, toParameters } from '../text/search-address.ts';
import { signInAddress } from '../visitor.ts';

/** No search yet, results, the first results while typing or for a visitor, or a notice that says why there are none. */
export type ExploreOutcome =
  | { readonly kind: 'none' }
  | { readonly kind: 'found'; readonly page: FoundPage; readonly left: number; readonly plan: Plan }
  | { readonly kind: 'suggested'; readonly page: FoundPage }
  | Previewed;

export interface ExploreView {
  readonly visitor: Visitor;
  readonly publicUrl: string;
  /** Without the parameters that are invalid. */
  readonly query: SearchQuery;
  readonly choices: Choices;
  readonly outcome: ExploreOutcome;
  /** How many of the results have each value of the filters; undefined if there are too many to count. */
  readonly facets?: Facets | undefined;
  readonly alternatives?: Alternatives | undefined;
  /** If it found few companies or none: others that may be meant. */
  readonly meant?: readonly MatchCandidate[] | undefined;
}

export function explorePage(view: ExploreView): Html {
  const { visitor, query, choices, outcome } = view;
  const text = plainText(query.q);
  const title = text === '' ? 'Explore companies' : `${text}: companies`;
  return layout(
    title,
    html`<div class="finder">
    <h1>Explore companies</h1>
    ${outcome.kind === 'none' && lead(visitor)}
    ${searchForm(query, choices, outcome.kind === 'none' ? 'all' : (view.facets ?? 'unknown'))}
    <div class="explore">
      <section id="results" data-live aria-label="Results">${results(view)}</section>
      <aside id="request" data-live aria-labelledby="request-title">${outcome.kind !== 'none' && apiRequest(view)}</aside>
    </div></div>`,
    {
      section: '/explore',
      visitor,
      scripts: ['copy.js', 'live-search.js'],
      isUnlisted: outcome.kind !== 'none',
      description: 'Search official company registers by name, number, country, status, legal form and activity.',
    },
  );
}

function results(view: ExploreView): Html {
  const { outcome, query, visitor, meant = [] } = view;
  switch (outcome.kind) {
    case 'none':
      return countryList(view);
    case 'refused':
      return outcome.notice;
    case 'preview':
    case 'suggested': {
      const { data, meta } = outcome.page;
      const next = outcome.kind === 'suggested' ? suggestionHint : visitor === 'anonymous' ? invitation : confirmation;
      return html`${totalLine(meta.total, query.q)}${filterChips(query)}${resultList(data, { q: query.q })}
        ${meta.total === 0 && nothingFound(view)}${meantList(meant)}${meta.total > 0 && next(outcome.page, query)}`;
    }
    case 'found': {
      const { data, meta } = outcome.page;
      return html`<div class="summary">${totalLine(meta.total, query.q)}
        <p class="cost">Used 1 request; ${formatCount(outcome.left)} left in this period.</p></div>
        ${filterChips(query)}
        ${meta.total === 0 && nothingFound(view)}
        ${resultList(data, { first: (meta.page - 1) * meta.pageSize + 1, q: query.q })}
        ${meta.total > 0 && data.length === 0 && html`<p>Page ${formatCount(meta.page)} does not exist. The last page is ${formatCount(meta.pageCount)}.</p>`}
        ${meta.pageCount > 1 && paging(query, meta.pageCount)}${meantList(meant)}`;
    }
  }
}

function nothingFound({ query, choices, alternatives, meant = [] }: ExploreView): Html {
  return html`${activitySuggestions(query, choices)}${noResults(
    query,
    alternatives,
    meant.some(({ score }) => score >= 0.5),
  )}`;
}

function lead(visitor: Visitor): Html {
  return html`<p class="lead">Search by any part of a name or registration number, in any script. ${
    visitor === 'anonymous'
      ? 'Without an account you see the first five results.'
      : 'Suggestions while you type are free. A search, a result page and a record each use one request, just like the API.'
  } <span class="keys">Press <kbd>/</kbd> to search and <span class="keep"><kbd>↓</kbd> <kbd>↑</kbd></span> to move through the results.</span></p>`;
}

function suggestionHint({ meta }: FoundPage, query: SearchQuery): Html {
  const all = meta.total === 1 ? 'Run this search' : `Show all ${formatCount(meta.total)}`;
  return html`<p class="hint">${meta.total > meta.pageSize && `The first ${meta.pageSize}, free of charge. `}Press Enter or
    <a href="${exploreAddress(query)}">${all}</a> (uses 1 request).</p>`;
}

function invitation({ meta }: FoundPage, query: SearchQuery): Html {
  const hasMore = meta.total > meta.pageSize;
  return html`<div class="invitation">
    <p>${hasMore ? `Showing the first ${meta.pageSize}. Sign in to see every page and complete records.` : 'Sign in to see complete records.'}
    ${freePlanHint()}</p>
    <a class="button" href="${signInAddress(exploreAddress(query))}">Sign in</a>
  </div>`;
}

/** For a signed-in user whom another site sent here. The link leads to the same search, but from our own page. */
function confirmation(_: FoundPage, query: SearchQuery): Html {
  return html`<div class="invitation">
    <p>A link on another site led here, so these are the first results only, and nothing has been charged.</p>
    <a class="button" href="${exploreAddress(query)}">Show all results (uses 1 request)</a>
  </div>`;
}

function countryList({ choices }: ExploreView): Html {
  if (choices.entities === 0) return html`<p class="total">No companies yet: no register has been imported.</p>`;
  return html`<p class="total">Search, <a href="/match">match a list of names</a>, or browse by country:</p>
    <ul class="countries">${sortByCountryName(choices.countries).map(
      ({ code, entities }) =>
        html`<li><a href="/explore?country=${code}">${nameCountry(code)}</a> <span>${formatCount(entities)}</span></li>`,
    )}</ul>`;
}

function apiRequest({ publicUrl, query, outcome, facets }: ExploreView): Html {
  const address = apiAddress(publicUrl, query);
  const hasResults = 'page' in outcome && outcome.page.meta.total > 0;
  const download = outcome.kind === 'found' && hasResults;
  return html`${hasResults && (facets === undefined ? NOT_COUNTED : facetLinks(facets, query))}
    ${download && downloadForm(query, outcome.page.meta.total, outcome.plan)}
    ${download && html`<p class="download"><a class="button quiet" href="/dashboard/monitors?search=${encodeURIComponent(toParameters({ ...query, sort: 'name', page: 1 }).toString())}">Watch this search</a></p>`}
    <h2 id="request-title">API request</h2>
    ${codeBlock('curl', formatCurl(address))}
    ${codeBlock('TypeScript', formatTypeScript(address))}`;
}

const NOT_COUNTED = html`<p class="hint">There are too many results to count the values of each filter. Narrow the search to see
  how many companies have each value.</p>`;

const MAX_SUGGESTIONS = 8;

/**
 * The activities that what was typed could become, as links, while it is not the exact name or code of one. Also without JavaScript, where
 * it is sent as it is.
 */
function activitySuggestions(query: SearchQuery, choices: Choices): Html | false {
  const { activity } = query;
  if (activity === undefined) return false;
  const found = suggestActivities(choices, query, MAX_SUGGESTIONS);
  if (found.length === 0 || found.some(({ value }) => value === activity)) return false;
  return html`<div class="no-results suggested"><p>Activities with “${showText(activity)}” in their name or code:</p>
    <ul>${found.map((choice) => link(choice, query))}</ul></div>`;
}

function link({ value, entities }: Choice, query: SearchQuery): Html {
  return html`<li><a href="${exploreAddress({ ...query, activity: value, page: 1 })}">${showText(value)}</a>
    (${formatAmount(entities, 'company', 'companies')}${query.q !== '' && ' in all'})</li>`;
}

function downloadForm(query: SearchQuery, total: number, plan: Plan): Html {
  const rows = Math.min(total, maxRowsOf(plan));
  const units = countUnits(rows);
  const content = rows < total ? `the first ${formatCount(rows)} results` : formatAmount(total, 'result');
  return html`<form class="download" action="/explore/download" method="post">
    ${[...toParameters({ ...query, page: 1 })].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
    <input type="hidden" name="units" value="${units}">
    <button class="quiet">Download CSV</button>
    <span class="hint">${content}, uses ${formatAmount(units, 'request')}</span>
  </form>`;
}
