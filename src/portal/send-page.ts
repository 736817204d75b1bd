import type { HttpReply } from '../http/reply.ts';
import type { Html } from './html.ts';

/** Content security policy: our own styles and scripts only, nothing inline, no framing. */
export const POLICY = policyWith("form-action 'self'");

/**
 * Browsers also apply `form-action` to the redirect that follows a form, so a form that redirects elsewhere needs a
 * wider one.
 */
export function policyWith(formAction: string): string {
  return (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    `base-uri 'none'; ${formAction}; frame-ancestors 'none'`
  );
}

/**
 * Lets the browser keep a page that cost a request, so that Back shows it again and costs nothing. A reload and a link still ask the
 * server. Signing out clears what is kept.
 */
export function keepForBack(reply: HttpReply): HttpReply {
  return reply.header('Cache-Control', 'private, no-cache');
}

export function sendPage(reply: HttpReply, page: Html | Buffer, policy = POLICY): HttpReply {
  // Replies default to `no-referrer`, which would make browsers send our own forms with `Origin: null`.
  reply.header('Content-Security-Policy', policy).header('Referrer-Policy', 'same-origin');
  return reply.type('text/html; charset=utf-8').send(Buffer.isBuffer(page) ? page : page.text);
}
