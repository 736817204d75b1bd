import { linkText, showText } from '../../base/display-text.ts';
import { type Html, html } from '../../base/html.ts';
import { escapeSegment } from '../../base/json/json-excerpt.ts';
import { findEnglish, findEnglishReason, nameSector } from '../../registers/classifications/english.ts';
import {
  isList,
  isRecord,
  type SourceRecord,
  type SourceValue,
  toRecord,
} from '../../registry/records/source-values.ts';
import { type Column, type Fact, factList, stackTable } from '../parts/blocks.ts';
import type { Visitor } from '../parts/layout.ts';
import { formatCount, formatDate, formatField, formatMoney, formatNumber } from '../text/formatting.ts';
import { flatten, labelOf, labelPath, type Place } from '../text/record-fields.ts';
import { signInAddress } from '../visitor.ts';

/**
 * The common fields of `registry` that are not lists, except the fields at the top of the page. Missing fields have no row.
 */
export function commonFacts(common: SourceRecord, inEnglish: string, showMore: ShowMore): Fact[] {
  const legalForm = toRecord(common.legalForm);
  const [elf, leiElf] = [toRecord(legalForm.elf), toRecord(legalForm.leiElf)];
  const sector = toRecord(common.sector);
  // Codes of public classifications have a meaning in English.
  const sectorName = nameSector(String(sector.code));
  const plain = (label: string, key: string): Fact => [label, key in common ? showValue(key, common[key] ?? '') : null];
  const rows: readonly Fact[] = [
    ['Legal form', showLegalForm(legalForm)],
    ['Legal form (ELF)', elf.code === legalForm.code ? null : showParts([elf.code, elf.name])],
    ['Legal form of the LEI record (ELF)', showParts([leiElf.code, leiElf.name])],
    ['Register status', showStatus(toRecord(common.status), inEnglish)],
    plain('Status inferred from', 'statusInferredFrom'),
    plain('Founded', 'foundedAt'),
    plain('Ended', 'endedAt'),
    ['Capital', showMoney(toRecord(common.capital))],
    ['Employees', showEmployees(toRecord(common.employees))],
    ['Sector', showCoded(sectorName === undefined ? sector : { ...sector, labels: { en: sectorName } })],
    ['Size', showCoded(toRecord(common.size))],
    plain('Purpose', 'purpose'),
    ...showContacts(toRecord(common.contacts), showMore),
  ];
  return rows.filter(([, value]) => value !== null);
}

/** Shows the legal form, only if it has more than the label at the top of the page. */
function showLegalForm({ code, scheme, label, labels }: SourceRecord): Html | null {
  const others = Object.entries(toRecord(labels)).filter(([, other]) => other !== label);
  if (code === undefined && others.length === 0) return null;
  return showParts([
    label ?? code,
    label !== undefined && code !== undefined && `code ${code}`,
    scheme,
    ...others.map(([language, other]) => `${formatField('language', language)}: ${other}`),
  ]);
}

/** Shows the status, with its meaning in English if the register uses other words. */
function showStatus({ code, label, since, reason, reasonCode }: SourceRecord, inEnglish: string): Html | null {
  const own = label ?? code;
  return showParts([
    own,
    own !== undefined &&
      String(own).toLowerCase() !== inEnglish &&
      `in English: ${findEnglish(String(own)) ?? inEnglish}`,
    label !== undefined && code !== undefined && `code ${code}`,
    since !== undefined && `since ${formatDate(String(since))}`,
    reason !== undefined && formatField('reason', String(reason)),
    reason !== undefined && findEnglishReason(String(reason)),
    reasonCode !== undefined && `reason code ${reasonCode}`,
  ]);
}

function showEmployees({ count, from, to, code }: SourceRecord): Html | null {
  const text = count === undefined ? showRange(from, to) : formatNumber(String(count));
  const known = code === NO_EMPLOYER ? 'not an employer, or not known to be one' : undefined;
  return showParts([text ?? known, code !== undefined && `code ${code}`]);
}

/** The French register has this code in place of a range. */
const NO_EMPLOYER = 'NN';

function showRange(from: SourceValue | undefined, to: SourceValue | undefined): string | undefined {
  const [least = '', most = ''] = [from, to].map((limit = '') => formatNumber(String(limit)));
  if (most === '') return least === '' ? undefined : `${least} or more`;
  return least === '' ? `up to ${most}` : `${least} to ${most}`;
}

