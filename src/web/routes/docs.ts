import { readdirSync, readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { fail } from '../../core/errors.ts';
import { DOCUMENTS, docsPage } from '../pages/docs.ts';
import { loadScalar, referencePage, referencePolicy } from '../pages/reference.ts';
import { readErrorArticles } from '../parts/error-articles.ts';
import { addressOf, renderMarkdown } from '../parts/markdown.ts';
import { sendPage } from '../send-page.ts';
import { findVisitor, type VisitorServices } from '../visitor.ts';

export interface DocsServices extends VisitorServices {
  readonly publicUrl: () => string;
}

/** The address in the documents' examples. Pages replace it with the address of this server. */
const EXAMPLE_URL = 'http://127.0.0.1:3000';
const DOCS = new URL('../../../docs/', import.meta.url);
/** Has a page per section as well. */
const ERRORS = 'errors.md';

export function registerDocs(app: FastifyInstance, services: DocsServices): void {
  for (const { title, file } of [...DOCUMENTS, ...listRegisterPages()]) {
    if (file === ERRORS) continue;
    const source = readDocument(file);
    app.get(addressOf(file), async (request, reply) => {
      const article = renderMarkdown(source.replaceAll(EXAMPLE_URL, services.publicUrl()), file);
      return sendPage(reply, docsPage(title, addressOf(file), article, await findVisitor(request, services)));
    });
  }

  const errors = readErrorArticles(readDocument(ERRORS), ERRORS);
  app.get('/docs/errors', async (request, reply) =>
    sendPage(reply, docsPage('Errors', '/docs/errors', errors.overview, await findVisitor(request, services))),
  );
  app.get<{ Params: { code: string } }>('/docs/errors/:code', async (request, reply) => {
    const { code } = request.params;
    const article = errors.byCode.get(code);
    if (article === undefined) throw fail('not_found');
    return sendPage(reply, docsPage(code, '/docs/errors', article, await findVisitor(request, services)));
  });

  app.get('/docs/reference', (_request, reply) => sendPage(reply, referencePage, referencePolicy));
  app.get('/docs/scalar.js', async (_request, reply) => {
    const script = await loadScalar();
    reply.header('Cache-Control', 'public, max-age=3600');
    return reply.type('text/javascript; charset=utf-8').send(script);
  });
}

/** The pages of `docs/registers/` that describe one register, titled by their heading. */
function listRegisterPages(): { readonly title: string; readonly file: string }[] {
  const listed: readonly string[] = DOCUMENTS.map(({ file }) => file);
  return readdirSync(new URL('registers/', DOCS))
    .map((name) => `registers/${name}`)
    .filter((file) => file.endsWith('.md') && !listed.includes(file))
    .map((file) => ({ title: /^# (.+)$/m.exec(readDocument(file))?.[1] ?? file, file }));
}

function readDocument(file: string): string {
  return readFileSync(new URL(file, DOCS), 'utf8');
}
