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
    const data = identifyData({ countries, registers, now }) + JSON.stringify(counts);
    return sendPage(reply, kept.find('/coverage', data, render));
  });
}

/** The time to wait for the numbers of companies with codes. If counting takes longer, only later visitors see these numbers. */
const COUNT_MS = 500;

/** The values of the filters, with the number of companies of each register that have a code; undefined while they are not counted. */
type Classified = Choices | undefined;

function coverage(
  registers: readonly RegisterState[],
  countries: readonly Country[],
  now: number,
  classified: Classified,
): Html {
  const withRegister = new Set(registers.map(({ register }) => register.country));
  const planned = countries
    .filter(({ code, enabled }) => !enabled && !withRegister.has(code))
    .map(({ name }) => name)
    .sort();
  const filled = registers.filter((state) => state.entities > 0);
  const entities = filled.reduce((sum, state) => sum + state.entities, 0);
  return html`<h1>Coverage</h1>
    <p class="lead">The registers you can search: who publishes them, under which licence, and how current they are.
    They share one set of <a href="/docs/fields#registers">fields</a> and <a href="/docs/status">statuses</a>.</p>
    <p><strong>${formatAmount(entities, 'company', 'companies')}</strong> from ${formatAmount(filled.length, 'register')}.</p>
    ${registers.some(({ synthetic }) => synthetic) && sampleHint}
    ${filled.length > 0 && countryMap(countries, registers)}
    ${registerTable(registers, countries, now, classified)}
    ${planned.length > 0 && html`<h2>Planned</h2><p>${planned.join(', ')}: no data yet. Adding a country does not change the API.</p>`}`;
}

function registerTable(
  registers: readonly RegisterState[],
  countries: readonly Country[],
  now: number,
  classified: Classified,
): Html {
  const names = new Map(countries.map(({ code, name }) => [code, name]));
  const nameOf = ({ register: { country } }: RegisterState) =>
    country === null ? 'All countries' : (names.get(country) ?? country);
  const sorted = registers.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  return html`<div class="brief">${stackTable('Registers', sorted, [
    { label: 'Country', show: nameOf },
    {
      label: 'Register',
      show: (state) => html`<strong>${state.register.name}</strong>${details(state, now, classified, nameOf(state))}`,
    },
    { label: 'Companies', kind: 'number', show: (state) => companies(state, nameOf(state)) },
    { label: 'Freshness', show: freshness },
  ])}</div>`;
}

/** The details of a register are folded, so that the table is a short list of registers even on phones. */
function details(state: RegisterState, now: number, classified: Classified, country: string): Html {
  const { id, publisher, sourceUrl } = state.register;
  const { asOf, checked, imported } = describeDates(state, now);
  const facts: Fact[] = [
    ['Publisher', html`${publisher} · <a href="${sourceUrl}" rel="noreferrer noopener">official source</a>`],
    ['Fields', html`<a href="/docs/registers/${id}">What this register publishes</a>`],
    ['Licence', licence(state)],
  ];
  if (state.entities > 0) {
    facts.push(
      ['Data as of', asOf],
      ['Last check', checked],
      ['Imported', imported],
      [
        'With an industry',
        html`${share(state, classified?.isic.registers)} have <a href="/docs/classifications">ISIC</a>`,
      ],
      ['With a legal form', html`${share(state, classified?.withElf)} have <a href="/docs/legal-forms">ELF</a>`],
    );
  }
  return html`<details class="source-of"><summary>Source and licence<span class="hidden"> of ${country}</span></summary>${factList(facts)}</details>`;
}

function share({ register, entities }: RegisterState, counted: ReadonlyMap<string, number> | undefined): string {
  if (counted === undefined) return '–';
  // Shares are rounded down, so that 100 % means all companies.
  return `${Math.floor((1000 * (counted.get(register.id) ?? 0)) / entities) / 10} %`;
}

function companies({ register, entities }: RegisterState, country: string): Html {
  const count = formatCount(entities);
  if (entities === 0) return html`${count}`;
  return html`<a href="/explore?register=${register.id}">${count}<span class="unit"> ${entities === 1 ? 'company' : 'companies'}<span class="hidden"> in ${country}</span></span></a>`;
}

/** The licence as the publisher states it, and the attribution that it requires. */
function licence({ register }: RegisterState): Html {
  const { licence, licenceUnknown, attribution, sourceUrl } = register;
  if (licenceUnknown) {
    return html`${licence}: ask <a href="${sourceUrl}" rel="noreferrer noopener">the publisher<span class="hidden"> ${register.publisher}</span></a>
      before you pass the data on`;
  }
  return html`${licence}<br><span class="quiet">Attribution: ${attribution}</span>`;
}
