import type { ChangedValues } from '../../../journal/feed/change.ts';
import type { PastChange } from '../../../journal/feed/history.ts';
import { type Html, html } from '../../html.ts';
import { showText } from '../../text/display-text.ts';
import { formatDate } from '../../text/formatting.ts';
import { changedDetails } from './changed-details.ts';
import type { LifeEvent } from './life.ts';

/** The number of changes that the page of a record shows. */
export const TIMELINE_LENGTH = 20;

export interface Timeline {
  readonly changes: readonly PastChange[];
  /** Whether there are older ones. */
  readonly hasMore: boolean;
}

interface Item {
  readonly date: string;
  readonly lines: readonly Html[];
  readonly source: Html;
}

/** What happened to a company and what imports have changed about its record, the latest first. */
export function timeline({ changes, hasMore }: Timeline, events: readonly LifeEvent[]): Html {
  const items: readonly Item[] = [
    ...changes.map(({ change, file }) => ({
      date: change.occurredAt,
      lines: describeChange(change),
      source: html`, import${file !== null && html` of ${showText(file)}`}`,
    })),
    ...events.map(({ date, text }) => ({ date, lines: [text], source: html`, says the register` })),
  ];
  const latestFirst = items.toSorted((a, b) => (a.date < b.date ? 1 : a.date > b.date ? -1 : 0));
  return html`<ol class="timeline">${latestFirst.map(
    ({ date, lines, source }) => html`<li>${lines.map((line) => html`<p>${line}</p>`)}
      <p class="quiet"><time datetime="${date}">${formatDate(date.slice(0, 10))}</time>${source}</p></li>`,
  )}</ol>
  ${hasMore && html`<p class="hint">These are the latest ${TIMELINE_LENGTH} imports that changed the record. <a href="/docs/sync#one-company">The API has all of them.</a></p>`}`;
}

/** One line per change of a value, and one for fields whose values are not known. */
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
  // The source row changes with nearly every field, so it is worth a line only if nothing else has changed.
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
