import { type Html, html } from '../../html.ts';
import { showText } from '../../text/display-text.ts';
import { formatField } from '../../text/field-values.ts';
import { formatDate, formatNumber } from '../../text/formatting.ts';
import { showIndustry } from '../../text/industry.ts';
import { flatten, labelOf, type SourceValue } from '../../text/record-fields.ts';
import { isList, isRecord, listNationalKeys, readRecord, type SourceRecord } from '../../text/registry-split.ts';
import { scrollArea } from '../scroll-area.ts';
import { readEnglish, showParts, writeMoney } from './coded-value.ts';
import { labelledCell } from './labelled-cell.ts';
import type { ShowMore } from './more-link.ts';

interface Column {
  readonly label: string;
  readonly show: (item: SourceRecord) => Html | string | undefined;
}

interface List {
  readonly name: string;
  readonly title: string;
  readonly columns: readonly Column[];
}

const column = (label: string, key: string): Column => ({ label, show: (item) => show(item[key]) });
const date = (label: string, key: string): Column => ({ label, show: (item) => showDay(item[key]) });
const FROM = date('From', 'from');
const UNTIL = date('Until', 'until');

/** The lists of the vocabulary, in the order of the page. */
const LISTS: readonly List[] = [
  {
    name: 'activities',
    title: 'Activities',
    columns: [
      column('Code', 'code'),
      { label: 'Activity', show: ({ label, labels }) => showTranslated(label, labels) },
      { label: 'Classification', show: ({ scheme, edition }) => showJoined([scheme, edition]) },
      { label: 'Industry (ISIC)', show: ({ isic, isicNote }) => showIndustry(isic, isicNote) },
      { label: 'Kind', show: showActivityKind },
    ],
  },
  {
    name: 'parties',
    title: 'People and organisations',
    columns: [
      { label: 'Role', show: ({ role, roleLabel }) => showTwo(toWords(role), roleLabel) },
      column('Name', 'name'),
      column('Kind', 'kind'),
      column('Number', 'number'),
      { label: 'Share', show: ({ share }) => (share === undefined ? undefined : `${formatNumber(String(share))}%`) },
      { label: 'Country', show: ({ country, countryCode }) => show(country ?? countryCode) },
      FROM,
      UNTIL,
    ],
  },
  { name: 'previousNames', title: 'Former names', columns: [column('Name', 'name'), FROM, UNTIL] },
  {
    name: 'otherNames',
    title: 'Other names',
    columns: [
      column('Name', 'name'),
      column('Type', 'type'),
      { label: 'Language', show: ({ language }) => showLanguage(language) },
    ],
  },
  {
    name: 'addresses',
    title: 'Other addresses',
    columns: [column('Type', 'type'), column('Address', 'text'), FROM, UNTIL],
  },
  {
    name: 'establishments',
    title: 'Establishments',
    columns: [
      column('Number', 'number'),
      column('Name', 'name'),
      { label: 'Address', show: ({ address }) => show(readRecord(address).text) },
      FROM,
      UNTIL,
    ],
  },
  { name: 'predecessors', title: 'Predecessors', columns: [column('Name', 'name'), column('Number', 'number')] },
  { name: 'successors', title: 'Successors', columns: [column('Name', 'name'), column('Number', 'number')] },
];

/** The lists that the record has, each as a title and a table. */
export function commonLists(
  common: SourceRecord,
  showMore: ShowMore,
): { readonly name: string; title: string; table: Html }[] {
  return LISTS.flatMap(({ name, title }) => {
    const value = common[name];
    const items = value !== undefined && isList(value) ? value : [];
    if (items.length === 0) return [];
    const table = html`${commonTable(name, items)}${showMore(`/registry/${name}`, items.length)}`;
    return [{ name, title, table }];
  });
}

export function titleOfList(name: string): string | undefined {
  return LISTS.find((list) => list.name === name)?.title;
}

/** The items of a list of the vocabulary. */
export function commonTable(name: string, items: readonly SourceValue[]): Html {
  const { title = '', columns = [] } = LISTS.find((list) => list.name === name) ?? {};
  const records = items.filter(isRecord);
  const keys = listNationalKeys(name, records).filter((key) => key !== 'labels');
  const national = keys
    .filter((key) => !isDecoded(key, [...keys, 'roleLabel']))
    .map(
      (key): Column => ({ label: labelOf(key.replace(/Label$/, '')), show: (item) => showNational(key, item[key]) }),
    );
  return renderTable(title, records, [...columns, ...national]);
}

/** Whether another column says in words what the code of this one means. The JSON has the code. */
function isDecoded(key: string, keys: readonly string[]): boolean {
  return keys.includes(`${key.replace(/Code$/, '')}Label`);
}

/** Leaves out columns that no row fills. */
function renderTable(title: string, items: readonly SourceRecord[], columns: readonly Column[]): Html {
  const filled = columns.filter(({ show }) => items.some((item) => show(item) !== undefined));
  return scrollArea(
    title,
    html`<table class="stack">
      <thead><tr>${filled.map(({ label }) => html`<th scope="col">${label}</th>`)}</tr></thead>
      <tbody>${items.map((item) => html`<tr>${filled.map(({ label, show }) => labelledCell(label, show(item)))}</tr>`)}</tbody>
    </table>`,
  );
}

function showActivityKind({ main, type }: SourceRecord): string | undefined {
  const kinds = [main === true && 'main', type === 'licensed' && 'licensed'].filter((kind) => kind !== false);
  return kinds.length === 0 ? undefined : kinds.join(', ');
}

function showTranslated(label: SourceValue | undefined, labels: SourceValue | undefined): Html | undefined {
  return showParts([label, readEnglish(label, labels)]) ?? undefined;
}

function show(value: SourceValue | undefined): Html | undefined {
  return value === undefined ? undefined : showText(String(value));
}

function showLanguage(language: SourceValue | undefined): Html | undefined {
  return language === undefined ? undefined : showText(formatField('language', String(language)));
}

function showDay(value: SourceValue | undefined): Html | undefined {
  return value === undefined ? undefined : html`<span class="keep">${formatDate(String(value))}</span>`;
}

/** A national field of an item, in one line: a table inside a cell would be hard to read. Repeated values appear once. */
function showNational(key: string, value: SourceValue | undefined): Html | undefined {
  if (value === undefined) return undefined;
  const text = [...new Set((isList(value) ? value : [value]).map((item) => summarize(key, item)))].join(' · ');
  return showText(text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text);
}

const MAX_CELL = 120;

/** Something with a code and a label is known by them. The JSON has its other fields. */
function summarize(key: string, value: SourceValue): string {
  if (value === null) return '';
  if (typeof value !== 'object') return formatField(key, value);
  if (isRecord(value) && value.label !== undefined) {
    const named = [value.code, value.label, readEnglish(value.label, value.labels)];
    return named.filter((part) => part !== undefined).join(' ');
  }
  if (isRecord(value) && value.amount !== undefined) return writeMoney(value);
  return flatten(value)
    .map((field) => formatField(field.path.at(-1) ?? '', String(field.value)))
    .join(' · ');
}

function showJoined(values: readonly (SourceValue | undefined)[]): Html | undefined {
  const text = values.filter((value) => value !== undefined).join(' ');
  return text === '' ? undefined : showText(text);
}

function showTwo(first: string, second: SourceValue | undefined): Html {
  return html`${showText(first)}${second !== undefined && html` <span class="quiet">${showText(String(second))}</span>`}`;
}

function toWords(value: SourceValue | undefined): string {
  return String(value ?? '').replaceAll('_', ' ');
}
