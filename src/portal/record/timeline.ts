import { showText } from '../../base/display-text.ts';
import type { EntitySummary } from '../../base/entity-summary.ts';
import { type Html, html } from '../../base/html.ts';
import type { ChangedDetail } from '../../registry/journal/details.ts';
import { listRecords, type SourceRecord, toRecord } from '../../registry/records/source-values.ts';
import type { ChangedValues, PastChange } from '../../watch/feed/feed.ts';
import { formatAmount, formatDate, formatField } from '../text/formatting.ts';
import { labelPath } from '../text/record-fields.ts';

export const TIMELINE_LENGTH = 20;

export interface Timeline {
  readonly changes: readonly PastChange[];
  readonly hasMore: boolean;
}

/** Events of a company and changes of its record by imports, the latest first. `file` is the file of the current record. */
export function timeline(
  { changes, hasMore }: Timeline,
  events: ReturnType<typeof listLifeEvents>,
  file?: string,
): Html {
  const items = [
    ...changes.map(({ change, file }) => ({
      date: change.occurredAt,
      lines: describeChange(change),
      source: html`, seen by us in ${file === null ? 'an import' : showText(file)}`,
    })),
    ...events.map(({ date, text }) => ({
      date,
      lines: [text],
      source: html`, according to ${file === undefined ? 'the register' : showText(file)}`,
    })),
  ];
  const latestFirst = items.toSorted((a, b) => b.date.localeCompare(a.date));
  return html`<ol class="timeline">${latestFirst.map(
    ({ date, lines, source }) => html`<li>${lines.map((line) => html`<p>${line}</p>`)}
      <p class="quiet"><time datetime="${date}">${formatDate(date.slice(0, 10))}</time>${source}</p></li>`,
  )}</ol>
  ${hasMore && html`<p class="hint">These are the latest ${TIMELINE_LENGTH} imports that changed the record. <a href="/docs/sync#one-company">The API has all of them.</a></p>`}`;
}

/** Describes a change: one line per changed value, and one line for all fields whose values are not known. */
export function describeChange({ type, fields, before, after, details }: Described): Html[] {
  const heading = HEADINGS[type];
  const lines = heading === undefined ? [] : [html`${heading}`];
  const isShown = (name: string): name is keyof ChangedValues => Object.hasOwn(LABELS, name);
  if (before !== null && after !== null) {
    for (const name of fields.filter(isShown)) {
      if (before[name] === after[name]) continue;
      lines.push(html`${LABELS[name]} changed from ${show(name, before[name])} to ${show(name, after[name])}`);
    }
  }
  lines.push(...changedDetails(details ?? []));
  const listed = new Set(details?.map(({ field }) => field.split('.')[0]));
  const others = fields.flatMap((name) => (listed.has(name) ? [] : (OTHER_LABELS[name] ?? [])));
  // The source row changes with nearly every field, so it has a line only if nothing else has changed.
  if (others.length > 0) lines.push(html`${lines.length > 0 ? 'Also changed' : 'Changed'}: ${others.join(', ')}`);
  return lines.length > 0
    ? lines
    : [html`${fields.includes('sourceData') ? 'Source row changed' : 'Imported again with the same content'}`];
}

type Described = Omit<PastChange['change'], 'type'> & { readonly type: string };

const HEADINGS: Readonly<Record<string, string>> = {
  added: 'Added',
  delisted: 'No longer listed by its register',
  relisted: 'Listed again by its register',
};

const LABELS: Readonly<Record<keyof ChangedValues, string>> = {
  canonicalName: 'Name',
  status: 'Status',
  legalForm: 'Legal form',
  registeredAt: 'Registration date',
};

const OTHER_LABELS: Readonly<Record<string, string>> = {
  countryCode: 'country',
  registrationNumber: 'registration number',
  city: 'city',
  registry: 'details',
  registrations: 'registrations',
  related: 'records in other registers',
};

function show(name: keyof ChangedValues, value: string | null): Html {
  if (value === null) return html`<span class="empty">none</span>`;
  if (name === 'status') return html`<b>${value.replaceAll('_', ' ')}</b>`;
  return html`<b>${name === 'registeredAt' ? formatDate(value) : showText(value)}</b>`;
}

