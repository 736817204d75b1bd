import type { Country, RegisterState } from '../../registry/registry.ts';
import { type Html, html } from '../html.ts';
import { formatAmount, nameCountry } from '../text/formatting.ts';

/** Where a country is on the map: columns from west to east, rows from north to south. One tile per country, so that small ones can be read. */
const PLACES: Readonly<Record<string, readonly [column: number, row: number]>> = {
  NO: [6, 0],
  SE: [7, 0],
  FI: [8, 0],
  CA: [0, 1],
  EE: [9, 1],
  US: [0, 2],
  IE: [4, 2],
  GB: [5, 2],
  LV: [9, 2],
  BE: [6, 3],
  LU: [5, 3],
  DE: [7, 3],
  PL: [8, 3],
  LT: [9, 3],
  FR: [5, 4],
  CH: [6, 4],
  CZ: [7, 4],
  SK: [8, 4],
  UA: [9, 4],
  RO: [8, 5],
  MD: [9, 5],
  CO: [1, 6],
  CY: [9, 6],
  IL: [10, 6],
  IN: [12, 6],
  JP: [14, 4],
  BR: [2, 7],
  SG: [13, 7],
  AU: [13, 8],
  NZ: [14, 9],
};

const [WIDTH, HEIGHT, GAP] = [32, 25, 3];
const [COLUMNS, ROWS] = [15, 10];

/**
 * The countries as tiles: those whose register is served, and the others that are listed. The text below has the same in words. A
 * register of all countries, such as GLEIF, fills no tile.
 */
export function countryMap(
  countries: readonly Country[],
  registers: readonly RegisterState[],
  link: Html | false = html`<a href="/coverage">Coverage in detail</a>`,
): Html {
  const size = `0 0 ${COLUMNS * (WIDTH + GAP)} ${ROWS * (HEIGHT + GAP)}`;
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
  const place = PLACES[code];
  if (place === undefined) return false;
  const [x, y] = [place[0] * (WIDTH + GAP), place[1] * (HEIGHT + GAP)];
  const entities = served.reduce((sum, { register, entities }) => sum + (register.country === code ? entities : 0), 0);
  const title = `${nameCountry(code)}${entities > 0 ? `: ${formatAmount(entities, 'company', 'companies')}` : ''}`;
  return html`<g class="${entities > 0 ? 'served' : 'planned'}"><title>${title}</title>
    <rect x="${x + 0.5}" y="${y + 0.5}" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="5"/>
    <text x="${x + WIDTH / 2}" y="${y + 17}" text-anchor="middle">${code}</text></g>`;
}
