import { type Html, html } from '../html.ts';
import { showText } from '../text/display-text.ts';
import { formatDate } from '../text/formatting.ts';
import { labelOf } from '../text/record-fields.ts';
import { scrollArea } from './scroll-area.ts';

export interface Registration {
  readonly authority: string;
  readonly type: string;
  readonly number: string;
  readonly numberValid?: boolean | null;
  readonly status: string | null;
  readonly statusCode?: string | null;
  readonly registeredAt: string | null;
  readonly endedAt: string | null;
}

export function registrationsTable(list: readonly Registration[]): Html {
  if (list.length === 0) return html`<p class="empty">No registrations.</p>`;
  const table = html`<table>
    <thead><tr><th>Number</th><th>Type</th><th>Authority</th><th>Register status</th><th>From</th><th>Until</th></tr></thead>
    <tbody>${list.map(
      (each) => html`<tr>
        <td class="keep"><code>${showText(each.number)}</code>${each.numberValid === false && html` <span class="badge warn">check digits wrong</span>`}</td>
        <td>${labelOf(each.type)}</td><td>${showText(each.authority)}</td>
        <td>${showText(each.status ?? '')}${each.statusCode && html` <span class="quiet">${showText(each.statusCode)}</span>`}</td>
        <td class="keep">${formatDate(each.registeredAt ?? '')}</td><td class="keep">${formatDate(each.endedAt ?? '')}</td>
      </tr>`,
    )}</tbody>
  </table>`;
  return scrollArea('Registrations', table);
}
