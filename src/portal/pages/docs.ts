import { fail } from '../../base/errors.ts';
import { type Html, html } from '../../base/html.ts';
import type { Routes } from '../../http/app.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import { type ApiContract, listOperations, OPERATION_GROUPS } from '../docs/contract.ts';
import {
  DOCUMENTS,
  type DocsEntry,
  ERRORS,
  GROUPS,
  listRegisterDocuments,
  REFERENCE,
  REGISTERS,
  readDocument,
} from '../docs/library.ts';
import { createDocsSearch, describeOperation, type Hit, splitDocument, summarizeDocument } from '../docs/search.ts';
import { createKeptPages } from '../kept-pages.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { type Heading, type RenderedDocument, renderMarkdown } from '../parts/markdown.ts';
import type { PageServices } from '../services.ts';
import { formatAmount } from '../text/formatting.ts';
import { findSignedIn, findVisitor, sendPage } from '../visitor.ts';
import { referencePage } from './reference.ts';

/** The address in the documents' examples. Pages replace it with the address of this server. */
const EXAMPLE_URL = 'http://127.0.0.1:3000';
/** A key in the documents. For a signed-in user, pages replace it with the start of the user's own key. */
const SAMPLE_KEY = /\bfrm_(?:live_|test_)?…/;
const MAX_QUERY_LENGTH = 100;

