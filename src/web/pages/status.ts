import type { RegisterState } from '../../registry/registry.ts';
import { type Html, html } from '../html.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { notice } from '../parts/notice.ts';
import { factList } from '../parts/record/fact-list.ts';
import { describeDates, freshness } from '../parts/record/freshness.ts';
import { scrollArea } from '../parts/scroll-area.ts';
import { nameCountry } from '../text/country-name.ts';
import { formatCount, formatMoment } from '../text/formatting.ts';

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
