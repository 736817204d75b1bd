import type { Country, RegisterState } from '../../registry/registry.ts';
import { type Html, html } from '../html.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { writeAge, writeCount, writeDay } from '../text/formatting.ts';
import { sampleHint } from './home.ts';

export interface CoverageView {
  readonly visitor: Visitor;
  readonly countries: readonly Country[];
  readonly registers: readonly RegisterState[];
  readonly now: number;
}

export function coveragePage({ visitor, countries, registers, now }: CoverageView): Html {
  const names = new Map(countries.map(({ code, name }) => [code, name]));
  const served = registers.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const withRegister = new Set(registers.map(({ register }) => register.country));
  const planned = countries.filter(({ code }) => !withRegister.has(code));
  function nameOf({ register }: RegisterState): string {
    return register.country === null ? 'All countries' : (names.get(register.country) ?? register.country);
  }
  return layout(
    'Coverage',
    html`<h1>Coverage</h1>
    <p class="lead">Which registers are here, who publishes them under which licence, and how fresh they are.</p>
    ${registers.some(({ synthetic }) => synthetic) && sampleHint}
    <div class="scroll" tabindex="0" role="group" aria-label="Registers"><table class="stack">
      <thead><tr><th>Country</th><th>Register and source</th><th>Licence</th><th class="number">Companies</th><th class="keep">Last import</th><th>Freshness</th></tr></thead>
      <tbody>${served.map(
        (state) => html`<tr>
          <th scope="row">${nameOf(state)} <span class="quiet">${state.register.country ?? ''}</span></th>
          <td data-label="Register"><strong>${state.register.name}</strong><br>${state.register.publisher} ·
            <a href="${state.register.sourceUrl}" rel="noreferrer noopener">official source<span class="hidden"> of ${nameOf(state)}</span></a></td>
          <td data-label="Licence">${state.register.licence}</td>
          <td data-label="Companies" class="number">${writeCount(state.entities)}</td>
          <td data-label="Last import" class="keep">${state.importedAt === null ? 'never' : writeDay(state.importedAt)}</td>
          <td data-label="Freshness">${freshness(state, now)}</td>
        </tr>`,
      )}</tbody>
    </table></div>
    <section aria-labelledby="planned-title">
      <h2 id="planned-title">Planned</h2>
      <p>Countries without a register here yet. A new country does not change the API.</p>
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

const DAY = 86_400_000;
const RHYTHM: Readonly<Record<string, number>> = { daily: 1, weekly: 7, monthly: 31, quarterly: 92 };

/** Whether the publisher should have published since: twice its rhythm is late, for files come out a little irregularly. */
export function freshness({ register, importedAt, entities, synthetic }: RegisterState, now: number): Html {
  if (importedAt === null || entities === 0) return html`<span class="badge plain">no data yet</span>`;
  const age = now - importedAt;
  const published = register.updates === 'unknown' ? '' : `published ${register.updates}`;
  const days = RHYTHM[register.updates];
  const isLate = days !== undefined && age > 2 * days * DAY;
  const badge = synthetic
    ? html`<span class="badge plain">sample</span>`
    : isLate
      ? html`<span class="badge warn">newer one due</span>`
      : html`<span class="badge good">up to date</span>`;
  return html`${badge} <span class="quiet">${writeAge(age)}${published && `, ${published}`}</span>`;
}