export function registerDocs(app: Routes, services: PageServices): void {
  const kept = createKeptPages();
  const readContract = () => services.contract() as ApiContract;
  const registerDocuments = listRegisterDocuments();
  const documents = [...DOCUMENTS, ...registerDocuments, ERRORS];
  const files = new Set(documents.map(({ file }) => file));
  const articles = new Map<string, DocsPage>();

  /** Renders an article once. The address of this server is known only when it listens. */
  function keepArticle(address: string, render: (publicUrl: string) => DocsPage): DocsPage {
    const publicUrl = services.publicUrl();
    const article = articles.get(publicUrl + address) ?? render(publicUrl);
    articles.set(publicUrl + address, article);
    return article;
  }

  async function sendDocument(request: HttpRequest, reply: HttpReply, page: DocsPage): Promise<HttpReply> {
    const visitor = await findVisitor(request, services);
    const render = () => docsPage(page, visitor);
    if (visitor !== 'anonymous') return sendPage(reply, render());
    return sendPage(reply, kept.find(`${page.address} ${page.title}`, page.article, render));
  }

  /** The start of a key of the user. The rest of the key is unknown here. */
  async function findOwnKey(request: HttpRequest): Promise<string | undefined> {
    const signedIn = await findSignedIn(request, services).catch(() => undefined);
    const keys = signedIn && (await services.apiKeys.list(signedIn.account.accountId).catch(() => []));
    return keys?.[0]?.prefix;
  }

  let search: ReturnType<typeof createDocsSearch> | undefined;
  async function sendResults(request: HttpRequest, reply: HttpReply, q: string): Promise<HttpReply> {
    search ??= createDocsSearch([
      ...documents.flatMap((document) => splitDocument(document, readDocument(document.file))),
      ...listOperations(readContract()).map(describeOperation),
    ]);
    const query = q.trim().slice(0, MAX_QUERY_LENGTH);
    const visitor = await findVisitor(request, services);
    return sendPage(reply, docsResultsPage(query, search(query), visitor));
  }

  for (const { title, file, address } of documents) {
    const source = readDocument(file);
    const isOfRegister = address.startsWith(REGISTERS.address);
    const open = isOfRegister && { open: { address: REGISTERS.address, entries: registerDocuments } };
    const hasSampleKey = SAMPLE_KEY.test(source);
    const render = (publicUrl: string, text = source) => {
      const shown = text.replaceAll(EXAMPLE_URL, publicUrl);
      const rendered = renderMarkdown(shown, file, (path) => files.has(path));
      return { title, address, description: summarizeDocument(source), ...rendered, ...open };
    };
    app.get<{ Querystring: { q?: unknown } }>(address, async (request, reply) => {
      const { q } = request.query;
      if (address === '/docs' && typeof q === 'string' && q.trim() !== '') return sendResults(request, reply, q);
      const own = hasSampleKey ? await findOwnKey(request) : undefined;
      if (own === undefined) return sendDocument(request, reply, keepArticle(address, render));
      const withOwn = source.replaceAll(new RegExp(SAMPLE_KEY, 'g'), `${own}…`);
      return sendDocument(request, reply, render(services.publicUrl(), withOwn));
    });
  }

  // Each code is a level-two heading.
  const sections = readDocument(ERRORS.file).split(/^(?=## )/m);
  app.get<{ Params: { code: string } }>(`${ERRORS.address}/:code`, (request, reply) => {
    const { code } = request.params;
    const section = sections.find((each) => each.startsWith(`## \`${code}\``));
    if (section === undefined) throw fail('not_found');
    const page = keepArticle(`${ERRORS.address}/${code}`, () => {
      const { article, headings } = renderMarkdown(section.replace('##', '#'), ERRORS.file);
      const withBack = html`${article}<p><a href="${ERRORS.address}">All error codes</a></p>`;
      return { title: code, address: ERRORS.address, article: withBack, headings };
    });
    return sendDocument(request, reply, page);
  });

  for (const group of [undefined, ...OPERATION_GROUPS]) {
    const path = (group ?? REFERENCE).address;
    const render = (publicUrl: string) => referencePage(readContract(), publicUrl, group);
    app.get(path, (request, reply) => sendDocument(request, reply, keepArticle(path, render)));
  }
}

export interface DocsPage extends RenderedDocument {
  readonly title: string;
  /** The entry that the menu highlights. */
  readonly address: string;
  /** The entry of the menu whose own entries are shown, such as the registers. */
  readonly open?: { readonly address: string; readonly entries: readonly DocsEntry[] };
  readonly description?: string;
  readonly q?: string;
  /** Modules in `public/`, besides the module that copies code. */
  readonly scripts?: readonly string[];
  /** Whether the page has its examples in the place of the list of contents. */
  readonly isWide?: boolean;
}

const IN_ORDER: readonly DocsEntry[] = GROUPS.flatMap(({ entries }) => entries);

export function docsPage(page: DocsPage, visitor: Visitor): Html {
  const { title, address, article, headings, open, description, q = '', isWide, scripts = [] } = page;
  const siblings = open?.entries.some((entry) => entry.address === address) ? open.entries : IN_ORDER;
  return layout(
    title,
    html`<div class="docs${isWide && ' wide'}">
      <div class="side"><form class="docs-search" role="search" action="/docs">
        <label class="hidden" for="docs-q">Search the docs</label>
        <input id="docs-q" name="q" type="search" value="${q}" maxlength="100" required placeholder="Search docs" autocomplete="off">
        <button class="quiet">Search</button>
      </form>${docsMenu(address, open)}</div>
      ${!isWide && contentsList(headings)}
      <article>${article}${turnLinks(siblings, address)}</article>
    </div>`,
    { section: '/docs', visitor, scripts: ['copy.js', ...scripts], ...(description && { description }) },
  );
}

function docsMenu(current: string, open: DocsPage['open']): Html {
  const link = ({ title, address }: DocsEntry) =>
    html`<a href="${address}"${address === current && html` aria-current="page"`}>${title}</a>`;
  const list = (entries: readonly DocsEntry[]): Html =>
    html`<ul>${entries.map((entry) => html`<li>${link(entry)}${entry.entries && list(entry.entries)}</li>`)}</ul>`;
  return html`<nav aria-label="Documentation">${fold(
    'All documents',
    GROUPS.map(
      ({ title, entries }) => html`<p class="group">${title}</p>
      <ul>${entries.map((entry) => html`<li>${link(entry)}${open?.address === entry.address && list(open.entries)}</li>`)}</ul>`,
    ),
  )}</nav>`;
}

/** The list of a page's headings. Two or fewer headings need no list. The focus stop makes a long list scrollable by keyboard. */
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

function turnLinks(entries: readonly DocsEntry[], current: string): Html | false {
  const at = entries.findIndex(({ address }) => address === current);
  if (at < 0) return false;
  const link = (entry: DocsEntry | undefined, text: string, name: string) =>
    entry && html`<a class="${name}" href="${entry.address}"><span>${text}</span> ${entry.title}</a>`;
  return html`<nav class="turn" aria-label="Previous and next">
    ${link(entries[at - 1], 'Previous', 'previous')} ${link(entries[at + 1], 'Next', 'next')}
  </nav>`;
}

/** Content to unfold. On wide screens, where the style sheet hides the summary, it is open. */
function fold(summary: string, content: Html | readonly Html[]): Html {
  return html`<details class="fold"><summary>${summary}</summary>${content}</details>`;
}

function docsResultsPage(q: string, hits: readonly Hit[], visitor: Visitor): Html {
  const found = hits.map(
    ({ passage: { title, heading, address }, excerpt }) => html`<li>
    <h2><a href="${address}">${heading ?? title}</a></h2>
    ${heading && html`<p class="quiet">${title}</p>`}
    <p>${excerpt.map(({ text, isMatch }) => (isMatch ? html`<mark>${text}</mark> ` : `${text} `))}…</p>
  </li>`,
  );
  const article = html`<h1>Search the docs</h1>
    <p class="quiet" role="status">${hits.length === 0 ? 'No results' : formatAmount(hits.length, 'result')} for “<bdi>${q}</bdi>”.</p>
    ${
      hits.length === 0 &&
      html`<p>A result contains every word of the search. Try fewer words, or part of a word. To find a company instead,
        use <a href="/explore">Explore</a>.</p>`
    }
    <ol class="hits">${found}</ol>`;
  return docsPage({ title: `Search the docs: ${q}`, address: '', article, headings: [], q }, visitor);
}
