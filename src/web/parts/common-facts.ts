import { type Html, html } from '../html.ts';
import { showText } from '../text/display-text.ts';
import { formatDate, formatNumber } from '../text/formatting.ts';
import type { SourceValue } from '../text/record-fields.ts';
import { isList, isRecord, type SourceRecord } from '../text/registry-split.ts';
import type { Fact } from './fact-list.ts';
import type { ShowMore } from './more-link.ts';

/** The common fields of `registry` that are not lists, as rows of the record's table. Missing fields have no row. */
export function commonFacts(common: SourceRecord, showMore: ShowMore): Fact[] {
  const rows: readonly [label: string, value: Html | null][] = [
    ['Register status', showStatus(readRecord(common.status))],
    ['Status inferred from', showOne(common.statusInferredFrom)],
    ['Name in the source', common.nameMissing === true ? html`none; the number is shown instead` : null],
    ['Founded', showDate(common.foundedAt)],
    ['Ended', showDate(common.endedAt)],
    ['Address', showOne(readRecord(common.address).text)],
    ['Capital', showCapital(readRecord(common.capital))],
    ['Employees', showEmployees(readRecord(common.employees))],
    ['Sector', showCoded(readRecord(common.sector))],
    ['Size', showCoded(readRecord(common.size))],
    ['Purpose', showOne(common.purpose)],
    ...showContacts(readRecord(common.contacts), showMore),
  ];
  return rows.filter(([, value]) => value !== null);
}

/** The legal form of the record with its code, its code list and its other labels. */
export function showLegalForm(legalForm: string, common: SourceRecord): Html | null {
  const { code, scheme, labels } = readRecord(common.legalForm);
  const others = Object.entries(readRecord(labels)).filter(([, label]) => label !== legalForm);
  return showParts([
    legalForm,
    code !== undefined && code !== legalForm && `code ${code}`,
    scheme,
    ...others.map(([language, label]) => `${language}: ${label}`),
  ]);
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

function showCapital({ amount, currency }: SourceRecord): Html | null {
  const parts = [amount === undefined ? undefined : formatNumber(String(amount)), currency];
  const text = parts.filter((part) => part !== undefined).join(' ');
  return text === '' ? null : showText(text);
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

function showCoded({ code, label }: SourceRecord): Html | null {
  return showParts([label ?? code, label !== undefined && code !== undefined && `code ${code}`]);
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
  ['emails', 'Emails'],
  ['phones', 'Phones'],
  ['faxes', 'Faxes'],
] as const;

function showOne(value: SourceValue | undefined): Html | null {
  return value === undefined ? null : showText(String(value));
}

function showDate(value: SourceValue | undefined): Html | null {
  return value === undefined ? null : showText(formatDate(String(value)));
}

/** The first part, and the others after it in a quieter colour. */
function showParts(parts: readonly (SourceValue | undefined)[]): Html | null {
  const [first, ...more] = parts.filter((part) => part !== undefined && part !== false).map(String);
  if (first === undefined) return null;
  return html`${showText(first)}${more.map((part) => html` <span class="quiet">· ${showText(part)}</span>`)}`;
}

function readRecord(value: SourceValue | undefined): SourceRecord {
  return value !== undefined && isRecord(value) ? value : {};
}
