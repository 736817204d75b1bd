import { setTimeout as sleep } from 'node:timers/promises';
import { fail } from '../../base/errors.ts';
import type { Routes } from '../../http/app.ts';
import type { Country, RegisterState } from '../../registry/registry.ts';
import { type Html, html } from '../html.ts';
import { createKeptPages, identifyData } from '../kept-pages.ts';
import { factList, notice, stackTable } from '../parts/blocks.ts';
import { countryMap } from '../parts/country-map.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { describeDates, freshness, sampleHint } from '../parts/record/freshness.ts';
import { sendPage } from '../send-page.ts';
import type { PageServices } from '../services.ts';
import { formatAmount, formatCount, formatMoment, nameCountry } from '../text/formatting.ts';
import { findVisitor } from '../visitor.ts';

/** Public pages about the data: which registers there are, and whether the service is up. */
export function registerRegisterPages(app: Routes, services: PageServices): void {
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

const ALL_COUNTRIES = 'All countries';

interface CoverageView {
  readonly visitor: Visitor;
  readonly countries: readonly Country[];
  readonly registers: readonly RegisterState[];
  readonly now: number;
  /** How many companies of each register have a code of each classification; undefined while they are not counted. */
  readonly classified:
    | { readonly isic: ReadonlyMap<string, number>; readonly elf: ReadonlyMap<string, number> }
    | undefined;
}

function coveragePage(view: CoverageView): Html {
  const { visitor, countries, registers } = view;
  const withRegister = new Set(registers.map(({ register }) => register.country));
  const planned = countries
    .filter(({ code, enabled }) => !enabled && !withRegister.has(code))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const filled = registers.filter((state) => state.entities > 0);
  const entities = filled.reduce((sum, state) => sum + state.entities, 0);
  return layout(
    'Coverage',
    html`<h1>Coverage</h1>
    <p class="lead">The registers you can search: who publishes them, under which licence, and how current they are.
    They share one set of <a href="/docs/fields#registers">fields</a> and <a href="/docs/status">statuses</a>.</p>
    <p><strong>${formatAmount(entities, 'company', 'companies')}</strong> from ${formatAmount(filled.length, 'register')}.</p>
    ${registers.some(({ synthetic }) => synthetic) && sampleHint}
    ${filled.length > 0 && countryMap(countries, registers, false)}
    ${registerTable(view)}
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

function registerTable({ countries, registers, now, classified }: CoverageView): Html {
  const names = new Map(countries.map(({ code, name }) => [code, name]));
  const nameOf = ({ register: { country } }: RegisterState) =>
    country === null ? ALL_COUNTRIES : (names.get(country) ?? country);
  const sorted = registers.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  return stackTable('Registers', sorted, [
    {
      label: 'Country',
      show: (state) => html`${nameOf(state)} <span class="quiet">${state.register.country ?? ''}</span>`,
    },
    { label: 'Register', heading: 'Register and source', show: (state) => describeSource(state, nameOf(state)) },
    { label: 'Licence', show: licence },
    { label: 'Companies', kind: 'number', show: (state) => companies(state, nameOf(state)) },
    {
      label: 'With ISIC',
      heading: html`With <a href="/docs/classifications">ISIC</a>`,
      kind: 'number',
      show: (state) => share(state, classified?.isic),
    },
    {
      label: 'With ELF',
      heading: html`With <a href="/docs/legal-forms">ELF</a>`,
      kind: 'number',
      show: (state) => share(state, classified?.elf),
    },
    { label: 'Freshness', show: (state) => html`${freshness(state)}${dates(state, now)}` },
  ]);
}

function describeSource({ register: { id, name, publisher, sourceUrl } }: RegisterState, country: string): Html {
  const place = html`<span class="hidden"> of ${country}</span>`;
  return html`<strong>${name}</strong><br>${publisher} ·
    <a href="${sourceUrl}" rel="noreferrer noopener">official source${place}</a> ·
    <a href="/docs/registers/${id}">fields${place}</a>`;
}

function share({ register, entities }: RegisterState, counted: ReadonlyMap<string, number> | undefined): string {
  if (counted === undefined || entities === 0) return '–';
  // Not rounded up: 100 % are all.
  return `${Math.floor((1000 * (counted.get(register.id) ?? 0)) / entities) / 10} %`;
}

/** Leads to them. The companies of a register of all countries cannot be listed alone. */
function companies({ register, entities }: RegisterState, country: string): Html {
  const count = formatCount(entities);
  if (entities === 0 || register.country === null) return html`${count}`;
  return html`<a href="/explore?country=${register.country}">${count}<span class="hidden"> companies in ${country}</span></a>`;
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

interface StatusView {
  readonly visitor: Visitor;
  readonly version: string;
  readonly isReady: boolean;
  /** Undefined if the database does not answer. */
  readonly registers: readonly RegisterState[] | undefined;
  readonly now: number;
}

function statusPage({ visitor, version, isReady, registers, now }: StatusView): Html {
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
    ${registers === undefined ? html`<p class="empty">Unknown: the database does not answer.</p>` : dataTable(registers, now)}`,
    { section: '/status', visitor },
  );
}

const healthLinks = html`<a href="/api/v1/health/ready"><code>/api/v1/health/ready</code></a>,
  <a href="/api/v1/health/live"><code>/api/v1/health/live</code></a>`;

function dataTable(registers: readonly RegisterState[], now: number): Html {
  const sorted = registers.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  return stackTable('Data by register', sorted, [
    { label: 'Register', show: (state) => `${placeOf(state)} · ${state.register.name}` },
    { label: 'Companies', kind: 'number', show: ({ entities }) => formatCount(entities) },
    { label: 'Data as of', kind: 'keep', show: (state) => describeDates(state, now).asOf },
    { label: 'Last check', kind: 'keep', show: (state) => describeDates(state, now).checked },
    { label: 'Imported', kind: 'keep', show: (state) => describeDates(state, now).imported },
    { label: 'Freshness', show: freshness },
  ]);
}

function placeOf({ register: { country } }: RegisterState): string {
  return country === null ? ALL_COUNTRIES : nameCountry(country);
}
