import { type Html, html } from '../html.ts';
import { showText } from '../text/display-text.ts';
import { writeDate } from '../text/formatting.ts';
import { labelOf, type Written } from '../text/record-fields.ts';

/** Labels and values, one below the other. */
export function facts(rows: readonly Row[]): Html {
  return html`<dl class="facts-table">${rows.map(
    ([label, value]) =>
      html`<div><dt>${label}</dt><dd>${value ?? html`<span class="empty">not given</span>`}</dd></div>`,
  )}</dl>`;
}

export type Row = readonly [label: string, value: Html | string | null];

/** The typed national fields of a record, each with a label made of its name; `docs/registers/` says what they mean. */
export function nationalFields(registry: Written): Html {
  const rows = rowsOf(registry, []);
  return rows.length === 0 ? html`<p class="empty">None.</p>` : facts(rows);
}

/** A field of fields is a row each; a list is one row. */
function rowsOf(value: Written, path: readonly string[]): Row[] {
  if (value === null || value === '') return [];
  if (typeof value !== 'object') return [[labelPath(path), showValue(value)]];
  if (isList(value)) return value.length === 0 ? [] : [[labelPath(path), showList(value)]];
  return Object.entries(value).flatMap(([key, inner]) => rowsOf(inner, [...path, key]));
}

function labelPath([first = '', ...rest]: readonly string[]): string {
  return [labelOf(first), ...rest.map((part) => labelOf(part).toLowerCase())].join(' › ');
}

function showValue(value: Written): Html | string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return showText(writeDate(value));
  return isList(value) ? showList(value) : nationalFields(value);
}

function showList(items: readonly Written[]): Html {
  if (items.every(isRecord)) return showRecords(items);
  return html`<ul>${items.map((item) => html`<li>${showValue(item)}</li>`)}</ul>`;
}

function showRecords(records: readonly { readonly [key: string]: Written }[]): Html {
  const keys = [...new Set(records.flatMap((record) => Object.keys(record)))];
  return html`<table>
    <thead><tr>${keys.map((key) => html`<th scope="col">${labelOf(key)}</th>`)}</tr></thead>
    <tbody>${records.map(
      (record) => html`<tr>${keys.map((key) => html`<td>${showValue(record[key] ?? null)}</td>`)}</tr>`,
    )}</tbody>
  </table>`;
}

function isList(value: Written): value is readonly Written[] {
  return Array.isArray(value);
}

function isRecord(value: Written): value is { readonly [key: string]: Written } {
  return typeof value === 'object' && value !== null && !isList(value);
}
