import type { PricedOperation } from '../../accounts/charging/operation.ts';
import { plainText, showText } from '../../base/display-text.ts';
import { statusOf } from '../../base/errors.ts';
import { type Html, html } from '../../base/html.ts';
import type { Plan } from '../../base/plans.ts';
import type { VisitorLimits } from '../../base/requests/visitor-limit.ts';
import { type Deadline, startDeadline } from '../../base/system/deadline.ts';
import { countUnits, maxRowsOf } from '../../exports/results/result-files.ts';
import type { Routes } from '../../http/app.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import type { Choices } from '../../search/choices.ts';
import { type GivenParameters, readSearchQuery, SearchParameters } from '../../search/parameters.ts';
import type { SearchQuery } from '../../search/search.ts';
import { writeTypeScript } from '../docs/contract.ts';
import { highlight } from '../docs/highlight.ts';
import { createKeptPages } from '../kept-pages.ts';
import { codeBlock, hiddenFields, pageLinks } from '../parts/blocks.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { freePlanHint, limitNotice } from '../parts/plans.ts';
import { facetLinks, filterChips } from '../parts/search/filters.ts';
import { type FoundPage, meantList, resultList, totalLine } from '../parts/search/results.ts';
import { searchForm, suggestActivities } from '../parts/search/search-form.ts';
import {
  createPreviews,
  describeMistake,
  findMore,
  findNamedPage,
  listChoices,
  type More,
  noResults,
  PAGE_MS,
  type Previewed,
  VISITORS,
} from '../preview.ts';
import type { PageServices } from '../services.ts';
import { formatAmount, formatCount, nameCountry, sortByCountryName } from '../text/formatting.ts';
import { apiAddress, exploreAddress, formatCurl, textOf, toParameters } from '../text/search-address.ts';
import {
  classifyNavigation,
  describeVisitor,
  findSignedIn,
  keepForBack,
  sendPage,
  signInAddress,
  startCharge,
} from '../visitor.ts';
import { sendConfirmation } from './messages.ts';

/**
 * The search page: all results for signed-in users, who are charged as by the API; a preview for visitors, and for searches that another
 * site opened. While a user types, the page requests suggestions, which show only the first results, and are limited by rate instead of
 * being charged.
 */
export function registerExplore(app: Routes, services: PageServices, limits: VisitorLimits): void {
  const { publicUrl, search, executor, clock } = services;
  const { preview, suggest } = createPreviews(services, limits);
  const kept = createKeptPages();

  /** The page is rendered before the charge is final, so a failure costs nothing. */
  const searching: PricedOperation<{ readonly given: GivenParameters; readonly render: Render }, SearchQuery, Html> = {
    price: 'unit',
    read: ({ given }) => readSearchQuery(given),
    async answer(query, { input: { render }, caller: { accountId, plan }, deadline, limits }) {
      const page = await findNamedPage(services, query, accountId, deadline);
      const outcome = { kind: 'found', page, left: limits.quota.remaining, plan } as const;
      return render(outcome, await findMore(services, page, query, accountId, deadline));
    },
  };

  /** The common start of both routes: finds the visitor and the search, and prepares the page. */
  async function begin(request: HttpRequest, fixed: Partial<SearchQuery> = {}) {
    const deadline = startDeadline();
    const given = readGiven(request.query);
    const signedIn = await findSignedIn(request, services, deadline);
    const visitor = describeVisitor(signedIn);
    const choices = (await listChoices(search, deadline - PAGE_MS)) ?? NO_CHOICES;
    const query = { ...readValidParameters(given), ...fixed };
    const render: Render = (outcome, more) =>
      explorePage({ visitor, publicUrl: publicUrl(), query, choices, outcome, ...more });
    return { deadline, given, signedIn, visitor, choices, query, render };
  }

  app.get('/explore', async (request, reply) => {
    const { deadline, given, signedIn, visitor, choices, query, render } = await begin(request);
    if (Object.keys(given).length === 0) {
      const renderForm = () => render({ kind: 'none' });
      return sendPage(reply, signedIn === undefined ? kept.find('/explore', choices, renderForm) : renderForm());
    }
    const navigation = signedIn === undefined ? 'own' : classifyNavigation(request, services.site);
    if (navigation === 'speculative') return sendConfirmation(request, reply, { visitor, navigation });
    try {
      if (signedIn === undefined || navigation === 'foreign') {
        const outcome = await preview(request.network, given, deadline);
        const next = signedIn === undefined ? invitation : confirmation;
        return sendPreview(reply, render, outcome, { query, account: VISITORS, deadline, next });
      }
      const charged = await executor.perform(searching, startCharge(signedIn.account, { given, render }, deadline));
      if (charged.outcome === 'failed') throw charged.error;
      if (charged.outcome === 'answered') return sendPage(keepForBack(reply), charged.answer);
      const notice = limitNotice(charged, clock.now());
      return sendOutcome(reply, render, { kind: 'refused', code: charged.code, notice });
    } catch (error) {
      return sendOutcome(reply, render, describeMistake(error));
    }
  });

  app.get('/explore/suggest', async (request, reply) => {
    const { deadline, given, signedIn, query, render } = await begin(request, { page: 1 });

    async function answer(): Promise<ExploreOutcome> {
      if (exploreAddress(query) === EVERYTHING) return { kind: 'none' };
      if (signedIn === undefined) return preview(request.network, given, deadline);
      return suggest(signedIn.account.accountId, given, deadline);
    }
    const outcome = await answer().catch(describeMistake);
    const account = signedIn?.account.accountId ?? VISITORS;
    const next = signedIn === undefined ? invitation : suggestionHint;
    return sendPreview(reply, render, outcome, { query, account, deadline, next });
  });

  /** Sends the first results of a search with the other parts of the page, or the page without results. */
  async function sendPreview(reply: HttpReply, render: Render, outcome: ExploreOutcome, previewed: PreviewedSearch) {
    const { query, account, deadline, next } = previewed;
    if (!('page' in outcome)) return sendOutcome(reply, render, outcome);
    const more = await findMore(services, outcome.page, query, account, deadline);
    return sendOutcome(reply, render, outcome, { ...more, next });
  }
}

