import { type Html, html } from '../html.ts';
import { layout, type Visitor } from '../parts/layout.ts';

/** The documents under `/docs`, in reading order. */
export const DOCUMENTS = [
  { address: '/docs', title: 'Quick start', file: 'guides/quick-start.md' },
  { address: '/docs/authentication', title: 'Authentication', file: 'guides/authentication.md' },
  { address: '/docs/paging', title: 'Search and paging', file: 'guides/paging.md' },
  { address: '/docs/limits', title: 'Rate limits and retries', file: 'guides/limits.md' },
  { address: '/docs/provenance', title: 'Provenance', file: 'guides/provenance.md' },
  { address: '/docs/versioning', title: 'Versioning', file: 'guides/versioning.md' },
] as const;

const OTHER_PAGES = [
  { address: '/docs/errors', title: 'Errors' },
  { address: '/docs/reference', title: 'API reference' },
] as const;

/** A document next to the list of documents. */
export function docsPage(title: string, address: string, article: Html, visitor: Visitor): Html {
  const entry = (document: { address: string; title: string }) =>
    html`<li><a href="${document.address}"${document.address === address && html` aria-current="page"`}>${document.title}</a></li>`;
  return layout(
    title,
    html`<div class="docs">
      <nav aria-label="Documentation"><ul>${[...DOCUMENTS, ...OTHER_PAGES].map(entry)}</ul></nav>
      <article>${article}</article>
    </div>`,
    { section: '/docs', visitor, scripts: ['copy.js'] },
  );
}
