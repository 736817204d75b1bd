import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { fail } from '../core/errors.ts';
import { type AuthServices, registerAuth } from './auth.ts';
import { readErrorPages } from './pages/errors.ts';
import { homePage } from './pages/home.ts';
import { loadScalar, referencePage, referencePolicy } from './pages/reference.ts';
import { sendPage } from './send-page.ts';

/**
 * The pages people see, on the same server as the API: rendered here, one stylesheet, no framework, no build. They own
 * no data and reach it only through services.
 */
export interface PageServices extends AuthServices {
  readonly version: string;
}

export function registerPages(app: FastifyInstance, services: PageServices): void {
  const { version, publicUrl } = services;
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
  registerAuth(app, services);
  registerAssets(app);
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
