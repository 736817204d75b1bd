import type { Choice, Choices } from '../../search/choices.ts';
import type { SearchQuery } from '../../search/search.ts';
import { type Html, html, trusted } from '../html.ts';
import { codeBlock } from '../parts/code-block.ts';
import { activityOptions, legalFormChoices, registerChoices, statusChoices } from '../parts/filter-options.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { paging } from '../parts/paging.ts';
import { freePlanHint } from '../parts/plan-cards.ts';
import { type FoundPage, resultList, totalLine } from '../parts/results.ts';
import { searchField } from '../parts/search-field.ts';
import type { Previewed } from '../preview.ts';
import { nameCountry, sortByCountryName } from '../text/country-name.ts';
import { plainText } from '../text/display-text.ts';
import { formatAmount, formatCount } from '../text/formatting.ts';
import { apiAddress, exploreAddress, formatCurl, formatTypeScript } from '../text/search-address.ts';
import { signInAddress } from '../visitor.ts';

/** No search yet, results, the first results for a visitor, or a notice that says why there are none. */
export type Outcome =
  | { readonly kind: 'none' }
  | { readonly kind: 'found'; readonly page: FoundPage; readonly left: number }
  | Previewed;

export interface ExploreView {
  readonly visitor: Visitor;
  readonly publicUrl: string;
  /** Without the parameters that are invalid. */
  readonly query: SearchQuery;
  readonly choices: Choices;
  readonly outcome: Outcome;
}

export function explorePage(view: ExploreView): Html {
  const { visitor, query, outcome } = view;
  const title = query.q === '' ? 'Explore companies' : `${plainText(query.q)}: companies`;
  return layout(
    title,
    html`<h1>Explore companies</h1>
    <p class="lead">Search by any part of a name or registration number, in any script. ${
      visitor === 'anonymous'
        ? 'Without an account you see the first five results.'
        : 'Each search, result page and record counts as one request, just like the API.'
    }</p>
    ${searchForm(view)}
    <div class="explore">
      <section id="results" data-live aria-label="Results">${results(view)}</section>
      <aside id="request" data-live aria-labelledby="request-title">${outcome.kind !== 'none' && apiRequest(view)}</aside>
    </div>`,
    {
      section: '/explore',
      visitor,
      scripts: ['copy.js', 'live-search.js'],
      description: 'Search official company registers by name, number, country, status, legal form and activity.',
    },
  );
}

function searchForm({ query, choices }: ExploreView): Html {
  const country = choices.countries.find(({ code }) => code === query.country);
  return html`<form class="search all" action="/explore" method="get" role="search" data-live-search>
    ${searchField('Name or number', query.q)}
    <div class="field half">
      <label for="country">Country</label>
      <select id="country" name="country">
        <option value="">All countries (${formatCount(choices.entities)})</option>
        ${sortByCountryName(choices.countries).map(({ code, entities }) =>
          option(code, `${nameCountry(code)} (${formatCount(entities)})`, query.country),
        )}
        ${query.country !== undefined && country === undefined && option(query.country, `${nameCountry(query.country)} (0)`, query.country)}
      </select>
    </div>
    <div class="field half" id="statuses" data-live>
      <label for="status">Status</label>
      <select id="status" name="status">
        <option value="">All statuses</option>
        ${statusChoices(choices, query).map((choice) =>
          countedOption(choice, query.status, choice.value.replaceAll('_', ' ')),
        )}
      </select>
    </div>
    <div class="field half" id="registers" data-live>
      <label for="register">Register</label>
      <select id="register" name="register">
        <option value="">All registers</option>
        ${registerChoices(choices, query).map((choice) => countedOption(choice, query.register))}
      </select>
    </div>
    <div class="field half" id="legal-forms" data-live>
      <label for="legalForm">Legal form</label>
      <select id="legalForm" name="legalForm">
        <option value="">All legal forms</option>
        ${renderLongList(legalFormChoices(choices, query), (choice) => countedOption(choice, undefined), query.legalForm)}
      </select>
    </div>
    <div class="field half">
      <label for="activity">Activity</label>
      <input id="activity" name="activity" value="${query.activity}" list="activities" autocomplete="off"
        placeholder="Select one or type its code" dir="auto">
      <datalist id="activities" data-live>${renderLongList(activityOptions(choices, query), activityOption)}</datalist>
    </div>
    <div class="field">
      <label for="activityType">Activity type</label>
      <select id="activityType" name="activityType">
        ${option('unlicensed', 'Unlicensed', query.activityType)}
        ${option('licensed', 'Licensed', query.activityType)}
      </select>
    </div>
    <div class="field">
      <label for="pageSize">Results per page</label>
      <select id="pageSize" name="pageSize">
        ${pageSizes(query.pageSize).map((size) => option(String(size), String(size), String(query.pageSize)))}
      </select>
    </div>
    <div class="actions half">
      <button>Search</button>
      <a href="/explore">Clear</a>
    </div>
  </form>`;
}

