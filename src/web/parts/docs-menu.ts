import { type DocsEntry, type DocsGroup, GROUPS } from '../docs/library.ts';
import { type Html, html } from '../html.ts';
import type { Heading } from './markdown.ts';

/** An entry of the menu that shows what is below it, such as the registers. */
export interface OpenEntry {
  readonly address: string;
  readonly entries: readonly MenuEntry[];
}

interface MenuEntry extends DocsEntry {
  readonly entries?: readonly DocsEntry[];
}

/** The list of all documents. On narrow screens it is folded. */
export function docsMenu(current: string, open?: OpenEntry): Html {
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
export function contentsList(headings: readonly Heading[]): Html | false {
  const shown = headings.filter(({ depth }) => depth <= 3);
  if (shown.length < 3) return false;
  const item = ({ depth, text, anchor }: Heading) =>
    html`<li${depth > 2 && html` class="inner"`}><a href="#${anchor}">${text}</a></li>`;
  return html`<nav class="contents" aria-label="On this page" tabindex="0">${fold(
    'On this page',
    html`<p class="group">On this page</p><ul>${shown.map(item)}</ul>`,
  )}</nav>`;
}

export function docsSearch(q = ''): Html {
  return html`<form class="docs-search" role="search" action="/docs">
    <label class="hidden" for="docs-q">Search the docs</label>
    <input id="docs-q" name="q" type="search" value="${q}" maxlength="100" required placeholder="Search docs" autocomplete="off">
    <button class="quiet">Search</button>
  </form>`;
}

/** Links to the documents before and after this one. */
export function turnLinks(entries: readonly DocsEntry[], current: string): Html | false {
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
