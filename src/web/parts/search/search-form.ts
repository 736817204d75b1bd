import { isicCodes } from '../../../classifications/isic.ts';
import type { Choice, Choices } from '../../../search/choices.ts';
import { type SearchQuery, sortOrders } from '../../../search/search.ts';
import { type Html, html } from '../../html.ts';
import { formatAmount, formatCount } from '../../text/formatting.ts';
import { nameIndustry } from '../../text/industry.ts';
import { SORT_NAMES } from '../../text/search-address.ts';
import { nameValue } from './facet-links.ts';
import { countFilters } from './filter-chips.ts';
import { activityOptions, type Counts, hasLicensed, type ListedName, listOptions } from './filter-options.ts';
import { searchField } from './search-field.ts';

/** The search form of the explore page. On small screens the filters are folded. */
export function searchForm(query: SearchQuery, choices: Choices, counts: Counts): Html {
  const filters = countFilters(query);
  const filter = (name: ListedName, label: string, all: string, more?: Html | false) => {
    const options = listOptions(choices, query, counts, name).map(
      (choice) => [choice, nameValue(name, choice.value)] as const,
    );
    // Countries and registers are looked up by name.
    if (name === 'country' || name === 'register') options.sort(([, a], [, b]) => (a < b ? -1 : 1));
    return html`<div class="field" id="${name}-field" data-live>
          <label for="${name}">${label}</label>
          <select id="${name}" name="${name}">
            <option value="">${all}</option>
            ${options.map(([choice, text]) => countedOption(choice, query[name], text))}
          </select>${more}
        </div>`;
  };
  const day = (name: 'registeredFrom' | 'registeredTo', label: string) => html`<div class="field">
          <label for="${name}">${label}</label>
          <input id="${name}" name="${name}" type="date" value="${query[name]}">
        </div>`;
  const { legalFormCode, elf } = query;
  return html`<form class="search all" action="/explore" method="get" role="search" data-live-search="/explore/suggest">
    <div class="line">${searchField('Name or number', query.q)}<button>Search</button></div>
    <details class="filters">
      <summary>Filters<span id="filter-count" data-live>${filters > 0 && ` (${filters})`}</span></summary>
      <div class="grid">
        ${filter('country', 'Country', 'All countries')}
        ${filter('status', 'Status', 'All statuses')}
        ${filter('register', 'Register', 'All registers')}
        ${filter('legalFormClass', 'Kind of legal form', 'All kinds')}
        ${filter(
          'legalForm',
          'Legal form',
          'All legal forms',
          html`${legalFormCode !== undefined && html`<input type="hidden" name="legalFormCode" value="${legalFormCode}">`}${
            elf !== undefined && html`<input type="hidden" name="elf" value="${elf}">`
          }`,
        )}
        <div class="field">
          <label for="activity">Activity</label>
          <input id="activity" name="activity" value="${query.activity}" list="activities" autocomplete="off"
            placeholder="Name or code" dir="auto">
          <datalist id="activities" data-live>${activityOptions(choices, query).map(activityOption)}</datalist>
        </div>
        <div class="field" id="isic-field" data-live>
          <label for="isic">Industry (ISIC)</label>
          <select id="isic" name="isic">
            <option value="">All industries</option>
            ${listIndustries(choices, query, counts).map((choice) => countedOption(choice, query.isic, nameIndustry(choice.value)))}
          </select>
        </div>
        <div class="field" id="activity-type" data-live>${hasLicensed(choices, query) && activityTypes(query)}</div>
        ${day('registeredFrom', 'Registered from')}
        ${day('registeredTo', 'Registered until')}
        <div class="field">
          <label for="sort">Sort by</label>
          <select id="sort" name="sort">${sortOrders.map((order) => option(order, SORT_NAMES[order], query.sort))}</select>
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

/** Sections and divisions with companies, in the order of the classification, and what was asked for. */
function listIndustries({ isic }: Choices, query: SearchQuery, counts: Counts): Choice[] {
  const inResults = typeof counts === 'object' ? counts.isic : undefined;
  const counted = inResults && new Map(inResults.map(({ value, entities }) => [value, entities]));
  const offered = counted ?? isic.codes;
  const known = isicCodes.filter((code) => code.length <= 2 && offered.has(code));
  const asked = query.isic === undefined || known.includes(query.isic) ? [] : [query.isic];
  const shown = counts === 'all' ? isic.codes : counted;
  return [...known, ...asked].map((value) => ({ value, entities: shown?.get(value) ?? 0 }));
}

/** Only where a register has licensed activities: elsewhere the choice would mean nothing. */
function activityTypes({ activityType }: SearchQuery): Html {
  return html`<label for="activityType">Activity type</label>
    <select id="activityType" name="activityType">
      ${option('unlicensed', 'Unlicensed', activityType)}
      ${option('licensed', 'Licensed', activityType)}
    </select>`;
}

function option(value: string, text: string, chosen: string | undefined): Html {
  return html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`;
}

/** An option with its number of companies. The number is left out if it is 0. */
function countedOption({ value, entities }: Choice, chosen: string | undefined, text: string): Html {
  return option(value, entities === 0 ? text : `${text} (${formatCount(entities)})`, chosen);
}

function activityOption({ value, entities }: Choice): Html {
  return html`<option value="${value}">${formatAmount(entities, 'company', 'companies')}</option>`;
}

function pageSizes(chosen: number): number[] {
  return [...new Set([10, 25, 50, chosen])].sort((a, b) => a - b);
}
