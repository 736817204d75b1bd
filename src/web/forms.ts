import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fail } from '../core/errors.ts';
import { readFields } from '../core/requests/form-fields.ts';
import { isCrossSite } from '../core/requests/same-origin.ts';
import type { Site } from '../core/site.ts';

const MAX_BODY_BYTES = 4_096;

/**
 * Creates a scope for routes that receive forms. A browser attaches the session cookie to requests that any site
 * triggers, so forms of other sites are rejected.
 */
export function registerForms(
  app: FastifyInstance,
  site: Site,
  register: (scope: FastifyInstance) => void,
  bodyLimit = MAX_BODY_BYTES,
): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'buffer', bodyLimit },
      async (_request: FastifyRequest, body: Buffer) => readFields(body),
    );
    scope.addHook('onRequest', async (request) => {
      if (request.method === 'POST' && isCrossSite(request, site)) throw fail('csrf_rejected');
    });
    register(scope);
  });
}
