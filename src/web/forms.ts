import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fail } from '../core/errors.ts';
import { readFields } from '../core/requests/form-fields.ts';
import { isCrossSite } from '../core/requests/same-origin.ts';
import type { Site } from '../core/site.ts';
import { startDeadline } from '../system/deadline.ts';
import type { PageServices } from './services.ts';
import { findSignedIn, sendToSignIn } from './visitor.ts';

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

/** The same for forms of signed-in users. Visitors are sent to the sign-in before the body is read, and return to `returnTo`. */
export function registerAccountForms(
  app: FastifyInstance,
  services: PageServices,
  register: (scope: FastifyInstance) => void,
  returnTo: (request: FastifyRequest) => string = () => '/dashboard',
  bodyLimit?: number,
): void {
  const registerAll = (scope: FastifyInstance) => {
    scope.addHook('onRequest', async (request, reply) => {
      const signedIn = await findSignedIn(request, services, startDeadline());
      return signedIn === undefined ? sendToSignIn(reply, returnTo(request)) : undefined;
    });
    register(scope);
  };
  registerForms(app, services.site, registerAll, bodyLimit);
}
