import { type DocsEntry, GROUPS } from '../docs/library.ts';
import { type Html, html } from '../html.ts';
import { contentsList, docsMenu, docsSearch, type OpenEntry, turnLinks } from '../parts/docs-menu.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import type { RenderedDocument } from '../parts/markdown.ts';

/** A document and its place in the documentation. */
export interface DocsPage extends RenderedDocument {
  readonly title: string;
  /** The entry that the menu highlights. */
  readonly address: string;
  /** The entry of the menu whose own entries are shown. */
  readonly open?: OpenEntry;
  readonly description?: string;
  /** What was searched for, on the page of results. */
  readonly q?: string;
  /** Modules in `public/`, besides the one that copies code. */
  readonly scripts?: readonly string[];
  /** The page has its examples where others have the list of contents. */
  readonly isWide?: boolean;
}

const IN_ORDER: readonly DocsEntry[] = GROUPS.flatMap(({ entries }) => entries);

/** A document between the menu and the list of its contents. */
export function docsPage(page: DocsPage, visitor: Visitor): Html {
  const { title, address, article, headings, open, description, q, isWide, scripts = [] } = page;
  const siblings = open?.entries.some((entry) => entry.address === address) ? open.entries : IN_ORDER;
  return layout(
    title,
    html`<div class="docs${isWide && ' wide'}">
      <div class="side">${docsSearch(q)}${docsMenu(address, open)}</div>
      ${!isWide && contentsList(headings)}
      <article>${article}${turnLinks(siblings, address)}</article>
    </div>`,
    { section: '/docs', visitor, scripts: ['copy.js', ...scripts], ...(description && { description }) },
  );
}
