import { type Html, html } from '../html.ts';
import { showText } from '../text/display-text.ts';
import { formatCount } from '../text/formatting.ts';
import type { Field } from '../text/record-fields.ts';
import { listAddress } from './more-link.ts';
import { scrollArea } from './scroll-area.ts';

/** Source fields with their values, exactly as published. */
export function sourceTable(id: string, fields: readonly Field[]): Html {
  const table = html`<table class="source">
    <thead><tr><th>Field</th><th>Value</th></tr></thead>
    <tbody>${fields.map(
      ({ path, value, pointer }) => html`<tr>
        <th scope="row">${showText(path.join(' › '))}</th>
        <td dir="auto">${typeof value === 'number' ? showTotal(id, pointer, value) : showValue(value)}</td>
      </tr>`,
    )}</tbody>
  </table>`;
  return scrollArea('Original source row', table);
}

function showValue(value: string): Html {
  return value === '' ? html`<span class="empty">empty</span>` : showText(value);
}

function showTotal(id: string, pointer: string, total: number): Html {
  return html`<span class="quiet">${formatCount(total)} in total:</span> <a href="${listAddress(id, pointer)}">show all</a>
    <span class="quiet">(each page uses one request)</span>`;
}
