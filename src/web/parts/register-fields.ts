import { escapeSegment } from '../../core/json-excerpt.ts';
import { type Html, html } from '../html.ts';
import { showText } from '../text/display-text.ts';
import { formatDate } from '../text/formatting.ts';
import { labelOf, labelPath, type Place, type SourceValue } from '../text/record-fields.ts';
import { isList, isRecord, type SourceRecord } from '../text/registry-split.ts';
import { type Fact, factList } from './fact-list.ts';
import type { ShowMore } from './more-link.ts';

/** The typed fields that only this register has, labelled by their names. `docs/registers/` explains what they mean. */
export function registerFields(registry: SourceValue, showMore: ShowMore): Html {
  const facts = toFacts(registry, { path: [], pointer: '/registry' }, showMore);
  return facts.length === 0 ? html`<p class="empty">This record has no further fields.</p>` : factList(facts);
}

/** A nested object becomes one row per field; a list becomes one row. */
function toFacts(value: SourceValue, { path, pointer }: Place, showMore: ShowMore): Fact[] {
  if (value === null || value === '') return [];
  if (typeof value !== 'object') return [[labelPath(path), showValue(value)]];
  if (isList(value)) {
    const more = showMore(pointer, value.length);
    return value.length === 0 && more === false ? [] : [[labelPath(path), html`${showItems(value)}${more}`]];
  }
  return Object.entries(value).flatMap(([key, inner]) =>
    toFacts(inner, { path: [...path, key], pointer: `${pointer}/${escapeSegment(key)}` }, showMore),
  );
}

/** Lists inside the items of a list have no link to the rest: the list's own page leads to the JSON. */
const NO_LINK: ShowMore = () => false;

function showValue(value: SourceValue): Html | string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return showText(formatDate(value));
  return isList(value) ? showItems(value) : factList(toFacts(value, { path: [], pointer: '' }, NO_LINK));
}

/** The items of any list: records as a table, other values as a list. */
export function showItems(items: readonly SourceValue[]): Html {
  if (items.every(isRecord)) return showRecords(items);
  return html`<ul>${items.map((item) => html`<li>${showValue(item)}</li>`)}</ul>`;
}

function showRecords(records: readonly SourceRecord[]): Html {
  const keys = [...new Set(records.flatMap((record) => Object.keys(record)))];
  return html`<table>
    <thead><tr>${keys.map((key) => html`<th scope="col">${labelOf(key)}</th>`)}</tr></thead>
    <tbody>${records.map(
      (record) => html`<tr>${keys.map((key) => html`<td>${showValue(record[key] ?? null)}</td>`)}</tr>`,
    )}</tbody>
  </table>`;
}
