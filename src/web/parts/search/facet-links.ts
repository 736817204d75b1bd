import { nameRegister } from '../../../registry/register-names.ts';
import type { Choice, FacetName, Facets } from '../../../search/choices.ts';
import type { SearchQuery } from '../../../search/search.ts';
import { type Html, html } from '../../html.ts';
import { nameCountry } from '../../text/country-name.ts';
import { plainText, showText } from '../../text/display-text.ts';
import { formatCount } from '../../text/formatting.ts';
import { nameIndustry } from '../../text/industry.ts';
import { shortenLegalForm } from '../../text/legal-form.ts';
import { exploreAddress } from '../../text/search-address.ts';

const TITLES: Readonly<Record<FacetName, string>> = {
  country: 'Country',
  status: 'Status',
  legalFormClass: 'Kind of legal form',
  isic: 'Industry',
  legalForm: 'Legal form',
  register: 'Register',
};

/** Values per filter. The form has all of them. */
const MAX_VALUES = 6;

/** The text of a value of a filter. */
export function nameValue(name: FacetName, value: string): string {
  if (name === 'country') return nameCountry(value);
  if (name === 'isic') return nameIndustry(value);
  if (name === 'status' || name === 'legalFormClass') return value.replaceAll('_', ' ');
  return name === 'register' ? nameRegister(value) : plainText(value);
}

/** The most frequent values in the results, as links to the results with them. False if no filter would narrow the results. */
export function facetLinks(facets: Facets, query: SearchQuery): Html | false {
  const groups = (Object.keys(TITLES) as FacetName[]).filter(
    (name) => query[name] === undefined && listValues(name, facets).length > 1 && isUseful(name, facets),
  );
  if (groups.length === 0) return false;
  return html`<nav class="facets" aria-label="Narrow the results">${groups.map((name) => {
    const values = listValues(name, facets);
    return html`<h2>${TITLES[name]}</h2>
      <ul>${values.slice(0, MAX_VALUES).map((choice) => link(name, choice, query))}
      ${values.length > MAX_VALUES && html`<li class="hint">and ${formatCount(values.length - MAX_VALUES)} more in the filters</li>`}</ul>`;
  })}</nav>`;
}

/** Of industries, the divisions: the form has the sections, too. */
function listValues(name: FacetName, facets: Facets): readonly Choice[] {
  return name === 'isic' ? (facets.isic ?? []).filter(({ value }) => value.length === 2) : facets[name];
}

/** Most countries have one register, so registers say more than countries only if there are more of them. */
function isUseful(name: FacetName, { country, register }: Facets): boolean {
  return name !== 'register' || register.length !== country.length;
}

function link(name: FacetName, { value, entities }: Choice, query: SearchQuery): Html {
  const text = name === 'legalForm' ? shortenLegalForm(value) : nameValue(name, value);
  return html`<li><a href="${exploreAddress({ ...query, [name]: value, page: 1 })}">${showText(text)}</a>
    <span class="count">${formatCount(entities)}</span></li>`;
}
