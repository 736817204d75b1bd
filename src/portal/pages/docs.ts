import { type DocsEntry, type DocsGroup, GROUPS } from '../docs/library.ts';
import type { DocsAnswer, Hit } from '../docs/search.ts';
import { type Html, html } from '../html.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import type { Heading, RenderedDocument } from '../parts/markdown.ts';
import { formatAmount } from '../text/formatting.ts';

export interface DocsPage extends RenderedDocument {
  readonly title: string;
  /** The entry that the menu highlights. */
  readonly address: string;
  /** The entry of the menu whose own entries are shown. */
  readonly open?: OpenEntry;
  readonly description?: string;
  readonly q?: string;
  /** Modules in `public/`, besides the one that copies code. */
  readonly scripts?: readonly string[];
  /** The page has its examples where others have the list of contents. */
  readonly isWide?: boolean;
}

const IN_ORDER: readonly DocsEntry[] = GROUPS.flatMap(({ entries }) => entries);

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

/** An entry of the menu that shows what is below it, such as the registers. */
interface OpenEntry {
  readonly address: string;
  readonly entries: readonly MenuEntry[];
}

interface MenuEntry extends DocsEntry {
  readonly entries?: readonly DocsEntry[];
}

function docsMenu(current: string, open?: OpenEntry): Html {
  const link = ({ title, address }: DocsEntry) =>
    html`<a href="${address}"${address === current && html` aria-current="page"`}>${title}</a>`;
  const list = (entries: readonly MenuEntry[]): Html =>
    html`<ul>${entries.map((entry) => html`<li>${link(entry)}${entry.entries && list(entry.entries)}</li>`)}</ul>`;
  // First, so that the current entry is in view.
  const isOpen = ({ entries }: DocsGroup) => entries.some(({ address }) => address === open?.address);
  return html`<nav aria-label="Documentation">${fold(
    'All documents',
    [...GROUPS.filter(isOpen), ...GROUPS.filter((group) => !isOpen(group))].map(
      ({ title, entries }) => html`<p class="group">${title}</p>
      <ul>${entries.map((entry) => html`<li>${link(entry)}${open?.address === entry.address && list(open.entries)}</li>`)}</ul>`,
    ),
  )}</nav>`;
}

/** The headings of the page. Two or fewer need no list. The focus stop makes a long list scrollable by keyboard. */
function contentsList(headings: readonly Heading[]): Html | false {
  const shown = headings.filter(({ depth }) => depth <= 3);
  if (shown.length < 3) return false;
  const item = ({ depth, text, anchor }: Heading) =>
    html`<li${depth > 2 && html` class="inner"`}><a href="#${anchor}">${text}</a></li>`;
  return html`<nav class="contents" aria-label="On this page" tabindex="0">${fold(
    'On this page',
    html`<p class="group">On this page</p><ul>${shown.map(item)}</ul>`,
  )}</nav>`;
}

function docsSearch(q = ''): Html {
  return html`<form class="docs-search" role="search" action="/docs">
    <label class="hidden" for="docs-q">Search the docs</label>
    <input id="docs-q" name="q" type="search" value="${q}" maxlength="100" required placeholder="Search docs" autocomplete="off">
    <button class="quiet">Search</button>
  </form>`;
}

function turnLinks(entries: readonly DocsEntry[], current: string): Html | false {
  const at = entries.findIndex(({ address }) => address === current);
  if (at < 0) return false;
  const link = (entry: DocsEntry | undefined, text: string, name: string) =>
    entry && html`<a class="${name}" href="${entry.address}"><span>${text}</span> ${entry.title}</a>`;
  return html`<nav class="turn" aria-label="Previous and next">
    ${link(entries[at - 1], 'Previous', 'previous')} ${link(entries[at + 1], 'Next', 'next')}
  </nav>`;
}

/** Open on wide screens, where the style sheet hides the summary. */
function fold(summary: string, content: Html | readonly Html[]): Html {
  return html`<details class="fold"><summary>${summary}</summary>${content}</details>`;
}

export function docsResultsPage(q: string, { hits, suggestion }: DocsAnswer, visitor: Visitor): Html {
  const title = `Search the docs: ${q}`;
  const article = html`<h1>Search the docs</h1>
    <p class="quiet" role="status">${hits.length === 0 ? 'No results' : formatAmount(hits.length, 'result')} for “<bdi>${q}</bdi>”.</p>
    ${hits.length === 0 && noHits(suggestion)}
    <ol class="hits">${hits.map(showHit)}</ol>`;
  return docsPage({ title, address: '', article, headings: [], q }, visitor);
}

function showHit({ passage: { title, heading, address }, excerpt }: Hit): Html {
  return html`<li>
    <h2><a href="${address}">${heading ?? title}</a></h2>
    ${heading && html`<p class="quiet">${title}</p>`}
    <p>${excerpt.map(({ text, isMatch }) => (isMatch ? html`<mark>${text}</mark> ` : `${text} `))}…</p>
  </li>`;
}

function noHits(suggestion: string | undefined): Html {
  return html`${
    suggestion && html`<p>Did you mean <a href="/docs?q=${encodeURIComponent(suggestion)}">${suggestion}</a>?</p>`
  }
  <p>A result contains every word of the search. Try fewer words, or part of a word. To find a company instead,
    use <a href="/explore">Explore</a>.</p>`;
}
