import { fail } from '../../base/errors.ts';
import type { Routes } from '../../http/app.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import {
  DOCUMENTS,
  type Document,
  ERRORS,
  listRegisterDocuments,
  REFERENCE,
  REGISTERS,
  readDocument,
} from '../docs/library.ts';
import {
  createDocsSearch,
  describeOperation,
  type SearchDocs,
  splitDocument,
  summarizeDocument,
} from '../docs/search.ts';
import { html } from '../html.ts';
import { createKeptPages } from '../kept-pages.ts';
import { type DocsPage, docsPage, docsResultsPage } from '../pages/docs.ts';
import { referencePage } from '../pages/reference.ts';
import { type RenderedDocument, renderMarkdown } from '../parts/markdown.ts';
import { type ApiContract, listOperations, OPERATION_GROUPS } from '../reference/contract.ts';
import { sendPage } from '../send-page.ts';
import type { PageServices } from '../services.ts';
import { findVisitor } from '../visitor.ts';

/** The address in the documents' examples. Pages replace it with the address of this server. */
const EXAMPLE_URL = 'http://127.0.0.1:3000';
const MAX_QUERY_LENGTH = 100;

export function registerDocs(app: Routes, services: PageServices): void {
  const kept = createKeptPages();
  const readContract = () => services.contract() as ApiContract;
  const registerDocuments = listRegisterDocuments();
  const registers = { address: REGISTERS.address, entries: registerDocuments };
  const pages = new Set([...DOCUMENTS, ...registerDocuments, ERRORS].map(({ file }) => file));

  async function sendDocument(request: HttpRequest, reply: HttpReply, page: DocsPage): Promise<HttpReply> {
    const visitor = await findVisitor(request, services);
    const render = () => docsPage(page, visitor);
    if (visitor !== 'anonymous') return sendPage(reply, render());
    return sendPage(reply, kept.find(`${page.address} ${page.title}`, page.article, render));
  }

  function registerDocument({ title, file, address }: Document): void {
    const source = readDocument(file);
    const open = address.startsWith(REGISTERS.address) && { open: registers };
    let rendered: (RenderedDocument & { readonly publicUrl: string; readonly description: string }) | undefined;
    app.get<{ Querystring: { q?: unknown } }>(address, (request, reply) => {
      const { q } = request.query;
      if (address === '/docs' && typeof q === 'string' && q.trim() !== '') return sendResults(request, reply, q);
      // The address is known only when the server listens.
      const publicUrl = services.publicUrl();
      if (rendered?.publicUrl !== publicUrl) {
        rendered = {
          publicUrl,
          description: summarizeDocument(source),
          ...renderMarkdown(source.replaceAll(EXAMPLE_URL, publicUrl), file, (path) => pages.has(path)),
        };
      }
      return sendDocument(request, reply, { title, address, ...rendered, ...open });
    });
  }

  let search: SearchDocs | undefined;
  async function sendResults(request: HttpRequest, reply: HttpReply, q: string): Promise<HttpReply> {
    search ??= createDocsSearch([
      ...[...DOCUMENTS, ...registerDocuments, ERRORS].flatMap((document) =>
        splitDocument(document, readDocument(document.file)),
      ),
      ...listOperations(readContract()).map(describeOperation),
    ]);
    const query = q.trim().slice(0, MAX_QUERY_LENGTH);
    const visitor = await findVisitor(request, services);
    return sendPage(reply, docsResultsPage(query, search(query), visitor));
  }

  for (const document of [...DOCUMENTS, ...registerDocuments]) registerDocument(document);

  let errors: ErrorArticles | undefined;
  const readErrors = () => {
    errors ??= readErrorArticles(readDocument(ERRORS.file), ERRORS.file);
    return errors;
  };
  const { address } = ERRORS;
  app.get(address, (request, reply) =>
    sendDocument(request, reply, { title: ERRORS.title, address, ...readErrors().overview }),
  );
  app.get<{ Params: { code: string } }>(`${address}/:code`, (request, reply) => {
    const { code } = request.params;
    const article = readErrors().byCode.get(code);
    if (article === undefined) throw fail('not_found');
    return sendDocument(request, reply, { title: code, address, ...article });
  });

  const reference = new Map<string, DocsPage>();
  for (const group of [undefined, ...OPERATION_GROUPS]) {
    const path = (group ?? REFERENCE).address;
    app.get(path, (request, reply) => {
      const publicUrl = services.publicUrl();
      const page = reference.get(publicUrl + path) ?? referencePage(readContract(), publicUrl, group);
      reference.set(publicUrl + path, page);
      return sendDocument(request, reply, page);
    });
  }
}

/** `docs/errors.md` as one page and as one page per code. In that file each code is a level-two heading. */
interface ErrorArticles {
  readonly overview: RenderedDocument;
  readonly byCode: ReadonlyMap<string, RenderedDocument>;
}

function readErrorArticles(source: string, file: string): ErrorArticles {
  const [introduction = '', ...sections] = source.split(/^(?=## )/m);
  const list = sections.map((section) => renderMarkdown(section, file));
  const byCode = sections.map((section) => {
    const { article, headings } = renderMarkdown(section.replace('##', '#'), file);
    const back = html`<p><a href="/docs/errors">All error codes</a></p>`;
    return [/^## `(\w+)`/.exec(section)?.[1] ?? '', { article: html`${article}${back}`, headings }] as const;
  });
  return {
    overview: {
      article: html`${renderMarkdown(introduction, file).article}${list.map(({ article }) => html`<section>${article}</section>`)}`,
      headings: list.flatMap(({ headings }) => headings),
    },
    byCode: new Map(byCode),
  };
}