interface PreviewedSearch {
  readonly query: SearchQuery;
  readonly account: string;
  readonly deadline: Deadline;
  /** How to see all results, below the first ones. */
  next(page: FoundPage, query: SearchQuery): Html;
}

/** The address of a search without text and filters, which is what an empty form sends. */
const EVERYTHING = '/explore?q=';

function sendOutcome(reply: HttpReply, render: Render, outcome: ExploreOutcome, more?: Shown): HttpReply {
  return sendPage(outcome.kind === 'refused' ? reply.code(statusOf(outcome.code)) : reply, render(outcome, more));
}

type Render = (outcome: ExploreOutcome, more?: Shown) => Html;
type Shown = Partial<More & Pick<PreviewedSearch, 'next'>>;

const PARAMETERS = Object.keys(SearchParameters.properties);

/**
 * Drops fields that the form left empty, except `q`: an empty `q` searches everything. Ignores unknown parameters, such
 * as `utm_source`.
 */
function readGiven(query: unknown): GivenParameters {
  const values = query as Readonly<Record<string, string | string[] | undefined>>;
  const given: Record<string, string> = {};
  for (const name of PARAMETERS) {
    const value = [values[name]].flat().at(-1);
    if (value !== undefined && (value !== '' || name === 'q')) given[name] = value;
  }
  return given;
}

/** Drops invalid parameters, so that the form keeps the valid parameters. */
function readValidParameters(given: GivenParameters): SearchQuery {
  const readable = Object.entries(given).filter(([name, value]) => {
    try {
      return readSearchQuery({ [name]: value });
    } catch {
      return false;
    }
  });
  return readSearchQuery(Object.fromEntries(readable));
}

/** Shown while the values of the filters are not counted. */
const NO_CHOICES: Choices = {
  entities: 0,
  countries: [],
  isic: { codes: new Map(), registers: new Map() },
  withElf: new Map(),
};

/** No search yet, all results, the first results only, or a notice why there are no results. */
type ExploreOutcome =
  | { readonly kind: 'none' }
  | { readonly kind: 'found'; readonly page: FoundPage; readonly left: number; readonly plan: Plan }
  | Previewed;

interface ExploreView extends Shown {
  readonly visitor: Visitor;
  readonly publicUrl: string;
  /** The query without invalid parameters. */
  readonly query: SearchQuery;
  readonly choices: Choices;
  readonly outcome: ExploreOutcome;
}

