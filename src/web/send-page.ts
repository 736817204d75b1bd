import type { FastifyReply } from 'fastify';
import type { Html } from './html.ts';

/** Our own style and script, nothing inline, nobody's frame. */
export const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

export function sendPage(reply: FastifyReply, page: Html, policy = POLICY): FastifyReply {
  return reply.header('Content-Security-Policy', policy).type('text/html; charset=utf-8').send(page.text);
}
