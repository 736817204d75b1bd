import type { Freshness } from '../../base/freshness.ts';
import { type Html, html } from '../../base/html.ts';
import { countries } from '../../registers/index.ts';
import type { Country, RegisterState } from '../../registry/registry.ts';
import { formatAge, formatAmount, formatCount, formatDate, formatDay, nameCountry } from '../text/formatting.ts';

const BADGES: Readonly<Record<Freshness, Html>> = {
  fresh: html`<span class="badge good">Up to date</span>`,
  due: html`<span class="badge plain">Update due</span>`,
  overdue: html`<span class="badge warn">Overdue</span>`,
};

/** Shows whether the data is current, and how often the publisher replaces the data. */
export function freshness({ register, freshness, entities, synthetic }: RegisterState): Html {
  if (entities === 0) return html`<span class="badge plain">No data yet</span>`;
  const published = register.updates === 'unknown' ? 'publishing rhythm unknown' : `published ${register.updates}`;
  const badge = synthetic ? html`<span class="badge plain">Sample</span>` : freshness && BADGES[freshness];
  return html`${badge} <span class="quiet">${published}</span>`;
}

/** The day that the data describes, when its publisher was last asked for newer data, and when it was imported. */
export function describeDates({ asOf, checkedAt, importedAt }: RegisterState, now: number) {
  return {
    asOf: asOf === null ? 'unknown' : formatDate(asOf),
    checked: checkedAt === null ? 'never' : formatAge(now - checkedAt),
    imported: importedAt === null ? 'never' : formatDay(importedAt),
  };
}

/** Shown wherever sample data appears: users must not mistake fictitious companies for real companies. */
export const sampleHint: Html = html`<p class="hint">This server holds sample data: fictitious companies in real register formats.</p>`;

/** The positions of countries on the map: one tile per country, so that small countries are legible. */
const MAP = [
  '.. .. .. .. .. .. NO SE FI',
  'CA .. .. .. .. .. .. .. .. EE',
  'US .. .. .. IE GB .. .. .. LV',
  '.. .. .. .. .. LU BE DE PL LT',
  '.. .. .. .. .. FR CH CZ SK UA .. .. .. .. JP',
  '.. .. .. .. .. .. .. SI RO MD .. .. .. .. TW',
  '.. CO .. .. .. .. .. .. .. CY IL .. IN',
  '.. PE BR .. .. .. .. .. .. .. .. .. .. SG',
  '.. .. .. .. .. .. .. .. .. .. .. .. .. AU',
  '.. CL AR .. .. .. .. .. .. .. .. .. .. .. NZ',
];
/** Countries that are not in `MAP` yet fill a last line. */
const UNDRAWN = countries.map(({ code }) => code).filter((code) => !MAP.some((line) => line.includes(code)));
const LINES = UNDRAWN.length === 0 ? MAP : [...MAP, UNDRAWN.join(' ')];
const PLACES = new Map(
  LINES.flatMap((line, row) => line.split(' ').map((code, column) => [code, [column, row]] as const)),
);
const [WIDTH, HEIGHT, GAP] = [32, 25, 3];
const COLUMNS = 15;

type Kind = 'national' | 'lei' | 'planned';

/** The countries as tiles, which link to their companies. A register of all countries, such as GLEIF, has no tile of its own. */
export function countryMap(countries: readonly Country[], registers: readonly RegisterState[]): Html {
  const size = `0 0 ${COLUMNS * (WIDTH + GAP)} ${LINES.length * (HEIGHT + GAP)}`;
  const filled = registers.filter(({ entities }) => entities > 0);
  const kindOf = ({ code, enabled }: Country): Kind =>
    filled.some(({ register }) => register.country === code) ? 'national' : enabled ? 'lei' : 'planned';
  const list = (kind: Kind) => countries.filter((country) => kindOf(country) === kind);
  const [national, lei, planned] = [list('national'), list('lei'), list('planned')];
  const unseen = [...national, ...lei].filter(({ code }) => !PLACES.has(code)).length;
  return html`<figure class="map">
    <svg viewBox="${size}" role="group" aria-label="Map of the countries with companies">
      ${countries.map((country) => tile(country, kindOf(country), filled))}
    </svg>
    <figcaption><span class="national">${formatAmount(national.length, 'country', 'countries')} with a national register</span>
      ${lei.length > 0 && html`<span class="lei">${formatCount(lei.length)} more: only companies with an LEI</span>`}
      ${planned.length > 0 && html`<span class="planned">${formatCount(planned.length)} planned</span>`}
      ${unseen > 0 && html`<small>${formatAmount(unseen, 'country has', 'countries have')} no tile: <a href="/explore">all countries</a></small>`}</figcaption>
  </figure>`;
}

function tile({ code }: Country, kind: Kind, filled: readonly RegisterState[]): Html | false {
  const place = PLACES.get(code);
  if (place === undefined) return false;
  const [x, y] = [place[0] * (WIDTH + GAP), place[1] * (HEIGHT + GAP)];
  const entities = filled.reduce((sum, { register, entities }) => sum + (register.country === code ? entities : 0), 0);
  const count = kind === 'national' ? formatAmount(entities, 'company', 'companies') : TITLES[kind];
  const drawn = html`<title>${nameCountry(code)}: ${count}</title>
    <rect x="${x + 0.5}" y="${y + 0.5}" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="5"/>
    <text x="${x + WIDTH / 2}" y="${y + 17}" text-anchor="middle">${code}</text>`;
  return html`<g class="${kind}">${kind === 'planned' ? drawn : html`<a href="/explore?country=${code}" aria-label="${code}, ${nameCountry(code)}: ${count}">${drawn}</a>`}</g>`;
}

const TITLES = { lei: 'companies with an LEI only', planned: 'planned' } as const;
