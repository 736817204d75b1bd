import type { Choice, Choices } from '../../../search/choices.ts';
import type { SearchQuery } from '../../../search/search.ts';
import { type Html, html, trusted } from '../../html.ts';
import { nameCountry, sortByCountryName } from '../../text/country-name.ts';
import { plainText } from '../../text/display-text.ts';
import { formatAmount, formatCount } from '../../text/formatting.ts';
import { countFilters } from './filter-chips.ts';
import { activityOptions, legalFormChoices, registerChoices, statusChoices } from './filter-options.ts';
import { searchField } from './search-field.ts';

/** The search form of the explore page. On small screens the filters are folded. */
export function searchForm(query: SearchQuery, choices: Choices): Html {
  const country = choices.countries.find(({ code }) => code === query.country);
  const filters = countFilters(query);
  return html`<form class="search all" action="/explore" method="get" role="search" data-live-search="/explore/suggest">
    <div class="line">${searchField('Name or number', query.q)}<button>Search</button></div>
    <details class="filters">
      <summary>Filters<span id="filter-count" data-live>${filters > 0 && ` (${filters})`}</span></summary>
      <div class="grid">
        <div class="field">
          <label for="country">Country</label>
          <select id="country" name="country">
            <option value="">All countries</option>
            ${sortByCountryName(choices.countries).map(({ code, entities }) =>
              option(code, `${nameCountry(code)} (${formatCount(entities)})`, query.country),
            )}
            ${query.country !== undefined && country === undefined && option(query.country, `${nameCountry(query.country)} (0)`, query.country)}
          </select>
        </div>
        <div class="field" id="statuses" data-live>
          <label for="status">Status</label>
          <select id="status" name="status">
            <option value="">All statuses</option>
            ${statusChoices(choices, query).map((choice) =>
              countedOption(choice, query.status, choice.value.replaceAll('_', ' ')),
            )}
          </select>
        </div>
        <div class="field" id="registers" data-live>
          <label for="register">Register</label>
          <select id="register" name="register">
            <option value="">All registers</option>
            ${registerChoices(choices, query).map((choice) => countedOption(choice, query.register))}
          </select>
        </div>
        <div class="field" id="legal-forms" data-live>
          <label for="legalForm">Legal form</label>
          <select id="legalForm" name="legalForm">
            <option value="">All legal forms</option>
            ${renderLongList(legalFormChoices(choices, query), (choice) => countedOption(choice, undefined), query.legalForm)}
          </select>
          ${query.legalFormCode !== undefined && html`<input type="hidden" name="legalFormCode" value="${query.legalFormCode}">`}
        </div>
        <div class="field">
          <label for="activity">Activity</label>
          <input id="activity" name="activity" value="${query.activity}" list="activities" autocomplete="off"
            placeholder="Name or code" dir="auto">
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
      </div>
    </details>
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

/** An option with its number of companies. The number is left out if it is 0. */
function countedOption({ value, entities }: Choice, chosen: string | undefined, text = plainText(value)): Html {
  return option(value, entities === 0 ? text : `${text} (${formatCount(entities)})`, chosen);
}

function activityOption({ value, entities }: Choice): Html {
  return html`<option value="${value}">${formatAmount(entities, 'company', 'companies')}</option>`;
}

function pageSizes(chosen: number): number[] {
  return [...new Set([10, 25, 50, 100, chosen])].sort((a, b) => a - b);
}
