import type { SearchQuery } from '../../../search/search.ts';
import type { Alternative, Alternatives } from '../../alternatives.ts';
import { type Html, html } from '../../html.ts';
import { nameCountry } from '../../text/country-name.ts';
import { showText } from '../../text/display-text.ts';
import { formatAmount } from '../../text/formatting.ts';
import { exploreAddress } from '../../text/search-address.ts';
import { countFilters } from './filter-chips.ts';

/** Says why a search found nothing, and links to searches that find something. Other words are not offered if a company is likely to be meant. */
export function noResults(query: SearchQuery, alternatives: Alternatives | undefined, isMeant: boolean): Html {
  const { spelling, fewerFilters = [], noFilters, countries = [], words = [] } = alternatives ?? {};
  const items = [
    !isMeant && spelling && html`With another spelling: ${link(spelling, showText(spelling.query.q))}`,
    ...fewerFilters.map((one) => html`${link(one, html`Without ${one.filter.label}: ${showText(one.filter.value)}`)}`),
    noFilters && link(noFilters, 'Without filters'),
    countries.length > 0 &&
      html`In other countries: ${countries.map(
        (country, at) =>
          html`${at > 0 && ', '}<a href="${exploreAddress({ ...query, country, register: undefined, page: 1 })}">${nameCountry(country)}</a>`,
      )}`,
    ...(isMeant ? [] : words).map((one) => html`Only ${link(one, showText(one.query.q))}`),
  ].filter((item) => item !== undefined && item !== false);
  return html`<div class="no-results"><p>${explain(query, fewerFilters.length > 0 || noFilters !== undefined)}</p>
    ${items.length > 0 && html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`}
    ${items.length === 0 && !isMeant && html`<p class="hint">Try a shorter part of the name, or the registration number.</p>`}</div>`;
}

function explain(query: SearchQuery, isFiltered: boolean): Html {
  const filters = countFilters(query);
  if (query.q === '') return html`No company matches all of these filters.`;
  if (isFiltered)
    return html`Companies match “${showText(query.q)}”, but not with ${filters === 1 ? 'this filter' : 'these filters'}.`;
  return html`No name or registration number ${filters > 0 && 'in this selection '}contains “${showText(query.q)}”.`;
}

function link({ query, total }: Alternative, text: Html | string): Html {
  return html`<a href="${exploreAddress(query)}">${text}</a> (${formatAmount(total, 'company', 'companies')})`;
}
