import { readdirSync, readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../../core/errors.ts';
import type { Html } from '../html.ts';
import { createKeptPages } from '../kept-pages.ts';
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
  const kept = createKeptPages();

  /** `section` is the address of the entry that the navigation highlights. */
  async function sendDocument(
    request: FastifyRequest,
    reply: FastifyReply,
    { title, section, article }: { readonly title: string; readonly section: string; readonly article: Html },
  ): Promise<FastifyReply> {
    const visitor = await findVisitor(request, services);
    const render = () => docsPage(title, section, article, visitor);
    return sendPage(reply, visitor === 'anonymous' ? kept.find(`${section} ${title}`, article, render) : render());
  }

  for (const { title, file } of [...DOCUMENTS, ...listRegisterPages()]) {
    if (file === ERRORS) continue;
    const section = addressOf(file);
    const source = readDocument(file);
    const render = (publicUrl: string) => renderMarkdown(source.replaceAll(EXAMPLE_URL, publicUrl), file);
    let rendered: { readonly publicUrl: string; readonly article: Html } | undefined;
    app.get(section, (request, reply) => {
      // The address is known only when the server listens.
      const publicUrl = services.publicUrl();
      if (rendered?.publicUrl !== publicUrl) rendered = { publicUrl, article: render(publicUrl) };
      return sendDocument(request, reply, { title, section, article: rendered.article });
    });
  }

  const errors = readErrorArticles(readDocument(ERRORS), ERRORS);
  const section = addressOf(ERRORS);
  app.get(section, (request, reply) =>
    sendDocument(request, reply, { title: 'Errors', section, article: errors.overview }),
  );
  app.get<{ Params: { code: string } }>(`${section}/:code`, (request, reply) => {
    const { code } = request.params;
    const article = errors.byCode.get(code);
    if (article === undefined) throw fail('not_found');
    return sendDocument(request, reply, { title: code, section, article });
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
