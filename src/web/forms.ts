import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fail } from '../core/errors.ts';
import { decodeBody } from '../core/json/utf8.ts';
import { isCrossSite } from '../core/requests/same-origin.ts';
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
      { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES },
      async (_request: FastifyRequest, body: Buffer) => readFields(body),
    );
    scope.addHook('onRequest', async (request) => {
      if (request.method === 'POST' && isCrossSite(request, site)) throw fail('csrf_rejected');
    });
    register(scope);
  });
}

/** Rejects what `URLSearchParams` would replace by U+FFFD: bytes and escaped bytes that are not UTF-8. */
function readFields(body: Buffer): Fields {
  const bytes = body.toString('latin1').replace(ESCAPE, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  decodeBody(Buffer.from(bytes, 'latin1'));
  return Object.fromEntries(new URLSearchParams(body.toString('utf8')));
}

const ESCAPE = /%([0-9a-f]{2})/gi;
