import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { fail } from '../core/errors.ts';
import type { Html } from './html.ts';
import { readErrorPages } from './pages/errors.ts';
import { homePage } from './pages/home.ts';
import { loadScalar, referencePage, referencePolicy } from './pages/reference.ts';

/**
 * The pages people see, on the same server as the API: rendered here, one stylesheet, no framework, no build. They own
 * no data and reach it only through services.
 */
export interface PageServices {
  readonly version: string;
  readonly publicUrl: () => string;
}

const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

export function registerPages(app: FastifyInstance, { version, publicUrl }: PageServices): void {
  const errors = readErrorPages();

  app.get('/', (_request, reply) => sendPage(reply, homePage(publicUrl(), version)));
  app.get('/docs', (_request, reply) => sendPage(reply, referencePage, referencePolicy));
  app.get('/docs/scalar.js', async (_request, reply) => {
    const script = await loadScalar();
    reply.header('Content-Encoding', 'gzip').header('Cache-Control', 'public, max-age=3600');
    return reply.type('text/javascript; charset=utf-8').send(script);
  });
  app.get('/docs/errors', (_request, reply) => sendPage(reply, errors.overview));
  app.get<{ Params: { code: string } }>('/docs/errors/:code', (request, reply) => {
    const page = errors.byCode.get(request.params.code);
    if (page === undefined) throw fail('not_found');
    sendPage(reply, page);
  });
  registerAssets(app);
}

function sendPage(reply: FastifyReply, page: Html, policy = POLICY): void {
  reply.header('Content-Security-Policy', policy).type('text/html; charset=utf-8').send(page.text);
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The few files of `public/`, read once: a path that is not one of them does not exist. */
function registerAssets(app: FastifyInstance): void {
  const folder = new URL('../../public/', import.meta.url);
  for (const file of readdirSync(folder)) {
    const type = TYPES[extname(file)];
    if (type === undefined) continue;
    const content = readFileSync(new URL(file, folder));
    app.get(`/assets/${file}`, (_request, reply) => {
      reply.header('Cache-Control', 'public, max-age=300').type(type).send(content);
    });
  }
}
