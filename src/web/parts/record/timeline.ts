import type { ChangedValues, ChangeType } from '../../../journal/feed/change.ts';
import type { PastChange } from '../../../journal/feed/history.ts';
import { type Html, html } from '../../html.ts';
import { showText } from '../../text/display-text.ts';
import { formatDate, formatDay } from '../../text/formatting.ts';

/** The number of changes that the page of a record shows. */
export const TIMELINE_LENGTH = 20;

export interface Timeline {
  readonly changes: readonly PastChange[];
  /** Whether there are older ones. */
  readonly hasMore: boolean;
}

/** What imports have changed about a record, the latest first. */
export function timeline({ changes, hasMore }: Timeline): Html {
  return html`<ol class="timeline">${changes.map(
    ({ change, file }) =>
      html`<li>${describe(change).map((line) => html`<p>${line}</p>`)}
      <p class="quiet"><time datetime="${change.occurredAt}">${formatDay(Date.parse(change.occurredAt))}</time>${
        file !== null && html`, file ${showText(file)}`
      }</p></li>`,
  )}</ol>
  ${hasMore && html`<p class="hint">These are the latest ${TIMELINE_LENGTH} changes. <a href="/docs/sync#one-company">The API has all of them.</a></p>`}`;
}

/** One line per change of a shown field, and one for all other fields. */
function describe({ type, fields, before, after }: PastChange['change']): Html[] {
  const heading = HEADINGS[type];
  const lines = heading === undefined ? [] : [html`${heading}`];
  const isShown = (name: string): name is keyof ChangedValues => Object.hasOwn(LABELS, name);
  if (before !== null && after !== null) {
    for (const name of fields.filter(isShown)) {
      if (before[name] === after[name]) continue;
      lines.push(html`${LABELS[name]} changed from ${show(name, before[name])} to ${show(name, after[name])}`);
    }
  }
  const others = fields.flatMap((name) => OTHER_LABELS[name] ?? []);
  // The source row changes with nearly every field, so it is worth a line only if nothing else has changed.
  if (others.length > 0) lines.push(html`${lines.length > 0 ? 'Also changed' : 'Changed'}: ${others.join(', ')}`);
  return lines.length > 0
    ? lines
    : [html`${fields.includes('sourceData') ? 'Source row changed' : 'Imported again with the same content'}`];
}

const HEADINGS: Readonly<Partial<Record<ChangeType, string>>> = {
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
