import { plainText, showText } from '../../base/display-text.ts';
import { type Html, html } from '../../base/html.ts';
import { type ListPage, parsePointer } from '../../base/json/json-excerpt.ts';
import { findEnglish, findEnglishAuthority } from '../../registers/classifications/english.ts';
import {
  isList,
  isRecord,
  listNationalKeys,
  type SourceRecord,
  type SourceValue,
  toRecord,
} from '../../registry/records/source-values.ts';
import { type Column, pageLinks, scrollArea, stackTable } from '../parts/blocks.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { formatAmount, formatCount, formatDate, formatField, formatNumber, showIndustry } from '../text/formatting.ts';
import { flatten, labelOf, labelPath } from '../text/record-fields.ts';
import { LIST_PAGE_SIZE, listAddress, readEnglish, type ShowMore, showItems, showParts, writeMoney } from './fields.ts';
import { sourceTable } from './source.ts';

type ItemColumn = Column<SourceRecord>;

const column = (label: string, key: string): ItemColumn => ({ label, show: (item) => show(item[key]) });
const date = (label: string, key: string): ItemColumn => ({ label, show: (item) => showDay(item[key]) });
const FROM = date('From', 'from');
const UNTIL = date('Until', 'until');

const list = (name: string, title: string, columns: readonly ItemColumn[]) => ({ name, title, columns });

/** The lists of the vocabulary, in the order of the page. */
const LISTS = [
  list('activities', 'Activities', [
    column('Code', 'code'),
    { label: 'Activity', show: ({ label, labels }) => showParts([label, readEnglish(label, labels)]) ?? undefined },
    {
      label: 'Classification',
      show: ({ scheme, edition }) =>
        show([scheme, edition].filter((part) => part !== undefined).join(' ') || undefined),
    },
    { label: 'Industry (ISIC)', show: ({ isic, isicNote }) => showIndustry(isic, isicNote) },
    { label: 'Kind', show: showActivityKind },
  ]),
  list('parties', 'People and organisations', [
    { label: 'Role', show: ({ role, roleLabel }) => showParts([String(role ?? '').replaceAll('_', ' '), roleLabel]) },
    column('Name', 'name'),
    column('Kind', 'kind'),
    column('Number', 'number'),
    { label: 'Share', show: ({ share }) => (share === undefined ? undefined : `${formatNumber(String(share))}%`) },
    { label: 'Country', show: ({ country, countryCode }) => show(country ?? countryCode) },
    FROM,
    UNTIL,
  ]),
  list('previousNames', 'Former names', [column('Name', 'name'), FROM, UNTIL]),
  list('otherNames', 'Other names', [
    column('Name', 'name'),
    column('Type', 'type'),
    {
      label: 'Language',
      show: ({ language }) => (language === undefined ? undefined : show(formatField('language', String(language)))),
    },
  ]),
  list('addresses', 'Other addresses', [column('Type', 'type'), column('Address', 'text'), FROM, UNTIL]),
  list('establishments', 'Establishments', [
    column('Number', 'number'),
    column('Name', 'name'),
    { label: 'Address', show: ({ address }) => show(toRecord(address).text) },
    FROM,
    UNTIL,
  ]),
  list('predecessors', 'Predecessors', [column('Name', 'name'), column('Number', 'number')]),
  list('successors', 'Successors', [column('Name', 'name'), column('Number', 'number')]),
];

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

function titleOfList(name: string): string | undefined {
  return LISTS.find((list) => list.name === name)?.title;
}

function commonTable(name: string, items: readonly SourceValue[]): Html {
  const { title = '', columns = [] } = LISTS.find((list) => list.name === name) ?? {};
  const records = items.filter(isRecord);
  const keys = listNationalKeys(name, records).filter((key) => key !== 'labels');
  const national = keys
    // A code is left out if another column has its meaning in words. The JSON has the code.
    .filter((key) => ![...keys, 'roleLabel'].includes(`${key.replace(/Code$/, '')}Label`))
    .map(
      (key): ItemColumn => ({
        label: labelOf(key.replace(/Label$/, '')),
        show: (item) => showNational(key, item[key]),
      }),
    );
  return stackTable(title, records, [...columns, ...national], false);
}

function showActivityKind({ main, type }: SourceRecord): string | undefined {
  const kinds = [main === true && 'main', type === 'licensed' && 'licensed'].filter((kind) => kind !== false);
  return kinds.length === 0 ? undefined : kinds.join(', ');
}

function show(value: SourceValue | undefined): Html | undefined {
  return value === undefined ? undefined : showText(String(value));
}

function showDay(value: SourceValue | undefined): Html | undefined {
  return value === undefined ? undefined : html`<span class="keep">${formatDate(String(value))}</span>`;
}

/** Shows a national field of an item in one line, because a table inside a cell would be hard to read. Repeated values appear once. */
function showNational(key: string, value: SourceValue | undefined): Html | undefined {
  if (value === undefined) return undefined;
  const text = [...new Set((isList(value) ? value : [value]).map((item) => summarize(key, item)))].join(' · ');
  return showText(text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text);
}

const MAX_CELL = 120;

