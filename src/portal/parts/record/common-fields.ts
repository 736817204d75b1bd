import { type Html, html } from '../../html.ts';
import { showText } from '../../text/display-text.ts';
import { formatDate, formatField, formatNumber } from '../../text/formatting.ts';
import { showIndustry } from '../../text/industry.ts';
import {
  flatten,
  isList,
  isRecord,
  labelOf,
  listNationalKeys,
  readRecord,
  type SourceRecord,
  type SourceValue,
} from '../../text/record-fields.ts';
import { type Column, type Fact, stackTable } from '../blocks.ts';
import { readEnglish, type ShowMore, showCoded, showMoney, showParts, writeMoney } from './values.ts';

/**
 * The common fields of `registry` that are not lists, except those at the top of the page. Missing fields have no row.
 */
export function commonFacts(common: SourceRecord, showMore: ShowMore): Fact[] {
  const rows: readonly [label: string, value: Html | null][] = [
    ['Legal form', showLegalForm(readRecord(common.legalForm))],
    ['Legal form (ELF)', showElf(readRecord(readRecord(common.legalForm).elf))],
    ['Legal form of the LEI record (ELF)', showElf(readRecord(readRecord(common.legalForm).leiElf))],
    ['Register status', showStatus(readRecord(common.status))],
    ['Status inferred from', showOne(common.statusInferredFrom)],
    ['Founded', showDate(common.foundedAt)],
    ['Ended', showDate(common.endedAt)],
    ['Capital', showMoney(readRecord(common.capital))],
    ['Employees', showEmployees(readRecord(common.employees))],
    ['Sector', showCoded(readRecord(common.sector))],
    ['Size', showCoded(readRecord(common.size))],
    ['Purpose', showOne(common.purpose)],
    ...showContacts(readRecord(common.contacts), showMore),
  ];
  return rows.filter(([, value]) => value !== null);
}

/** Only if it has more than the label at the top of the page. */
function showLegalForm({ code, scheme, label, labels }: SourceRecord): Html | null {
  const others = Object.entries(readRecord(labels)).filter(([, other]) => other !== label);
  if (code === undefined && others.length === 0) return null;
  return showParts([
    label ?? code,
    label !== undefined && code !== undefined && `code ${code}`,
    scheme,
    ...others.map(([language, other]) => `${formatField('language', language)}: ${other}`),
  ]);
}

function showElf({ code, name }: SourceRecord): Html | null {
  return showParts([code, name]);
}

function showStatus({ code, label, since, reason, reasonCode }: SourceRecord): Html | null {
  return showParts([
    label ?? code,
    label !== undefined && code !== undefined && `code ${code}`,
    since !== undefined && `since ${formatDate(String(since))}`,
    reason,
    reasonCode !== undefined && `reason code ${reasonCode}`,
  ]);
}

function showEmployees({ count, from, to, code }: SourceRecord): Html | null {
  const text = count === undefined ? showRange(from, to) : formatNumber(String(count));
  return showParts([text, code !== undefined && `code ${code}`]);
}

function showRange(from: SourceValue | undefined, to: SourceValue | undefined): string | undefined {
  if (to === undefined) return from === undefined ? undefined : `${formatNumber(String(from))} or more`;
  const most = formatNumber(String(to));
  return from === undefined ? `up to ${most}` : `${formatNumber(String(from))} to ${most}`;
}

function showContacts(contacts: SourceRecord, showMore: ShowMore): [string, Html | null][] {
  return CONTACTS.map(([name, label]) => {
    const values = contacts[name];
    if (values === undefined || !isList(values) || values.length === 0) return [label, null];
    const items = values.map((value) => html`<li>${showText(String(value))}</li>`);
    return [label, html`<ul>${items}</ul>${showMore(`/registry/contacts/${name}`, items.length)}`];
  });
}

/** Shown as text, not as links: their content comes from the register. */
const CONTACTS = [
  ['websites', 'Websites'],
  ['emails', 'E-mail addresses'],
  ['phones', 'Phones'],
  ['faxes', 'Faxes'],
] as const;

function showOne(value: SourceValue | undefined): Html | null {
  return value === undefined ? null : showText(String(value));
}

function showDate(value: SourceValue | undefined): Html | null {
  return value === undefined ? null : showText(formatDate(String(value)));
}

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
    { label: 'Role', show: ({ role, roleLabel }) => showTwo(String(role ?? '').replaceAll('_', ' '), roleLabel) },
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
    { label: 'Address', show: ({ address }) => show(readRecord(address).text) },
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

export function titleOfList(name: string): string | undefined {
  return LISTS.find((list) => list.name === name)?.title;
}

export function commonTable(name: string, items: readonly SourceValue[]): Html {
  const { title = '', columns = [] } = LISTS.find((list) => list.name === name) ?? {};
  const records = items.filter(isRecord);
  const keys = listNationalKeys(name, records).filter((key) => key !== 'labels');
  const national = keys
    // Another column says in words what the code of this one means. The JSON has the code.
    .filter((key) => ![...keys, 'roleLabel'].includes(`${key.replace(/Code$/, '')}Label`))
    .map(
      (key): ItemColumn => ({
        label: labelOf(key.replace(/Label$/, '')),
        show: (item) => showNational(key, item[key]),
      }),
    );
  const filled = [...columns, ...national].filter(({ show }) => records.some((item) => show(item) !== undefined));
  return stackTable(title, records, filled, false);
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

function showTwo(first: string, second: SourceValue | undefined): Html {
  return html`${showText(first)}${second !== undefined && html` <span class="quiet">${showText(String(second))}</span>`}`;
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

/** Without the last column if no registration has ended. */
export function registrationsTable(list: readonly Registration[]): Html {
  if (list.length === 0) return html`<p class="empty">No registrations.</p>`;
  const hasEnded = list.some(({ endedAt }) => endedAt !== null);
  const until: Column<Registration> = { label: 'Until', show: ({ endedAt }) => showDay(endedAt ?? undefined) };
  return stackTable('Registrations', list, [
    {
      label: 'Number',
      kind: 'keep',
      show: ({ number, numberValid }) =>
        html`<code>${showText(number)}</code>${numberValid === false && html` <span class="badge warn">check digit invalid</span>`}`,
    },
    { label: 'Type', show: ({ type }) => labelOf(type) },
    { label: 'Authority', show: ({ authority }) => showText(authority) },
    { label: 'Register status', show: showRegistrationStatus },
    { label: 'From', show: ({ registeredAt }) => showDay(registeredAt ?? undefined) },
    ...(hasEnded ? [until] : []),
  ]);
}

function showRegistrationStatus({ status, statusCode }: Registration): Html | null {
  if (status === null && !statusCode) return null;
  return html`${showText(status ?? '')}${statusCode && html` <span class="quiet">${showText(statusCode)}</span>`}`;
}
