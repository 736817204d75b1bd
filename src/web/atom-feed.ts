import type { MonitorChange } from '../monitors/monitor.ts';
import type { Monitor } from '../monitors/monitors.ts';
import { type Html, html } from './html.ts';

/** The changes of a monitor as an Atom feed (RFC 4287), the newest first. */
export function atomFeed(monitor: Monitor, changes: readonly MonitorChange[], publicUrl: string): string {
  const updated = changes[0]?.occurredAt ?? new Date(monitor.createdAt).toISOString();
  const feed = html`<feed xmlns="http://www.w3.org/2005/Atom">
  <id>urn:uuid:${monitor.id}</id>
  <title>${clean(monitor.name)}</title>
  <updated>${updated}</updated>
  <author><name>Firmament</name></author>
  <link rel="alternate" href="${publicUrl}/dashboard/monitors/${monitor.id}"/>
${changes.map((change) => showEntry(change, monitor, publicUrl))}</feed>
`;
  return `<?xml version="1.0" encoding="utf-8"?>\n${feed.text}`;
}

function showEntry(change: MonitorChange, { id }: Monitor, publicUrl: string): Html {
  const { cursor, type, entityId, occurredAt, before, after, fields } = change;
  const name = (after ?? before)?.canonicalName ?? '';
  const lines = [...listValues(change), ...(fields.length > 0 ? [`Changed: ${fields.join(', ')}`] : [])];
  return html`  <entry>
    <id>urn:firmament:${id}:${cursor}</id>
    <title>${clean(`${name}: ${type}`)}</title>
    <updated>${occurredAt}</updated>
    <link href="${publicUrl}/entities/${entityId}"/>
    <content type="text">${clean(lines.join('\n'))}</content>
  </entry>
`;
}

function listValues({ before, after, details }: MonitorChange): string[] {
  const values = ['canonicalName', 'status', 'legalForm', 'registeredAt'] as const;
  const shown = values.flatMap((name) => {
    const [old, current] = [before?.[name] ?? null, after?.[name] ?? null];
    return old === current ? [] : [`${name}: ${old ?? 'none'} → ${current ?? 'none'}`];
  });
  return [...shown, ...(details ?? []).map((one) => `${one.field}: ${one.before ?? 'none'} → ${one.after ?? 'none'}`)];
}

/** Without what XML does not allow. */
function clean(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML excludes
  return text.toWellFormed().replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '');
}
