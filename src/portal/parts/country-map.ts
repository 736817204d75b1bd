import type { Country, RegisterState } from '../../registry/registry.ts';
import { type Html, html } from '../html.ts';
import { formatAmount, nameCountry } from '../text/formatting.ts';

/** Where countries are on the map: one tile each, so that small ones can be read. */
const MAP = [
  '.. .. .. .. .. .. NO SE FI',
  'CA .. .. .. .. .. .. .. .. EE',
  'US .. .. .. IE GB .. .. .. LV',
  '.. .. .. .. .. LU BE DE PL LT',
  '.. .. .. .. .. FR CH CZ SK UA .. .. .. .. JP',
  '.. .. .. .. .. .. .. SI RO MD',
  '.. CO .. .. .. .. .. .. .. CY IL .. IN',
  '.. .. BR .. .. .. .. .. .. .. .. .. .. SG',
  '.. .. .. .. .. .. .. .. .. .. .. .. .. AU',
  '.. .. .. .. .. .. .. .. .. .. .. .. .. .. NZ',
];
const PLACES = new Map(
  MAP.flatMap((line, row) => line.split(' ').map((code, column) => [code, [column, row]] as const)),
);
const [WIDTH, HEIGHT, GAP] = [32, 25, 3];
const COLUMNS = 15;

/**
 * The countries as tiles: those whose register is served, and the others that are listed. The text below has the same in words. A
 * register of all countries, such as GLEIF, fills no tile.
 */
export function countryMap(
  countries: readonly Country[],
  registers: readonly RegisterState[],
  link: Html | false = html`<a href="/coverage">Coverage in detail</a>`,
): Html {
  const size = `0 0 ${COLUMNS * (WIDTH + GAP)} ${MAP.length * (HEIGHT + GAP)}`;
  const served = registers.filter(({ register, entities }) => register.country !== null && entities > 0);
  const names = [...new Set(served.map(({ register }) => nameCountry(register.country ?? '')))].sort();
  return html`<figure class="map">
    <svg viewBox="${size}" role="img" aria-label="Map of the countries served: ${names.join(', ')}">
      ${countries.map(({ code }) => tile(code, served))}
    </svg>
    <figcaption><span class="served">National register</span> <span class="planned-tile">Planned, or companies with an LEI only</span>
      <p>${names.length > 0 && `${names.join(', ')}. `}${link}</p></figcaption>
  </figure>`;
}

function tile(code: string, served: readonly RegisterState[]): Html | false {
  const place = PLACES.get(code);
  if (place === undefined) return false;
  const [x, y] = [place[0] * (WIDTH + GAP), place[1] * (HEIGHT + GAP)];
  const entities = served.reduce((sum, { register, entities }) => sum + (register.country === code ? entities : 0), 0);
  const title = `${nameCountry(code)}${entities > 0 ? `: ${formatAmount(entities, 'company', 'companies')}` : ''}`;
  return html`<g class="${entities > 0 ? 'served' : 'planned'}"><title>${title}</title>
    <rect x="${x + 0.5}" y="${y + 0.5}" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="5"/>
    <text x="${x + WIDTH / 2}" y="${y + 17}" text-anchor="middle">${code}</text></g>`;
}
