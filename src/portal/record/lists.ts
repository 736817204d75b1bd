import { plainText, showText } from '../../base/display-text.ts';
import { type Html, html } from '../../base/html.ts';
import { type ListPage, parsePointer } from '../../base/json/json-excerpt.ts';
import { findEnglish, findEnglishAuthority } from '../../registers/classifications/english.ts';
import {
  isRecord,
  listNationalKeys,
  listRecords,
  type SourceRecord,
  type SourceValue,
  toRecord,
} from '../../registry/records/source-values.ts';
import { type Column, pageLinks, scrollArea, stackTable } from '../parts/blocks.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { formatCount, formatDate, formatField, formatNumber, showIndustry } from '../text/formatting.ts';
import { flatten, labelOf, labelPath } from '../text/record-fields.ts';
import {
  LIST_PAGE_SIZE,
  listAddress,
  readEnglish,
  recordTable,
  type ShowMore,
  showItems,
  showParts,
  showRole,
} from './fields.ts';
import { sourceTable } from './source.ts';

type ItemColumn = Column<SourceRecord>;

/** A list of the vocabulary. A column is given by its key if it shows the value as it is. */
function list(name: string, title: string, ...columns: readonly (ItemColumn | string)[]) {
  const toColumn = (key: string): ItemColumn => {
    const isDay = key === 'from' || key === 'until';
    return { label: labelOf(key), show: (item) => show(item[key]), ...(isDay && { kind: 'keep' }) };
  };
  return { name, title, columns: columns.map((each) => (typeof each === 'string' ? toColumn(each) : each)) };
}

/** The lists of the vocabulary, in the order of the page. */
const LISTS = [
  list(
    'activities',
    'Activities',
    'code',
    { label: 'Activity', show: ({ label, labels }) => showParts([label, readEnglish(label, labels)]) },
    { label: 'Classification', show: ({ scheme, edition }) => show([scheme, edition].join(' ').trim() || undefined) },
    { label: 'Industry (ISIC)', show: ({ isic, isicNote }) => showIndustry(isic, isicNote) },
    {
      label: 'Kind',
      show: ({ main, type }) => [main && 'main', type === 'licensed' && type].filter(Boolean).join(', '),
    },
  ),
  list(
    'parties',
    'People and organisations',
    { label: 'Role', show: ({ role, roleLabel }) => showRole(String(role ?? '').replaceAll('_', ' '), roleLabel) },
    'name',
    'kind',
    'number',
    { label: 'Share', show: ({ share }) => share && `${formatNumber(String(share))}%` },
    { label: 'Country', show: ({ country, countryCode }) => show(country ?? countryCode) },
    'from',
    'until',
  ),
  list('previousNames', 'Former names', 'name', 'from', 'until'),
  list('otherNames', 'Other names', 'name', 'type', {
    label: 'Language',
    show: ({ language }) => language && formatField('language', String(language)),
  }),
  list('addresses', 'Other addresses', 'type', { label: 'Address', show: ({ text }) => show(text) }, 'from', 'until'),
  list(
    'establishments',
    'Establishments',
    'number',
    'name',
    { label: 'Address', show: ({ address }) => show(toRecord(address).text) },
    'from',
    'until',
  ),
  list('predecessors', 'Predecessors', 'name', 'number'),
  list('successors', 'Successors', 'name', 'number'),
];

export function commonLists(common: SourceRecord, showMore: ShowMore) {
  return LISTS.flatMap((list) => {
    const items = listRecords(common[list.name]);
    if (items.length === 0) return [];
    return [{ ...list, table: html`${commonTable(list, items)}${showMore(`/registry/${list.name}`, items.length)}` }];
  });
}

function commonTable({ name, title, columns }: (typeof LISTS)[number], items: readonly SourceValue[]): Html {
  const records = items.filter(isRecord);
  return recordTable(title, records, columns, listNationalKeys(name, records));
}

function findList([member, name, ...rest]: readonly string[]) {
  return member === 'registry' && rest.length === 0 ? LISTS.find((list) => list.name === name) : undefined;
}

function show(value: SourceValue | undefined): Html | undefined {
  return value === undefined ? undefined : showText(formatDate(String(value)));
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
    { label: 'From', kind: 'keep', show: ({ registeredAt }) => registeredAt && formatDate(registeredAt) },
    { label: 'Until', kind: 'keep', show: ({ endedAt }) => endedAt && formatDate(endedAt) },
  ]);
}

function showRegistrationStatus(
  { status, statusCode }: Registration,
  [published, meaning]: readonly [unknown, string] = [undefined, ''],
): Html | null {
  const code = statusCode ? `code ${statusCode}` : undefined;
  if (status === null) return showParts([code]);
  const english = findEnglish(status) ?? (status === published ? meaning : undefined);
  return showParts([status, english?.toLowerCase() !== status.toLowerCase() && english, code]);
}

interface EntityListView {
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
        : html`Entries ${formatCount(first)} to ${formatCount(first + list.items.length - 1)} of <strong>${formatCount(total)}</strong>`
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

/** The title of a list. Names of source fields are shown as published, names of our own fields as labels. */
function describeList(pointer: string): string {
  const [member = '', ...path] = parsePointer(pointer);
  if (member === 'sourceData') return ['Original source row', ...path.map(countFromOne)].join(' › ');
  return (
    findList([member, ...path])?.title ??
    labelPath(member === 'registry' ? path.map(countFromOne) : [member, ...path.map(countFromOne)])
  );
}

function countFromOne(segment: string): string {
  return /^\d+$/.test(segment) ? String(Number(segment) + 1) : segment;
}

function showList({ id, pointer, list: { items } }: EntityListView, first: number): Html {
  const path = parsePointer(pointer);
  const [member] = path;
  const known = findList(path);
  if (member === 'registrations') return registrationsTable(items as unknown as readonly Registration[]);
  if (member === 'sourceData') {
    const fields = items.flatMap((item, index) =>
      flatten(item, {}, { path: [String(first + index)], pointer: `${pointer}/${first - 1 + index}` }),
    );
    return sourceTable(id, fields);
  }
  if (known !== undefined) return commonTable(known, items);
  return scrollArea(describeList(pointer), showItems(items));
}
