import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { fail } from '../../core/errors.ts';
import type { Country, RegisterState } from '../../registry/registry.ts';
import { type Html, html } from '../html.ts';
import { createKeptPages, identifyData } from '../kept-pages.ts';
import { factList, notice, scrollArea } from '../parts/blocks.ts';
import { countryMap } from '../parts/country-map.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { describeDates, freshness, sampleHint } from '../parts/record/freshness.ts';
import { sendPage } from '../send-page.ts';
import type { PageServices } from '../services.ts';
import { formatAmount, formatCount, formatMoment, nameCountry } from '../text/formatting.ts';
import { findVisitor } from '../visitor.ts';

/** Public pages about the data: which registers there are, and whether the service is up. */
export function registerRegisterPages(app: FastifyInstance, services: PageServices): void {
  const { version, registry, clock, isReady, isPrepared, search } = services;
  const kept = createKeptPages();

  app.get('/coverage', async (request, reply) => {
    if (!isPrepared()) throw fail('service_unavailable', { retryAfter: 1 });
    const now = clock.now();
    const [visitor, countries, registers, classified] = await Promise.all([
      findVisitor(request, services),
      registry.listCountries(),
      registry.listRegisters(now),
      countClassified(search),
    ]);
    const render = () => coveragePage({ visitor, countries, registers, now, classified });
    if (visitor !== 'anonymous') return sendPage(reply, render());
    const counts = classified && [[...classified.isic], [...classified.elf]];
    const data = identifyData({ countries, registers, now }) + JSON.stringify(counts);
    return sendPage(reply, kept.find('/coverage', data, render));
  });

  // Must work while the database is down, so every read may fail.
  app.get('/status', async (request, reply) => {
    const ready = await isReady();
    const now = clock.now();
    const registers = isPrepared() ? await registry.listRegisters(now).catch(() => undefined) : undefined;
    const visitor = await findVisitor(request, services);
    return sendPage(reply, statusPage({ visitor, version, isReady: ready, registers, now }));
  });
}

/** Undefined if they cannot be counted now: the page has all the rest. */
async function countClassified(search: PageServices['search']) {
  if (!search.isReady()) return undefined;
  const counted = search.listChoices().catch(() => undefined);
  const choices = await Promise.race([counted, sleep(COUNT_MS, undefined, { ref: false })]);
  return choices && { isic: choices.isic.registers, elf: choices.withElf };
}

/** Counting a large database for the first time takes longer; then the next visitor sees the numbers. */
const COUNT_MS = 500;

export interface CoverageView {
  readonly visitor: Visitor;
  readonly countries: readonly Country[];
  readonly registers: readonly RegisterState[];
  readonly now: number;
  /** How many companies of each register have a code of each classification; undefined while they are not counted. */
  readonly classified:
    | { readonly isic: ReadonlyMap<string, number>; readonly elf: ReadonlyMap<string, number> }
    | undefined;
}

export function coveragePage({ visitor, countries, registers, now, classified }: CoverageView): Html {
  const names = new Map(countries.map(({ code, name }) => [code, name]));
  const served = registers.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const withRegister = new Set(registers.map(({ register }) => register.country));
  const planned = countries
    .filter(({ code, enabled }) => !enabled && !withRegister.has(code))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const filled = registers.filter((state) => state.entities > 0);
  const entities = filled.reduce((sum, state) => sum + state.entities, 0);
  function nameOf({ register }: RegisterState): string {
    return register.country === null ? 'All countries' : (names.get(register.country) ?? register.country);
  }
  return layout(
    'Coverage',
    html`<h1>Coverage</h1>
    <p class="lead">The registers you can search: who publishes them, under which licence, and how current they are.
    They share one set of <a href="/docs/fields#registers">fields</a> and <a href="/docs/status">statuses</a>.</p>
    <p><strong>${formatAmount(entities, 'company', 'companies')}</strong> from ${formatAmount(filled.length, 'register')}.</p>
    ${registers.some(({ synthetic }) => synthetic) && sampleHint}
    ${filled.length > 0 && countryMap(countries, registers, false)}
    ${scrollArea('Registers', registerTable(served, nameOf, now, classified))}
    <section aria-labelledby="planned-title">
      <h2 id="planned-title">Planned</h2>
      <p>These countries have no data yet. Adding a country does not change the API.</p>
      <ul class="planned">${planned.map(
        ({ code, name, nativeName }) =>
          html`<li>${name} <span class="quiet">${code}${nativeName !== name && html` · <bdi>${nativeName}</bdi>`}</span></li>`,
      )}</ul>
    </section>`,
    {
      section: '/coverage',
      visitor,
      description: 'Countries and registers: source, licence, number of companies, last import.',
    },
  );
}