/**
 * Renders the options of a long list once and keeps them: up to 600 options would be most of the work for a page. The selected
 * option is then marked in the text, or added if the list does not contain it.
 */
function renderLongList(choices: readonly Choice[], render: (choice: Choice) => Html, chosen?: string): Html {
  const options = longLists.get(choices) ?? html`${choices.map(render)}`;
  longLists.set(choices, options);
  if (chosen === undefined) return options;
  const start = html`<option value="${chosen}"`.text;
  if (!options.text.includes(`${start}>`))
    return html`${options}${countedOption({ value: chosen, entities: 0 }, chosen)}`;
  return trusted(options.text.replace(`${start}>`, () => `${start} selected>`));
}

/** By the list of choices, which is the same for all requests as long as the data does not change. */
const longLists = new WeakMap<readonly Choice[], Html>();

function option(value: string, text: string, chosen: string | undefined): Html {
  return html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`;
}

/** Without a count if it is not known: a legal form can also be given by its code. */
function countedOption({ value, entities }: Choice, chosen: string | undefined, text = plainText(value)): Html {
  return option(value, entities === 0 ? text : `${text} (${formatCount(entities)})`, chosen);
}

function activityOption({ value, entities }: Choice): Html {
  return html`<option value="${value}">${formatAmount(entities, 'company', 'companies')}</option>`;
}

function pageSizes(chosen: number): number[] {
  return [...new Set([10, 25, 50, 100, chosen])].sort((a, b) => a - b);
}

function results(view: ExploreView): Html {
  const { outcome, query, visitor } = view;
  switch (outcome.kind) {
    case 'none':
      return countryList(view);
    case 'refused':
      return outcome.notice;
    case 'preview':
      return html`${totalLine(outcome.page.meta.total, query.q)}${resultList(outcome.page.data)}
        ${outcome.page.meta.total > 0 && (visitor === 'anonymous' ? invitation(outcome.page, query) : confirmation(query))}`;
    case 'found': {
      const { data, meta } = outcome.page;
      return html`${totalLine(meta.total, query.q)}
        <p class="cost">This search used one request; ${formatCount(outcome.left)} left in this period.</p>
        ${resultList(data, (meta.page - 1) * meta.pageSize + 1)}
        ${meta.total > 0 && data.length === 0 && html`<p>Page ${formatCount(meta.page)} does not exist. The last page is ${formatCount(meta.pageCount)}.</p>`}
        ${meta.pageCount > 1 && paging(query, meta.pageCount)}`;
    }
  }
}

function invitation({ meta }: FoundPage, query: SearchQuery): Html {
  const hasMore = meta.total > meta.pageSize;
  return html`<div class="invitation">
    <p>${hasMore ? `Showing the first ${meta.pageSize}. Sign in to open records and see every page.` : 'Sign in to open records.'}
    ${freePlanHint()}</p>
    <a class="button" href="${signInAddress(exploreAddress(query))}">Sign in</a>
  </div>`;
}

/** For a signed-in user whom another site sent here. The link leads to the same search, but from our own page. */
function confirmation(query: SearchQuery): Html {
  return html`<div class="invitation">
    <p>A link on another site led here, so these are the first results only, and nothing has been charged.</p>
    <a class="button" href="${exploreAddress(query)}">Show all results (uses 1 request)</a>
  </div>`;
}

function countryList({ choices }: ExploreView): Html {
  if (choices.entities === 0) return html`<p class="total">No companies yet: no register has been imported.</p>`;
  return html`<p class="total">Search, or browse by country:</p>
    <ul class="countries">${sortByCountryName(choices.countries).map(
      ({ code, entities }) =>
        html`<li><a href="/explore?country=${code}">${nameCountry(code)}</a> <span>${formatCount(entities)}</span></li>`,
    )}</ul>`;
}

function apiRequest({ publicUrl, query }: ExploreView): Html {
  const address = apiAddress(publicUrl, query);
  return html`<h2 id="request-title">API request</h2>
    ${codeBlock('curl', formatCurl(address))}
    ${codeBlock('TypeScript', formatTypeScript(address))}`;
}
