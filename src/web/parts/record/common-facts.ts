import { type Html, html } from '../../html.ts';
import { showText } from '../../text/display-text.ts';
import { formatField } from '../../text/field-values.ts';
import { formatDate, formatNumber } from '../../text/formatting.ts';
import type { SourceValue } from '../../text/record-fields.ts';
import { isList, readRecord, type SourceRecord } from '../../text/registry-split.ts';
import { showCoded, showMoney, showParts } from './coded-value.ts';
import type { Fact } from './fact-list.ts';
import type { ShowMore } from './more-link.ts';

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

/** Its code and name in the list of entity legal forms. */
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