function explorePage(view: ExploreView): Html {
  const { visitor, query, choices, outcome } = view;
  const text = plainText(textOf(query));
  const title = text === '' ? 'Explore companies' : `${text}: companies`;
  return layout(
    title,
    html`<div class="finder">
    ${outcome.kind !== 'none' && html`<a class="skip" href="#results">Skip to results</a>`}
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
      path: '/explore',
      description: 'Search official company registers by name, number, country, status, legal form and activity.',
    },
  );
}

function results(view: ExploreView): Html {
  const { outcome, query, choices, alternatives, meant = [], next } = view;
  if (outcome.kind === 'none') return countryList(choices);
  if (outcome.kind === 'refused') return outcome.notice;
  const { data, meta } = outcome.page;
  const isMeant = meant.some(({ score }) => score >= 0.5);
  const cost = outcome.kind === 'found' && `Used 1 request; ${formatCount(outcome.left)} left in this period.`;
  return html`<div class="summary">${totalLine(meta.total, textOf(query))}
      ${cost && html`<p class="cost">${cost}</p>`}</div>
    ${filterChips(query)}
    ${meta.total === 0 && html`${activitySuggestions(query, choices)}${noResults(query, alternatives, isMeant)}`}
    ${resultList(data, query, (meta.page - 1) * meta.pageSize + 1)}
    ${meta.total > 0 && data.length === 0 && html`<p>Page ${formatCount(meta.page)} does not exist. The last page is ${formatCount(meta.pageCount)}.</p>`}
    ${meantList(meant)}
    ${cost ? meta.pageCount > 1 && paging(query, meta.pageCount) : meta.total > 0 && next?.(outcome.page, query)}`;
}

export function paging(query: SearchQuery, pageCount: number): Html {
  return pageLinks({
    page: query.page,
    pageCount,
    action: '/explore',
    parameters: toParameters({ ...query, page: 1 }),
    addressOf: (page) => exploreAddress({ ...query, page }),
  });
}

function lead(visitor: Visitor): Html {
  return html`<p class="lead">Search by words of a name in any order, or by registration number, in any script. ${
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

/** Asks a signed-in user who came from another site. The link repeats the search from our own page. */
function confirmation(_: FoundPage, query: SearchQuery): Html {
  return html`<div class="invitation">
    <p>A link on another site led here, so these are the first results only, and nothing has been charged.</p>
    <a class="button" href="${exploreAddress(query)}">Show all results (uses 1 request)</a>
  </div>`;
}

function countryList(choices: Choices): Html {
  if (choices.entities === 0) return html`<p class="total">No companies yet: no register has been imported.</p>`;
  return html`<p class="total">Search, <a href="/match">match a list of names</a>, or browse by country:</p>
    <ul class="countries">${sortByCountryName(choices.countries).map(
      ({ code, entities }) =>
        html`<li><a href="/explore?country=${code}">${nameCountry(code)}</a> <span>${formatCount(entities)}</span></li>`,
    )}</ul>`;
}

function apiRequest({ publicUrl, query, outcome, facets }: ExploreView): Html {
  const address = apiAddress(publicUrl, query);
  const names = [...toParameters(query).keys()] as (keyof SearchQuery)[];
  const given = Object.fromEntries(names.map((name) => [name, query[name]]));
  const hasResults = 'page' in outcome && outcome.page.meta.total > 0;
  const download = outcome.kind === 'found' && hasResults;
  return html`${download && watchForm(query)}
    ${download && downloadForm(query, outcome.page.meta.total, outcome.plan)}
    ${hasResults && (facets === undefined ? NOT_COUNTED : facetLinks(facets, query))}
    <h2 id="request-title">API request</h2>
    ${codeBlock('curl', formatCurl(address))}
    ${codeBlock('TypeScript', highlight(writeTypeScript({ ...SEARCH, query: given }, publicUrl), 'ts'))}`;
}

const SEARCH = { operationId: 'searchEntities', pathParameters: {}, body: undefined, credential: 'key' } as const;

const NOT_COUNTED = html`<p class="hint">There are too many results to count the values of each filter. Narrow the search to see
  how many companies have each value.</p>`;

const MAX_SUGGESTIONS = 8;

/**
 * Links to activities whose name or code contains the typed text, unless the text is exactly one of these. Without JavaScript, the typed
 * text is sent unchanged, so the links are shown with the results.
 */
function activitySuggestions(query: SearchQuery, choices: Choices): Html | false {
  const { activity } = query;
  if (activity === undefined) return false;
  const found = suggestActivities(choices, query, MAX_SUGGESTIONS);
  if (found.length === 0 || found.some(({ value }) => value === activity)) return false;
  const links = found.map(
    ({
      value,
      entities,
    }) => html`<li><a href="${exploreAddress({ ...query, activity: value, page: 1 })}">${showText(value)}</a>
    (${formatAmount(entities, 'company', 'companies')}${query.q !== '' && ' in all'})</li>`,
  );
  return html`<div class="no-results suggested"><p>Activities with “${showText(activity)}” in their name or code:</p>
    <ul>${links}</ul></div>`;
}

/** A form that creates a monitor of the search with one click. */
function watchForm(query: SearchQuery): Html {
  // The order of the results does not affect which companies match.
  const search = toParameters({ ...query, page: 1 });
  search.delete('sort');
  return html`<form class="download" action="/dashboard/monitors/watch" method="post">
    <input type="hidden" name="search" value="${search.toString()}">
    <button class="quiet">Watch this search</button>
    <span class="hint">reports what changes</span>
  </form>`;
}

function downloadForm(query: SearchQuery, total: number, plan: Plan): Html {
  const rows = Math.min(total, maxRowsOf(plan));
  const units = countUnits(rows);
  const content = rows < total ? `the first ${formatCount(rows)} results` : formatAmount(total, 'result');
  return html`<form class="download" action="/explore/download" method="post">
    ${hiddenFields([...toParameters({ ...query, page: 1 }), ['units', String(units)]])}
    <button class="quiet">Download CSV</button>
    <span class="hint">${content}, uses ${formatAmount(units, 'request')}</span>
  </form>`;
}
