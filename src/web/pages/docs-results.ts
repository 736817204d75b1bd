import type { DocsAnswer, Hit } from '../docs/search.ts';
import { type Html, html } from '../html.ts';
import type { Visitor } from '../parts/layout.ts';
import { docsPage } from './docs.ts';

/** What a search over the documentation found. */
export function docsResultsPage(q: string, { hits, suggestion }: DocsAnswer, visitor: Visitor): Html {
  const title = `Search the docs: ${q}`;
  const article = html`<h1>Search the docs</h1>
    <p class="quiet" role="status">${describeCount(hits.length)} for “<bdi>${q}</bdi>”.</p>
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

function describeCount(count: number): string {
  if (count === 0) return 'No results';
  return count === 1 ? '1 result' : `${count} results`;
}