function registerTable(
  states: readonly RegisterState[],
  nameOf: (state: RegisterState) => string,
  now: number,
  classified: CoverageView['classified'],
): Html {
  return html`<table class="stack">
    <thead><tr><th>Country</th><th>Register and source</th><th>Licence</th><th class="number">Companies</th><th class="number">With <a href="/docs/classifications">ISIC</a></th><th class="number">With <a href="/docs/legal-forms">ELF</a></th><th>Freshness</th></tr></thead>
    <tbody>${states.map(
      (state) => html`<tr>
        <th scope="row">${nameOf(state)} <span class="quiet">${state.register.country ?? ''}</span></th>
        <td data-label="Register"><strong>${state.register.name}</strong><br>${state.register.publisher} ·
          <a href="${state.register.sourceUrl}" rel="noreferrer noopener">official source<span class="hidden"> of ${nameOf(state)}</span></a> ·
          <a href="/docs/registers/${state.register.id}">fields<span class="hidden"> of ${nameOf(state)}</span></a></td>
        <td data-label="Licence">${licence(state)}</td>
        <td data-label="Companies" class="number">${companies(state, nameOf(state))}</td>
        <td data-label="With ISIC" class="number">${share(state, classified?.isic)}</td>
        <td data-label="With ELF" class="number">${share(state, classified?.elf)}</td>
        <td data-label="Freshness">${freshness(state)}${dates(state, now)}</td>
      </tr>`,
    )}</tbody>
  </table>`;
}

function share({ register, entities }: RegisterState, counted: ReadonlyMap<string, number> | undefined): string {
  if (counted === undefined || entities === 0) return '–';
  // Not rounded up: 100 % are all.
  return `${Math.floor((1000 * (counted.get(register.id) ?? 0)) / entities) / 10} %`;
}

/** Leads to them. The companies of a register of all countries cannot be listed alone. */
function companies({ register, entities }: RegisterState, name: string): Html {
  const count = formatCount(entities);
  if (entities === 0 || register.country === null) return html`${count}`;
  return html`<a href="/explore?country=${register.country}">${count}<span class="hidden"> companies in ${name}</span></a>`;
}

/** As the publisher states it, and who to name. */
function licence({ register }: RegisterState): Html {
  const { licence, licenceUnknown, attribution, sourceUrl } = register;
  if (licenceUnknown) {
    return html`${licence}: ask <a href="${sourceUrl}" rel="noreferrer noopener">the publisher<span class="hidden"> ${register.publisher}</span></a>
      before you pass the data on`;
  }
  return html`${licence}<br><span class="quiet">Attribution: ${attribution}</span>`;
}

function dates(state: RegisterState, now: number): Html {
  if (state.entities === 0) return html``;
  const { asOf, checked, imported } = describeDates(state, now);
  return html`<br><span class="keep">Data as of: ${asOf}</span><br>
    <span class="quiet"><span class="keep">Last check: ${checked}</span><br>
    <span class="keep">Imported: ${imported}</span></span>`;
}

export interface StatusView {
  readonly visitor: Visitor;
  readonly version: string;
  readonly isReady: boolean;
  /** Undefined if the database does not answer. */
  readonly registers: readonly RegisterState[] | undefined;
  readonly now: number;
}

export function statusPage({ visitor, version, isReady, registers, now }: StatusView): Html {
  return layout(
    'Status',
    html`<h1>Status</h1>
    ${
      isReady
        ? notice('good', 'All systems operational', 'The API and search are available.')
        : notice(
            'bad',
            'Service unavailable',
            'A database or the search index is not available. Requests fail with 503 until it is back: check again shortly.',
          )
    }
    ${factList([
      ['Version', version],
      ['Checked', formatMoment(now)],
      ['Health checks', healthLinks],
    ])}
    <h2>Data</h2>
    ${registers === undefined ? html`<p class="empty">Unknown: the database does not answer.</p>` : scrollArea('Data by register', dataTable(registers, now))}`,
    { section: '/status', visitor },
  );
}

const healthLinks = html`<a href="/api/v1/health/ready"><code>/api/v1/health/ready</code></a>,
  <a href="/api/v1/health/live"><code>/api/v1/health/live</code></a>`;

function dataTable(registers: readonly RegisterState[], now: number): Html {
  return html`<table class="stack">
    <thead><tr><th>Register</th><th class="number">Companies</th><th>Data as of</th><th>Last check</th><th>Imported</th><th>Freshness</th></tr></thead>
    <tbody>${sortByPlace(registers).map((state) => {
      const { asOf, checked, imported } = describeDates(state, now);
      return html`<tr>
        <th scope="row">${placeOf(state)} · ${state.register.name}</th>
        <td class="number" data-label="Companies">${formatCount(state.entities)}</td>
        <td class="keep" data-label="Data as of">${asOf}</td>
        <td class="keep" data-label="Last check">${checked}</td>
        <td class="keep" data-label="Imported">${imported}</td>
        <td data-label="Freshness">${freshness(state)}</td>
      </tr>`;
    })}</tbody>
  </table>`;
}

function placeOf({ register: { country } }: RegisterState): string {
  return country === null ? 'All countries' : nameCountry(country);
}

/** In the order of the coverage page. */
function sortByPlace(registers: readonly RegisterState[]): RegisterState[] {
  return registers.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}
