import type { FastifyReply } from 'fastify';
import type { Html } from './html.ts';

/** Our own style and script, nothing inline, nobody's frame. */
export const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

export function sendPage(reply: FastifyReply, page: Html, policy = POLICY): FastifyReply {
  // With `no-referrer`, which everything else gets, a browser would hide the origin of our own forms too.
  reply.header('Content-Security-Policy', policy).header('Referrer-Policy', 'same-origin');
  return reply.type('text/html; charset=utf-8').send(page.text);
}
