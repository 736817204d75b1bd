import { gzipSync } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import type { Html } from './html.ts';

/** Our own style and script, nothing inline, nobody's frame. */
export const POLICY = policyWith("form-action 'self'");

/** A form may also lead where `formAction` says, for a browser holds the redirect after it against the same list. */
export function policyWith(formAction: string): string {
  return (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    `base-uri 'none'; ${formAction}; frame-ancestors 'none'`
  );
}

export function sendPage(reply: FastifyReply, page: Html, policy = POLICY): FastifyReply {
  // With `no-referrer`, which everything else gets, a browser would hide the origin of our own forms too.
  reply.header('Content-Security-Policy', policy).header('Referrer-Policy', 'same-origin');
  return sendText(reply.type('text/html; charset=utf-8'), Buffer.from(page.text));
}

/** Below this it fits into one packet anyway. */
const WORTH_ZIPPING = 1_400;

/** Compressed for who takes that; a page of 60 KB costs about a millisecond. */
export function sendText(reply: FastifyReply, text: Buffer, zipped = () => gzipSync(text)): FastifyReply {
  reply.header('Vary', 'Accept-Encoding');
  const takesGzip = /\bgzip\b/.test(String(reply.request.headers['accept-encoding'] ?? ''));
  if (!takesGzip || text.length < WORTH_ZIPPING) return reply.send(text);
  return reply.header('Content-Encoding', 'gzip').send(zipped());
}
