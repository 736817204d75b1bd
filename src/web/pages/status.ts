import type { RegisterState } from '../../registry/registry.ts';
import { type Html, html } from '../html.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { notice } from '../parts/notice.ts';
import { writeCount, writeMoment } from '../text/formatting.ts';
import { freshness } from './coverage.ts';

export interface StatusView {
  readonly visitor: Visitor;
  readonly version: string;
  readonly isReady: boolean;
  /** Undefined when the database does not tell. */
  readonly registers: readonly RegisterState[] | undefined;
  readonly now: number;
}

export function statusPage({ visitor, version, isReady, registers, now }: StatusView): Html {
  return layout(
    'Status',
    html`<h1>Status</h1>
    ${
      isReady
        ? notice('good', 'Ready', 'Databases answer, their schema is current, and search is served.')
        : notice(
            'bad',
            'Not ready',
            'The databases or the search index cannot be reached. Requests are answered with 503 until they can.',
          )
    }
    <dl class="facts-table">
      <div><dt>Version</dt><dd>${version}</dd></div>
      <div><dt>Checked</dt><dd>${writeMoment(now)}</dd></div>
      <div><dt>For machines</dt><dd><a href="/api/v1/health/ready"><code>/api/v1/health/ready</code></a>,
        <a href="/api/v1/health/live"><code>/api/v1/health/live</code></a></dd></div>
    </dl>
    <h2>Data</h2>
    ${registers === undefined ? html`<p class="empty">Cannot be told at the moment.</p>` : dataTable(registers, now)}`,
    { section: '/status', visitor },
  );
}

function dataTable(registers: readonly RegisterState[], now: number): Html {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Data by register"><table>
    <thead><tr><th>Register</th><th class="number">Companies</th><th>Last import</th><th>Freshness</th></tr></thead>
    <tbody>${registers.map(
      (state) => html`<tr>
        <th scope="row">${state.register.country ?? 'All countries'} · ${state.register.name}</th>
        <td class="number">${writeCount(state.entities)}</td>
        <td>${state.importedAt === null ? 'never' : writeMoment(state.importedAt)}</td>
        <td>${freshness(state, now)}</td>
      </tr>`,
    )}</tbody>
  </table></div>`;
}
