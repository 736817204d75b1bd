import { type Html, html } from '../../html.ts';
import { showText } from '../../text/display-text.ts';
import { formatAmount, formatCount } from '../../text/formatting.ts';
import type { Field } from '../../text/record-fields.ts';
import { scrollArea } from '../blocks.ts';
import { listAddress } from './values.ts';

const SEPARATOR = ' › ';

/** Source fields with their values, exactly as published: one table per source table or row, without empty columns. */
export function sourceTables(id: string, fields: readonly Field[]): Html {
  const groups = Map.groupBy(fields, (field) => field.path.slice(0, countGroupKeys(field)).join(SEPARATOR));
  return html`${[...groups].map(([title, group]) => {
    if (title === '' || groups.size === 1) return sourceTable(id, group);
    const inside = group.map((field) => ({ ...field, path: pathInGroup(field) }));
    return html`<h3>${showText(title)}</h3>${sourceTable(id, inside, title)}`;
  })}`;
}

/** The keys of the table, and of the row if it has several. A column of a single row has no group. */
function countGroupKeys({ path, value }: Field): number {
  if (path.length < 2) return typeof value === 'number' ? path.length : 0;
  return path.length > 2 && /^\d+$/.test(path[1] ?? '') ? 2 : 1;
}

function pathInGroup(field: Field): readonly string[] {
  const path = field.path.slice(countGroupKeys(field));
  return path.length === 0 ? field.path : path;
}

/** Columns without a value are folded: many registers have dozens of them. */
export function sourceTable(id: string, fields: readonly Field[], label = 'Original source row'): Html {
  const filled = fields.filter(({ value }) => value !== '');
  const empty = fields.filter(({ value }) => value === '');
  const table = html`<table class="source">
    <thead><tr><th>Field</th><th>Value</th></tr></thead>
    <tbody>${filled.map(
      ({ path, value, pointer }) => html`<tr>
        <th scope="row">${showText(path.join(SEPARATOR))}</th>
        <td dir="auto">${typeof value === 'number' ? showTotal(id, pointer, value) : showText(value)}</td>
      </tr>`,
    )}</tbody>
  </table>`;
  return html`${filled.length > 0 && scrollArea(label, table)}${empty.length > 0 && listEmpty(empty)}`;
}

function listEmpty(fields: readonly Field[]): Html {
  return html`<details class="fold quiet"><summary>${formatAmount(fields.length, 'empty field')}</summary>
    <ul class="names">${fields.map(({ path }) => html`<li><code>${showText(path.join(SEPARATOR))}</code></li>`)}</ul></details>`;
}

function showTotal(id: string, pointer: string, total: number): Html {
  return html`<span class="quiet">${formatCount(total)} in total:</span> <a href="${listAddress(id, pointer)}">show all</a>
    <span class="quiet">(each page uses one request)</span>`;
}
