import { escapeSegment } from '../../../base/json/json-excerpt.ts';
import { type Html, html } from '../../html.ts';
import { showText } from '../../text/display-text.ts';
import { formatField } from '../../text/formatting.ts';
import {
  isList,
  isRecord,
  labelOf,
  labelPath,
  type Place,
  type SourceRecord,
  type SourceValue,
} from '../../text/record-fields.ts';
import { cardTable, type Fact, factList, scrollArea } from '../blocks.ts';
import { readEnglish, type ShowMore, showCoded, showMoney, showParts } from './values.ts';

/**
 * The typed fields that only this register has, labelled by their names. `docs/registers/` explains what they mean. Plain
 * values come first; each object is a group of its own, and each list of records a table.
 */
export function registerFields(registry: SourceRecord, common: SourceRecord, showMore: ShowMore): Html {
  const plain: Fact[] = [];
  const groups: Html[] = [];
  const tables: Html[] = [];
  for (const [key, value] of Object.entries(registry)) {
    const place = { path: [key], pointer: `/registry/${escapeSegment(key)}` };
    if (isTable(value)) {
      const table = scrollArea(labelOf(key), showRecords(value));
      tables.push(html`<h3>${labelOf(key)}</h3>${table}${showMore(place.pointer, value.length)}`);
    } else if (isRecord(value) && showWhole(value) === null) {
      // Fields of an object that is also common: the page shows the others elsewhere.
      const title = Object.hasOwn(common, key) ? `${labelOf(key)} details` : labelOf(key);
      const facts = toFacts(value, { ...place, path: [] }, showMore);
      if (facts.length > 0) groups.push(html`<div><h3>${title}</h3>${factList(facts)}</div>`);
    } else plain.push(...toFacts(value, place, showMore));
  }
  if (plain.length + groups.length + tables.length === 0) {
    return html`<p class="empty">This record has no further fields.</p>`;
  }
  const first = plain.length > 0 && html`<div><h3>General</h3>${factList(plain)}</div>`;
  return html`<div class="groups">${first}${groups}</div>${tables}`;
}

function isTable(value: SourceValue): value is readonly SourceRecord[] {
  return isList(value) && value.length > 0 && value.every(isRecord);
}

/** A nested object becomes one row per field; a list becomes one row. */
function toFacts(value: SourceValue, { path, pointer }: Place, showMore: ShowMore): Fact[] {
  if (value === null || value === '') return [];
  const key = path.at(-1) ?? '';
  if (typeof value !== 'object') return [[labelPath(path), showValue(key, value)]];
  if (isList(value)) {
    const more = showMore(pointer, value.length);
    return value.length === 0 && more === false ? [] : [[labelPath(path), html`${showItems(value, key)}${more}`]];
  }
  const whole = showWhole(value);
  if (whole !== null && path.length > 0) return [[labelPath(path), whole]];
  return Object.entries(value).flatMap(([key, inner]) =>
    toFacts(inner, { path: [...path, key], pointer: `${pointer}/${escapeSegment(key)}` }, showMore),
  );
}

/** An object that is one value to a person: a code with its label, or an amount with its currency. Null for any other. */
function showWhole(value: SourceRecord): Html | null {
  const keys = Object.keys(value);
  if (keys.every((key) => key === 'code' || key === 'label' || key === 'labels')) return showCoded(value);
  if (keys.every((key) => key === 'amount' || key === 'currency')) return showMoney(value);
  return null;
}

/** Lists inside the items of a list have no link to the rest: the list's own page leads to the JSON. */
const NO_LINK: ShowMore = () => false;

function showValue(key: string, value: SourceValue): Html | string {
  if (value === null) return '';
  if (typeof value !== 'object') return showText(formatField(key, value));
  if (isList(value)) return showItems(value, key);
  return showWhole(value) ?? factList(toFacts(value, { path: [], pointer: '' }, NO_LINK));
}

/** The items of any list: records as a table, other values as a list. */
export function showItems(items: readonly SourceValue[], key = ''): Html {
  if (items.every(isRecord)) return showRecords(items);
  return html`<ul>${items.map((item) => html`<li>${showValue(key, item)}</li>`)}</ul>`;
}

/** Of the translations of a label, only the English one is shown: the JSON has all of them. */
function showRecords(records: readonly SourceRecord[]): Html {
  const keys = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const shown = keys.filter((key) => key !== 'labels' || !keys.includes('label'));
  const columns = shown.map((key) => ({ label: labelOf(key), show: (record: SourceRecord) => showCell(key, record) }));
  return cardTable(records, columns, false);
}

function showCell(key: string, record: SourceRecord): Html | string | null {
  if (key !== 'label') return showValue(key, record[key] ?? null);
  return showParts([record.label, readEnglish(record.label, record.labels)]);
}