/** Summarizes a value. An object with a code and a label is shown by these two fields. The JSON has its other fields. */
function summarize(key: string, value: SourceValue): string {
  if (value === null) return '';
  if (typeof value !== 'object') return writeField(key, value);
  if (isRecord(value) && value.label !== undefined) {
    const english = readEnglish(value.label, value.labels);
    const named = [value.code, value.label, english && `(${english})`];
    return named.filter((part) => part !== undefined).join(' ');
  }
  if (isRecord(value) && value.amount !== undefined) return writeMoney(value);
  return flatten(value)
    .map((field) => writeField(field.path.at(-1) ?? '', String(field.value)))
    .join(' · ');
}

/** Writes a plain value with its English words, if the page knows them. */
function writeField(key: string, value: string | boolean): string {
  const english = findEnglish(String(value));
  return formatField(key, value) + (english === undefined ? '' : ` (${english})`);
}

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

/** `meaning` is the status of the company in its register and in English. */
export function registrationsTable(
  list: readonly Registration[],
  meaning?: readonly [published: unknown, english: string],
): Html {
  if (list.length === 0) return html`<p class="empty">No registrations.</p>`;
  return stackTable('Registrations', list, [
    {
      label: 'Number',
      kind: 'keep',
      show: ({ number, numberValid }) =>
        html`<code>${showText(number)}</code>${numberValid === false && html` <span class="badge warn">check digit invalid</span>`}`,
    },
    { label: 'Type', show: ({ type }) => labelOf(type) },
    {
      label: 'Authority',
      show: ({ authority }) => showParts([formatField('authority', authority), findEnglishAuthority(authority)]),
    },
    { label: 'Register status', show: (registration) => showRegistrationStatus(registration, meaning) },
    { label: 'From', show: ({ registeredAt }) => showDay(registeredAt ?? undefined) },
    { label: 'Until', show: ({ endedAt }) => showDay(endedAt ?? undefined) },
  ]);
}

function showRegistrationStatus(
  { status, statusCode }: Registration,
  [published, meaning]: readonly [unknown, string] = [undefined, ''],
): Html | null {
  if (status === null) return showParts([statusCode || undefined]);
  const english = findEnglish(status) ?? (status === published ? meaning : undefined);
  return showParts([status, english?.toLowerCase() !== status.toLowerCase() && english, statusCode || undefined]);
}

export interface EntityListView {
  readonly visitor: Visitor;
  readonly id: string;
  /** JSON Pointer of the list in the record. */
  readonly pointer: string;
  readonly page: number;
  readonly list: ListPage;
  readonly left: number;
}

/** The page of one list of a record. Lists are divided into pages, because some companies have thousands of establishments. */
export function entityListPage(view: EntityListView): Html {
  const { visitor, id, pointer, page, list, left } = view;
  const { total, head } = list;
  const pageCount = Math.max(1, Math.ceil(total / LIST_PAGE_SIZE));
  const first = (page - 1) * LIST_PAGE_SIZE + 1;
  const name = String(head.canonicalName ?? '');
  const title = describeList(pointer);
  return layout(
    `${plainText(title)}: ${plainText(name)}`,
    html`<p class="crumbs"><a href="/explore">Explore</a> › <a href="/entities/${id}">${showText(name)}</a></p>
    <h1>${showText(title)}</h1>
    <p class="total" role="status">${
      list.items.length === 0
        ? html`Page ${formatCount(page)} does not exist. The last page is ${formatCount(pageCount)}.`
        : describeRange(first, list.items.length, total)
    }</p>
    <p class="cost">This page used one request; ${formatCount(left)} left in this period.
    <a href="/entities/${id}/json">The complete record as JSON</a> also uses one.</p>
    ${showList(view, first)}
    ${
      (pageCount > 1 || page > 1) &&
      pageLinks({
        page,
        pageCount,
        action: `/entities/${id}`,
        parameters: [['list', pointer]],
        addressOf: (target) => listAddress(id, pointer, target),
      })
    }`,
    { section: '/explore', visitor },
  );
}

/** Writes `3 entries` if all entries are on the page, otherwise `51–100 of 120` or `101 of 101`. */
function describeRange(first: number, count: number, total: number): Html {
  if (count === total) return html`<strong>${formatAmount(total, 'entry', 'entries')}</strong>`;
  const last = first + count - 1;
  return html`${first < last && `${formatCount(first)}–`}${formatCount(last)} of <strong>${formatCount(total)}</strong>`;
}

/** The title of a list. Names of source fields are shown as published, names of our own fields as labels. */
function describeList(pointer: string): string {
  const [member = '', ...path] = parsePointer(pointer);
  if (member === 'sourceData') return ['Original source row', ...path.map(countFromOne)].join(' › ');
  const known = member === 'registry' && path.length === 1 ? titleOfList(path[0] ?? '') : undefined;
  return known ?? labelPath(member === 'registry' ? path.map(countFromOne) : [member, ...path.map(countFromOne)]);
}

function countFromOne(segment: string): string {
  return /^\d+$/.test(segment) ? String(Number(segment) + 1) : segment;
}

function showList({ id, pointer, list: { items } }: EntityListView, first: number): Html {
  const [member, name = '', ...rest] = parsePointer(pointer);
  if (member === 'registrations') return registrationsTable(items as unknown as readonly Registration[]);
  if (member === 'sourceData') {
    const fields = items.flatMap((item, index) =>
      flatten(item, {}, { path: [String(first + index)], pointer: `${pointer}/${first - 1 + index}` }),
    );
    return sourceTable(id, fields);
  }
  if (member === 'registry' && rest.length === 0 && titleOfList(name) !== undefined) return commonTable(name, items);
  return scrollArea(describeList(pointer), showItems(items));
}
