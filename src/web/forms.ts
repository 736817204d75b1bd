import type { FastifyInstance } from 'fastify';
import { fail } from '../core/errors.ts';
import { isCrossSite } from '../core/same-origin.ts';
import type { Site } from '../core/site.ts';

/** The submitted fields. If a field was sent twice, the last value wins. */
export type Fields = Readonly<Record<string, string | undefined>>;

const MAX_BODY_BYTES = 4_096;

/**
 * Creates a scope for routes that receive forms. A browser attaches the session cookie to requests that any site
 * triggers, so forms of other sites are rejected.
 */
export function registerForms(app: FastifyInstance, site: Site, register: (scope: FastifyInstance) => void): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: MAX_BODY_BYTES },
      (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    );
    scope.addHook('onRequest', async (request) => {
      if (request.method === 'POST' && isCrossSite(request, site)) throw fail('csrf_rejected');
    });
    register(scope);
  });
}