function showContacts(contacts: SourceRecord, showMore: ShowMore): [string, Html | null][] {
  return CONTACTS.map(([name, label]) => {
    const values = contacts[name];
    if (values === undefined || !isList(values) || values.length === 0) return [label, null];
    const items = values.map((value) => html`<li>${linkText(String(value))}</li>`);
    return [label, html`<ul>${items}</ul>${showMore(`/registry/contacts/${name}`, items.length)}`];
  });
}

const CONTACTS = [
  ['websites', 'Websites'],
  ['emails', 'E-mail addresses'],
  ['phones', 'Phones'],
  ['faxes', 'Faxes'],
] as const;

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
    if (isList(value) && value.length > 0 && value.every(isRecord)) {
      const title = labelOf(key);
      tables.push(html`<h3>${title}</h3>${recordTable(title, value)}${showMore(place.pointer, value.length)}`);
    } else if (isRecord(value) && showWhole(value) === null) {
      // If the object is also common, the page shows its common fields elsewhere.
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

/** A nested object becomes one row per field; a list becomes one row. */
function toFacts(value: SourceValue, { path, pointer }: Place, showMore: ShowMore): Fact[] {
  if (value === null || value === '') return [];
  const label = () => labelPath(path);
  if (isList(value)) {
    const more = showMore(pointer, value.length);
    return value.length === 0 && more === false ? [] : [[label(), html`${showItems(value, path.at(-1))}${more}`]];
  }
  if (!isRecord(value)) return [[label(), showValue(path.at(-1) ?? '', value)]];
  const whole = showWhole(value);
  if (whole !== null && path.length > 0) return [[label(), whole]];
  return Object.entries(value).flatMap(([key, inner]) =>
    toFacts(inner, { path: [...path, key], pointer: `${pointer}/${escapeSegment(key)}` }, showMore),
  );
}

/** Shows an object that is one value to a person: a code with its label, or an amount with its currency. Null for any other object. */
function showWhole(value: SourceRecord): Html | null {
  const keys = Object.keys(value);
  if (keys.every((key) => key === 'code' || key === 'label' || key === 'labels')) return showCoded(value);
  if (keys.every((key) => key === 'amount' || key === 'currency')) return showMoney(value);
  return null;
}

/** Shows a value, and the English words for a text of the register in a lighter colour, if the page knows them. */
function showValue(key: string, value: SourceValue): Html {
  if (typeof value !== 'string') return showText(summarize(key, value));
  const english = key === 'reason' ? findEnglishReason(value) : (findEnglish(`${key} ${value}`) ?? findEnglish(value));
  return html`${linkText(formatField(key, value))}${english !== undefined && html` <span class="quiet">· ${english}</span>`}`;
}

/** Shows the items of any list: records as a table, other values as a list. */
export function showItems(items: readonly SourceValue[], key = ''): Html {
  if (items.every(isRecord)) return recordTable(labelOf(key), items);
  return html`<ul>${items.map((item) => html`<li>${showValue(key, item)}</li>`)}</ul>`;
}

/** A table of records: the given columns, then a column for each of the other keys. The JSON has the translations of a label, and all codes. */
export function recordTable(
  title: string,
  records: readonly SourceRecord[],
  columns: readonly Column<SourceRecord>[] = [],
  keys: readonly string[] = [...new Set(records.flatMap((record) => Object.keys(record)))],
): Html {
  return stackTable(title, records, [...columns, ...keyColumns(keys)], false);
}

/** A column for each key. A code has none if another column has its meaning in words. */
export function keyColumns(keys: readonly string[]): Column<SourceRecord>[] {
  const shown = keys.filter((key) => key !== 'labels' && !isExplained(key, [...keys, 'roleLabel']));
  return shown.map((key) => ({
    label: labelOf(key.replace(/Label$/, '')),
    show: (record) => showCell(key, record),
  }));
}

/** Whether a key is of a code whose meaning in words is beside it. */
function isExplained(key: string, keys: readonly string[]): boolean {
  return keys.includes(`${key.replace(/Code$/, '')}Label`);
}

/** Shows a field in one line, because a table inside a cell would be hard to read. Repeated values appear once. */
function showCell(key: string, record: SourceRecord): Html | null {
  const value = record[key];
  if (value === undefined || value === null || value === '') return null;
  if (key === 'label') return showParts([record.label, readEnglish(record.label, record.labels)]);
  if (typeof value === 'string') return showValue(key, value);
  const text = [...new Set((isList(value) ? value : [value]).map((item) => summarize(key, item)))].join(' · ');
  return showText(text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text);
}

const MAX_CELL = 120;

/** Summarizes a value. An object with a code and a label is shown by these two fields. The JSON has its other fields. */
function summarize(key: string, value: SourceValue): string {
  if (isRecord(value) && value.label !== undefined) {
    const english = readEnglish(value.label, value.labels);
    const named = [value.code, value.label, english && `(${english})`];
    return named.filter((part) => part !== undefined).join(' ');
  }
  if (isRecord(value) && value.amount !== undefined) return writeMoney(value);
  if (value !== null && typeof value === 'object') {
    const keys = Object.keys(value);
    return flatten(value)
      .filter(({ path }) => !isExplained(path.at(-1) ?? '', keys))
      .map((field) => summarize(field.path.at(-1) ?? '', String(field.value)))
      .join(' · ');
  }
  const english = findEnglish(String(value));
  return formatField(key, value ?? '') + (english === undefined ? '' : ` (${english})`);
}

/** Shows a label with its English name and its code. Null if there is neither a label nor a code. */
function showCoded({ code, label, labels }: SourceRecord): Html | null {
  const english = readEnglish(label, labels);
  return showParts([label ?? code, english, label !== undefined && code !== undefined && `code ${code}`]);
}

/** Shows an amount with all its digits, and its currency. Null if there is neither an amount nor a currency. */
function showMoney(money: SourceRecord): Html | null {
  const text = writeMoney(money);
  return text === '' ? null : showText(text);
}

function writeMoney({ amount, currency }: SourceRecord): string {
  const parts = [amount === undefined ? undefined : formatMoney(String(amount)), currency];
  return parts.filter((part) => part !== undefined).join(' ');
}

/** The English name for a national label, from the source or from our list, if it differs from the label. */
export function readEnglish(label: SourceValue | undefined, labels: SourceValue | undefined): SourceValue | undefined {
  const english = toRecord(labels).en ?? findEnglish(String(label));
  return english === label ? undefined : english;
}

/** Shows a role with the words of the register and their meaning. A number is a code for which the files of the register have no words. */
export function showRole(role: string, own: SourceValue | undefined): Html | null {
  if (/^\d+$/.test(String(own))) return showParts([role, `code ${own}`]);
  const english = readEnglish(own, undefined);
  return showParts([role, own, english !== role.toLowerCase() && english]);
}

/** Shows the first part normally, and the other parts in a lighter colour. */
export function showParts(parts: readonly (SourceValue | undefined)[]): Html | null {
  const [first, ...more] = parts.filter((part) => part !== undefined && part !== false).map(String);
  if (first === undefined) return null;
  return html`${showText(first)}${more.map((part) => html` <span class="quiet">· ${showText(part)}</span>`)}`;
}

/** The number of items on one page of a list. */
export const LIST_PAGE_SIZE = 50;

/** If the page shows only some items of a list, shows their total and a link to all items. False if the page shows all items. */
export type ShowMore = (pointer: string, shown: number) => Html | false;

export function createShowMore(id: string, totals: Readonly<Record<string, number>>, visitor: Visitor): ShowMore {
  return (pointer, shown) => {
    const total = totals[pointer];
    if (total === undefined || total <= shown) return false;
    const all = listAddress(id, pointer);
    const link =
      visitor === 'anonymous'
        ? html`<a href="${signInAddress(all)}">Sign in to see all ${formatCount(total)}</a>`
        : html`<a href="${all}">Show all ${formatCount(total)}</a> (each page uses one request)`;
    return html`<p class="quiet">The first ${formatCount(shown)} of ${formatCount(total)}. ${link}</p>`;
  };
}

export function listAddress(id: string, pointer: string, page = 1): string {
  return `/entities/${id}?list=${encodeURIComponent(pointer)}${page === 1 ? '' : `&page=${page}`}`;
}
