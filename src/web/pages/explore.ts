import type { Choice, Choices } from '../../search/choices.ts';
import { Q } from '../../search/read-query.ts';
import type { SearchQuery } from '../../search/search.ts';
import { type Html, html } from '../html.ts';
import { codeBlock } from '../parts/code-block.ts';
import { activityOptions, legalFormChoices } from '../parts/filter-options.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { paging } from '../parts/paging.ts';
import { type FoundPage, resultList } from '../parts/results.ts';
import type { Previewed } from '../preview.ts';
import { nameCountry } from '../text/country-name.ts';
import { plainText, showText } from '../text/display-text.ts';
import { writeAmount, writeCount } from '../text/formatting.ts';
import { apiAddress, exploreAddress, writeCurl, writeTypeScript } from '../text/search-address.ts';
import { signInAddress } from '../visitor.ts';

/** What came of a search: nothing was asked yet, results, the first results for a visitor, or a notice why there are none. */
export type Outcome =
  | { readonly kind: 'none' }
  | { readonly kind: 'found'; readonly page: FoundPage; readonly left: number }
  | Previewed;

export interface ExploreView {
  readonly visitor: Visitor;
  readonly publicUrl: string;
  /** As far as it could be read. */
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
    <p class="lead">Any part of a name or registration number, in any script. ${
      visitor === 'stranger'
        ? 'Without an account you see the first five results.'
        : 'Every search, every page and every record you open counts as one request of your account, as it would through the API.'
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
      description: 'Search official company registers by name, number, country, legal form and activity.',
    },
  );
}

function searchForm({ query, choices }: ExploreView): Html {
  const country = choices.countries.find(({ code }) => code === query.country);
  return html`<form class="search all" action="/explore" method="get" role="search" data-live-search>
    <div class="field wide">
      <label for="q">Name or number</label>
      <input id="q" name="q" type="search" value="${query.q}" maxlength="${Q.maxLength}" autocomplete="off"
        spellcheck="false" dir="auto" placeholder="Part of a name, or a registration number">
    </div>
    <div class="field half">
      <label for="country">Country</label>
      <select id="country" name="country">
        <option value="">All countries (${writeCount(choices.entities)})</option>
        ${choices.countries.map(({ code, entities }) =>
          option(code, `${nameCountry(code)} (${writeCount(entities)})`, query.country),
        )}
        ${query.country !== undefined && country === undefined && option(query.country, `${nameCountry(query.country)} (0)`, query.country)}
      </select>
    </div>
    <div class="field half" id="legal-forms" data-live>
      <label for="legalForm">Legal form</label>
      <select id="legalForm" name="legalForm">
        <option value="">All legal forms</option>
        ${legalFormChoices(choices, query).map(({ value, entities }) =>
          option(value, `${plainText(value)} (${writeCount(entities)})`, query.legalForm),
        )}
      </select>
    </div>
    <div class="field half">
      <label for="activity">Activity</label>
      <input id="activity" name="activity" value="${query.activity}" list="activities" autocomplete="off"
        placeholder="Choose one, or type its code" dir="auto">
      <datalist id="activities" data-live>${activityOptions(choices, query).map(activityOption)}</datalist>
    </div>
    <div class="field">
      <label for="activityType">Activities are</label>
      <select id="activityType" name="activityType">
        ${option('unlicensed', 'Ordinary', query.activityType)}
        ${option('licensed', 'Licensed', query.activityType)}
      </select>
    </div>
    <div class="field">
      <label for="pageSize">Results a page</label>
      <select id="pageSize" name="pageSize">
        ${pageSizes(query.pageSize).map((size) => option(String(size), String(size), String(query.pageSize)))}
      </select>
    </div>
    <div class="actions">
      <button>Search</button>
      <a href="/explore">Clear</a>
    </div>
  </form>`;
}

function option(value: string, text: string, chosen: string | undefined): Html {
  return html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`;
}

function activityOption({ value, entities }: Choice): Html {
  return html`<option value="${value}">${writeAmount(entities, 'company', 'companies')}</option>`;
}

function pageSizes(chosen: number): number[] {
  return [...new Set([10, 25, 50, 100, chosen])].sort((a, b) => a - b);
}

function results(view: ExploreView): Html {
  const { outcome, query } = view;
  switch (outcome.kind) {
    case 'none':
      return countryList(view);
    case 'refused':
      return outcome.notice;
    case 'preview':
      return html`${totalLine(outcome.page, query)}${resultList(outcome.page.data)}
        ${outcome.page.meta.total > 0 && invitation(outcome.page, query)}`;
    case 'found': {
      const { data, meta } = outcome.page;
      return html`${totalLine(outcome.page, query)}
        <p class="cost">This search counted as one request; ${writeCount(outcome.left)} left in this period.</p>
        ${resultList(data, (meta.page - 1) * meta.pageSize + 1)}
        ${meta.total > 0 && data.length === 0 && html`<p>There is no page ${writeCount(meta.page)}: the last one is ${writeCount(meta.pageCount)}.</p>`}
        ${meta.pageCount > 1 && paging(query, meta.pageCount)}`;
    }
  }
}

function totalLine({ meta }: FoundPage, { q }: SearchQuery): Html {
  return html`<p class="total" role="status"><strong>${writeAmount(meta.total, 'company', 'companies')}</strong>${
    q !== '' && html` with “${showText(q)}” in name or number`
  }${meta.total === 0 && '. Try a shorter part of the name, or fewer filters.'}</p>`;
}

function invitation({ meta }: FoundPage, query: SearchQuery): Html {
  return html`<div class="invitation">
    <p>${meta.total > meta.pageSize ? `These are the first ${meta.pageSize}.` : 'That is all there is.'}
    Sign in to open records${meta.total > meta.pageSize && ' and see every page'}: the free plan has 1,000 requests a month.</p>
    <a class="button" href="${signInAddress(exploreAddress(query))}">Sign in</a>
  </div>`;
}

function countryList({ choices }: ExploreView): Html {
  if (choices.entities === 0)
    return html`<p class="total">There are no companies here yet: no register has been imported.</p>`;
  return html`<p class="total">Type above, or begin with a country:</p>
    <ul class="countries">${choices.countries.map(
      ({ code, entities }) =>
        html`<li><a href="/explore?country=${code}">${nameCountry(code)}</a> <span>${writeCount(entities)}</span></li>`,
    )}</ul>`;
}

function apiRequest({ publicUrl, query }: ExploreView): Html {
  const address = apiAddress(publicUrl, query);
  return html`<h2 id="request-title">The same through the API</h2>
    ${codeBlock('curl', writeCurl(address))}
    ${codeBlock('TypeScript', writeTypeScript(address))}`;
}
