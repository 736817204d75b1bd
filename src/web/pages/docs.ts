import { type Html, html } from '../html.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { addressOf } from '../parts/markdown.ts';

/** The documents in the navigation, in reading order: title and path in `docs/`. */
export const DOCUMENTS = [
  { title: 'Quick start', file: 'guides/quick-start.md' },
  { title: 'Authentication', file: 'guides/authentication.md' },
  { title: 'Search and paging', file: 'guides/paging.md' },
  { title: 'Fields of a record', file: 'registers/fields.md' },
  { title: 'Status of a company', file: 'registers/status.md' },
  { title: 'Provenance', file: 'guides/provenance.md' },
  { title: 'Rate limits and retries', file: 'guides/limits.md' },
  { title: 'Caching, compression and browsers', file: 'guides/http.md' },
  { title: 'Versioning', file: 'guides/versioning.md' },
  { title: 'Errors', file: 'errors.md' },
] as const;

const ENTRIES = [
  ...DOCUMENTS.map(({ title, file }) => ({ title, address: addressOf(file) })),
  { title: 'API reference', address: '/docs/reference' },
];

/** A document next to the list of documents. */
export function docsPage(title: string, address: string, article: Html, visitor: Visitor): Html {
  const entry = (document: (typeof ENTRIES)[number]) =>
    html`<li><a href="${document.address}"${document.address === address && html` aria-current="page"`}>${document.title}</a></li>`;
  return layout(
    title,
    html`<div class="docs">
      <nav aria-label="Documentation"><ul>${ENTRIES.map(entry)}</ul></nav>
      <article>${article}</article>
    </div>`,
    { section: '/docs', visitor, scripts: ['copy.js'] },
  );
}
