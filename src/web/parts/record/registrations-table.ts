import { type Html, html } from '../../html.ts';
import { showText } from '../../text/display-text.ts';
import { formatDate } from '../../text/formatting.ts';
import { labelOf } from '../../text/record-fields.ts';
import { scrollArea } from '../scroll-area.ts';
import { labelledCell } from './labelled-cell.ts';

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

/** Without the last column if no registration has ended. On phones, each registration is a card. */
export function registrationsTable(list: readonly Registration[]): Html {
  if (list.length === 0) return html`<p class="empty">No registrations.</p>`;
  const hasEnded = list.some(({ endedAt }) => endedAt !== null);
  const table = html`<table class="stack">
    <thead><tr><th>Number</th><th>Type</th><th>Authority</th><th>Register status</th><th>From</th>${hasEnded && html`<th>Until</th>`}</tr></thead>
    <tbody>${list.map(
      (each) => html`<tr>
        <th scope="row" class="keep"><code>${showText(each.number)}</code>${each.numberValid === false && html` <span class="badge warn">check digit invalid</span>`}</th>
        ${labelledCell('Type', labelOf(each.type))}${labelledCell('Authority', showText(each.authority))}${labelledCell('Register status', showStatus(each))}
        ${labelledCell('From', showDay(each.registeredAt))}${hasEnded && labelledCell('Until', showDay(each.endedAt))}
      </tr>`,
    )}</tbody>
  </table>`;
  return scrollArea('Registrations', table);
}

function showStatus({ status, statusCode }: Registration): Html | null {
  if (status === null && !statusCode) return null;
  return html`${showText(status ?? '')}${statusCode && html` <span class="quiet">${showText(statusCode)}</span>`}`;
}

function showDay(date: string | null): Html | null {
  return date === null ? null : html`<span class="keep">${formatDate(date)}</span>`;
}
