import { type Html, html } from './html.ts';

export interface AtomEntry {
  readonly id: string;
  readonly title: string;
  /** ISO 8601. */
  readonly updated: string;
  readonly address: string;
  readonly text: string;
}

interface AtomFeed {
  readonly id: string;
  readonly title: string;
  /** The `updated` time of a feed without entries. */
  readonly created: number;
  readonly address: string;
  readonly entries: readonly AtomEntry[];
}

export const ATOM = 'application/atom+xml; charset=utf-8';

export function atomFeed({ id, title, created, address, entries }: AtomFeed): string {
  const updated = entries[0]?.updated ?? new Date(created).toISOString();
  const feed = html`<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${id}</id>
  <title>${clean(title)}</title>
  <updated>${updated}</updated>
  <author><name>Firmament</name></author>
  <link rel="alternate" href="${address}"/>
${entries.map(entryXml)}</feed>
`;
  return `<?xml version="1.0" encoding="utf-8"?>\n${feed.text}`;
}

function entryXml({ id, title, updated, address, text }: AtomEntry): Html {
  return html`  <entry>
    <id>${id}</id>
    <title>${clean(title)}</title>
    <updated>${updated}</updated>
    <link href="${address}"/>
    <content type="text">${clean(text)}</content>
  </entry>
`;
}

function clean(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML excludes
  return text.toWellFormed().replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '');
}