/** Lists when the company was founded, registered, renamed, moved, got its status and ended, if the register publishes these dates. */
export function listLifeEvents(
  { registeredAt, status }: Pick<EntitySummary, 'registeredAt' | 'status'>,
  common: SourceRecord,
) {
  const { foundedAt, endedAt, previousNames, addresses, status: published } = common;
  const { label, since } = toRecord(published);
  const inEnglish = status.replaceAll('_', ' ');
  const hasLabel = label !== undefined && String(label).toLowerCase() !== inEnglish;
  const found: (readonly [unknown, Html])[] = [
    [foundedAt !== registeredAt && foundedAt, html`Founded`],
    [registeredAt, html`Registered`],
    ...listRecords(previousNames).map(({ name, until }) => [until, html`Renamed; before: ${quote(name)}`] as const),
    ...listRecords(addresses)
      .filter(({ type }) => type === 'former')
      .map(({ text, until }) => [until, html`Moved; before: ${quote(text)}`] as const),
    [since, html`Status since then: ${quote(inEnglish)}${hasLabel && html` (${showText(String(label))})`}`],
    // One line is enough if the company got its status on the day on which it ended.
    [endedAt !== since && endedAt, status === 'dissolved' ? html`Ended` : html`End of the registration`],
  ];
  return found.flatMap(([date, text]) => (typeof date === 'string' && ISO_DATE.test(date) ? [{ date, text }] : []));
}

const ISO_DATE = /^\d{4}-\d\d-\d\d$/;

const quote = (text: SourceRecord[string] | undefined) => html`<b>${showText(String(text ?? ''))}</b>`;

/** The number of details per change that the page shows. The API has more details. */
const MAX_SHOWN = 8;

/** Writes one line per value that an import changed. An address is one value, so its parts have no lines. */
function changedDetails(details: readonly ChangedDetail[]): Html[] {
  const wholes = details.filter(({ field }) => field.endsWith('.address.text')).map(({ field }) => field);
  const isPart = (field: string) =>
    (field === 'city' && wholes.length > 0) ||
    wholes.some((whole) => field !== whole && field.startsWith(whole.slice(0, -'text'.length)));
  const fields = new Set(details.map(({ field }) => field));
  const isCode = (field: string) => field.endsWith('.code') && fields.has(field.replace(/code$/, 'label'));
  const shown = details.filter(({ field }) => !isPart(field) && !isCode(field) && !REPEATED.test(field));
  const lines = shown.slice(0, MAX_SHOWN).map(describe);
  const left = shown.length - lines.length;
  return left > 0 ? [...lines, html`And ${formatAmount(left, 'more value')}`] : lines;
}

/** Details that repeat the change: it has the legal form itself, and the status of a registration is the status of the company. */
const REPEATED = /^registry\.legalForm\b|\.labels\b|^registrations\.status/;

function describe({ field, before, after }: ChangedDetail): Html {
  const path = field
    .replace(/^registry\./, '')
    .replace(/\.(?:text|label)$/, '')
    .split('.');
  const label = path[0] === 'status' ? labelPath(['registerStatus', ...path.slice(1)]) : labelPath(path);
  const show = (text: string) => html`<b>${showText(summarize(path.at(-1) ?? '', text))}</b>`;
  if (before === null) return html`${label} added: ${show(after ?? '')}`;
  if (after === null) return html`${label} removed: ${show(before)}`;
  return html`${label} changed from ${show(before)} to ${show(after)}`;
}

/** Summarizes a value. An item of a list is JSON, unless it was truncated; only the fields that name the item are shown. */
function summarize(key: string, text: string): string {
  if (!text.startsWith('{')) return formatField(key, text);
  try {
    const { name, label, text: written, number, code, role } = JSON.parse(text);
    const parts = [role?.replaceAll('_', ' '), name ?? label ?? written, number ?? code];
    return parts.filter((part) => part !== undefined).join(', ') || text;
  } catch {
    return text;
  }
}
