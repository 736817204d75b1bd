import { fail } from '../../base/errors.ts';
import { type Html, html } from '../../base/html.ts';
import type { Routes } from '../../http/app.ts';
import type { Country, RegisterState } from '../../registry/registry.ts';
import type { Choices } from '../../search/choices.ts';
import { createKeptPages, identifyData } from '../kept-pages.ts';
import { type Fact, factList, stackTable } from '../parts/blocks.ts';
import { layout } from '../parts/layout.ts';
import { countryMap, describeDates, freshness, sampleHint } from '../parts/registers.ts';
import { listChoices } from '../preview.ts';
import type { PageServices } from '../services.ts';
import { formatAmount, formatCount } from '../text/formatting.ts';
import { findVisitor, sendPage } from '../visitor.ts';

/** The page that lists the registers and how current each register is. */
export function registerCoverage(app: Routes, services: PageServices): void {
  const { registry, clock, isPrepared, search } = services;
  const kept = createKeptPages();

  app.get('/coverage', async (request, reply) => {
    if (!isPrepared()) throw fail('service_unavailable', { retryAfter: 1 });
    const now = clock.now();
    const [visitor, countries, registers, classified] = await Promise.all([
      findVisitor(request, services),
      registry.listCountries(),
      registry.listRegisters(now),
      listChoices(search, performance.now() + COUNT_MS),
    ]);
    const frame = {
      section: '/coverage',
      path: '/coverage',
      visitor,
      description: 'Countries and registers: source, licence, number of companies, last import.',
    };
    const render = () => layout('Coverage', coverage(registers, countries, now, classified), frame);
    if (visitor !== 'anonymous') return sendPage(reply, render());
    const counts = classified && [[...classified.isic.registers], [...classified.withElf]];
    const data = identifyData(countries, registers, now) + JSON.stringify(counts);
    return sendPage(reply, kept.find('/coverage', data, render));
  });
}

/** The time to wait for the numbers of companies with codes. If counting takes longer, only later visitors see these numbers. */
const COUNT_MS = 500;

/** `classified` has the number of companies of each register that have a code; undefined while they are not counted. */
function coverage(
  registers: readonly RegisterState[],
  countries: readonly Country[],
  now: number,
  classified: Choices | undefined,
): Html {
  const withRegister = new Set(registers.map(({ register }) => register.country));
  const planned = countries
    .filter(({ code, enabled }) => !enabled && !withRegister.has(code))
    .map(({ name }) => name)
    .sort();
  const filled = registers.filter((state) => state.entities > 0);
  const entities = filled.reduce((sum, state) => sum + state.entities, 0);
  const names = new Map(countries.map(({ code, name }) => [code, name]));
  const nameOf = ({ register: { country } }: RegisterState) =>
    country === null ? 'All countries' : (names.get(country) ?? country);
  const sorted = registers.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const table = stackTable('Registers', sorted, [
    { label: 'Country', show: nameOf },
    {
      label: 'Register',
      // The details are folded, so that the table is a short list of registers even on phones.
      show: (
        state,
      ) => html`<strong>${state.register.name}</strong><details class="source-of"><summary>Source and licence<span class="hidden"> of ${nameOf(state)}</span></summary>
        ${factList(listFacts(state, now, classified))}</details>`,
    },
    { label: 'Companies', kind: 'number', show: (state) => companies(state, nameOf(state)) },
    { label: 'Freshness', show: freshness },
  ]);
  return html`<h1>Coverage</h1>
    <p class="lead">The registers you can search: who publishes them, under which licence, and how current they are.
    They share one set of <a href="/docs/fields#registers">fields</a> and <a href="/docs/status">statuses</a>.</p>
    <p><strong>${formatAmount(entities, 'company', 'companies')}</strong> from ${formatAmount(filled.length, 'register')}.</p>
    ${registers.some(({ synthetic }) => synthetic) && sampleHint}
    ${filled.length > 0 && countryMap(countries, registers)}
    <div class="brief">${table}</div>
    ${planned.length > 0 && html`<h2>Planned</h2><p>${planned.join(', ')}: no data yet. Adding a country does not change the API.</p>`}`;
}

function listFacts(state: RegisterState, now: number, classified: Choices | undefined): Fact[] {
  const { id, publisher, sourceUrl, licence, licenceUnknown, attribution } = state.register;
  const { asOf, checked, imported } = describeDates(state, now);
  const facts: Fact[] = [
    ['Publisher', html`${publisher} · <a href="${sourceUrl}" rel="noreferrer noopener">official source</a>`],
    ['Fields', html`<a href="/docs/registers/${id}">What this register publishes</a>`],
    [
      'Licence',
      licenceUnknown
        ? html`${licence}: ask <a href="${sourceUrl}" rel="noreferrer noopener">the publisher<span class="hidden"> ${publisher}</span></a>
            before you pass the data on`
        : html`${licence}<br><span class="quiet">Attribution: ${attribution}</span>`,
    ],
  ];
  if (state.entities === 0) return facts;
  const share = (counted: ReadonlyMap<string, number> | undefined) =>
    // Shares are rounded down, so that 100 % means all companies.
    counted === undefined ? '–' : `${Math.floor((1000 * (counted.get(id) ?? 0)) / state.entities) / 10} %`;
  return [
    ...facts,
    ['Data as of', asOf],
    ['Last check', checked],
    ['Imported', imported],
    ['With an industry', html`${share(classified?.isic.registers)} have <a href="/docs/classifications">ISIC</a>`],
    ['With a legal form', html`${share(classified?.withElf)} have <a href="/docs/legal-forms">ELF</a>`],
  ];
}

function companies({ register, entities }: RegisterState, country: string): Html {
  const count = formatCount(entities);
  if (entities === 0) return html`${count}`;
  return html`<a href="/explore?register=${register.id}">${count}<span class="unit"> ${entities === 1 ? 'company' : 'companies'}<span class="hidden"> in ${country}</span></span></a>`;
}
