import type { MonitorEvent } from '../monitors/events.ts';
import type { MonitorChange } from '../monitors/monitor.ts';
import type { NamedAlert } from './store.ts';

export interface Message {
  readonly subject: string;
  readonly text: string;
}

/** The maximum number of changes in an e-mail. The page of the monitor lists all changes. */
export const MAX_LISTED = 25;

/** Writes the changes as plain text, which any mail program shows, and in which names of companies cannot contain markup. */
export function writeChanges(
  alert: NamedAlert,
  events: readonly MonitorEvent[],
  total: number,
  publicUrl: string,
): Message {
  const name = toLine(alert.monitorName);
  const amount = total === 1 ? '1 change' : `${total} changes`;
  const listed = events.slice(0, MAX_LISTED);
  const page = `${publicUrl}/dashboard/monitors/${alert.monitorId}`;
  const more = total > listed.length ? `And ${total - listed.length} more: ${page}` : `All changes: ${page}`;
  const items = listed.map(({ data }) => describeEvent(data as unknown as MonitorChange, publicUrl));
  const text = [`${amount} in “${name}”:`, ...items, more, writeEnd(alert, publicUrl)].join('\n\n');
  return { subject: `${name}: ${amount}`, text: `${text}\n` };
}

/** Asks the reader of an address that a user has entered. No other e-mail is sent to the address before the reader agrees. */
export function writeConfirmation(alert: NamedAlert, publicUrl: string): Message {
  const { token, rhythm } = alert;
  const name = toLine(alert.monitorName);
  const often = rhythm === 'daily' ? 'once a day' : 'soon after each change';
  return {
    subject: `Confirm e-mails about “${name}”`,
    text: `Somebody entered this address at ${publicUrl}, to get an e-mail ${often} about the companies in “${name}”.

If that was you, or you agree, confirm it:
${alertAddress(publicUrl, token)}

If not, do nothing: no further e-mail is sent.
`,
  };
}

export function alertAddress(publicUrl: string, token: string): string {
  return `${publicUrl}/alerts/${token}`;
}

function describeEvent(change: MonitorChange, publicUrl: string): string {
  const { type, entityId, before, after, fields } = change;
  const name = toLine((after ?? before)?.canonicalName ?? 'A company');
  const values = listValues(change);
  const details = values.length > 0 || fields.length === 0 ? values : [`changed: ${fields.join(', ')}`];
  return [`${name}: ${type}`, ...details.map(toLine), `${publicUrl}/entities/${entityId}`].join('\n  ');
}

function writeEnd({ token, rhythm }: NamedAlert, publicUrl: string): string {
  return `You get this ${rhythm === 'daily' ? 'daily e-mail' : 'e-mail'} because this address was chosen for this monitor.
Stop these e-mails: ${alertAddress(publicUrl, token)}`;
}

const LABELS = {
  canonicalName: 'Name',
  status: 'Status',
  legalForm: 'Legal form',
  registeredAt: 'Registration date',
} as const;

/** Details that repeat the values with labels. */
const REPEATED = /^registry\.(?:status|legalForm)\b|^registrations\.status/;

/** The values before and after a change, one per line. */
export function listValues({ before, after, details }: MonitorChange): string[] {
  const shown = Object.entries(LABELS).flatMap(([name, label]) => {
    const [old, current] = [before, after].map((values) => values?.[name as keyof typeof LABELS] ?? null);
    return old === current ? [] : [`${label}: ${old ?? 'none'} → ${current ?? 'none'}`];
  });
  const others = (details ?? []).filter(({ field }) => !REPEATED.test(field));
  const write = (field: string) => field.replace(/^registry\./, '').replace(/\.(?:text|label)$/, '');
  return [...shown, ...others.map((one) => `${write(one.field)}: ${one.before ?? 'none'} → ${one.after ?? 'none'}`)];
}

/** Replaces characters that could imitate other lines of the message: control characters, and those that change the reading order. */
function toLine(text: string): string {
  return text.replace(/[\s\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim();
}
