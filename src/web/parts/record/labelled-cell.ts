import { type Html, html } from '../../html.ts';

/** A cell of a table whose rows are cards on phones. A cell without a value has no label there. */
export function labelledCell(label: string, value: Html | string | null | undefined): Html {
  return value === null || value === undefined || value === ''
    ? html`<td></td>`
    : html`<td data-label="${label}">${value}</td>`;
}
