import { chooseCoding, compress, readAcceptEncoding } from '../../system/compression.ts';
import type { App } from '../app-type.ts';
import { codedTag } from '../charged/etag.ts';

/**
 * Compresses every text that is large enough with the coding that the client prefers: JSON, pages and assets. Replies say
 * `Vary: Accept-Encoding` whether they are compressed or not. See docs/decisions/0017-compression.md.
 */
export function compressReplies(app: App): void {
  app.addHook('onSend', (request, reply, body, done) => {
    const header = request.headers['accept-encoding'];
    if (header === undefined || !isBody(body)) return done(null, body);
    const coding = chooseCoding(readAcceptEncoding(String(header)), body);
    if (coding === undefined || !TEXT.test(String(reply.getHeader('content-type')))) return done(null, body);
    const finish = (compressed: Buffer) => {
      reply.header('Content-Encoding', coding);
      const tag = reply.getHeader('ETag');
      if (typeof tag === 'string') reply.header('ETag', codedTag(tag, coding));
      done(null, compressed);
    };
    const compressed = compress(body, coding);
    // The request is already charged, so a body that cannot be compressed is sent as it is.
    if (compressed instanceof Promise) compressed.then(finish, () => done(null, body));
    else finish(compressed);
  });
}

const TEXT = /^(?:text\/|application\/(?:json|x-ndjson)|image\/svg)/;

function isBody(body: unknown): body is string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body);
}
