import type { FastifyInstance } from 'fastify';
import { fail } from '../core/errors.ts';
import { isSameOrigin } from '../core/same-origin.ts';

/** What a form sent; of a field that came twice, the last. */
export type Fields = Readonly<Record<string, string | undefined>>;

/**
 * A scope for routes that forms are sent to. A browser adds the session cookie to what any site makes it send, so a form must
 * come from a page of ours.
 */
export function registerForms(
  app: FastifyInstance,
  publicUrl: () => string,
  register: (scope: FastifyInstance) => void,
): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: MOST_BYTES },
      (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    );
    scope.addHook('onRequest', async (request) => {
      if (request.method === 'POST' && !isSameOrigin(request.headers, publicUrl())) throw fail('csrf_rejected');
    });
    register(scope);
  });
}

const MOST_BYTES = 4_096;
