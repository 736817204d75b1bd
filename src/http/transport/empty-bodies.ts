import { Readable } from 'node:stream';
import type { App } from '../app-type.ts';

/**
 * With `optimizeEmptyRequests`, a request without a body is a stream that has ended and emits nothing. A parser that Fastify starts
 * because of a content type would wait for its end forever, so it gets an empty stream.
 */
export function endEmptyBodies(app: App): void {
  app.addHook('preParsing', ({ headers }, _reply, payload, done) => {
    const hasBody = 'content-length' in headers || 'transfer-encoding' in headers;
    done(null, hasBody || headers['content-type'] === undefined ? payload : Readable.from([]));
  });
}
