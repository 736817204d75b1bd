import { showName } from '../base/display-text.ts';
import { type Html, html } from '../base/html.ts';
import { isSecure, parseCookie, writeCookie } from '../base/requests/cookies.ts';
import type { HttpReply } from '../http/reply.ts';
import { notice } from './parts/blocks.ts';

/**
 * Confirms an action on the page that the browser is redirected to after it. A cookie carries the confirmation, so that it works
 * without JavaScript, appears once, and is not part of an address that others could link to.
 */
const COOKIE = 'flash';
const PATH = '/dashboard';
const SECONDS = 60;

const CONFIRMATIONS = {
  'key-revoked': (name: string) => revoked('Key', name, 'invalid_api_key'),
  'link-revoked': (name: string) => revoked('Link', name, 'invalid_reconcile_link'),
  'monitor-changed': (what: string) => notice('good', 'Saved', what),
  'webhook-sent': (url: string) =>
    notice('good', 'Events are sent again', html`To <bdi>${url}</bdi>, listed below as they are sent.`),
  'webhook-changed': (url: string) => notice('good', 'Endpoint changed', html`<bdi>${url}</bdi>`),
  'webhook-deleted': (url: string) => notice('good', 'Endpoint deleted', html`<bdi>${url}</bdi>`),
} as const satisfies Record<string, (subject: string) => Html>;

function revoked(noun: string, name: string, code: string): Html {
  return notice(
    'good',
    html`${noun} “${showName(name)}” revoked`,
    html`Requests with it fail with <a href="/docs/errors/${code}"><code>${code}</code></a>.`,
  );
}

/** Confirms `kind` on the next page. `subject` is what the action was about, such as the name of a key. */
export function setFlash(reply: HttpReply, publicUrl: string, kind: keyof typeof CONFIRMATIONS, subject: string) {
  const value = `${kind}.${Buffer.from(subject).toString('base64url')}`;
  const secure = isSecure(reply.request, publicUrl);
  return reply.header('Set-Cookie', writeCookie(COOKIE, value, { path: PATH, maxAgeSeconds: SECONDS, secure }));
}

/** Returns the confirmation of the last action, if there is one, and deletes its cookie. */
export function takeFlash(reply: HttpReply, publicUrl: string): Html | undefined {
  const { request } = reply;
  const secure = isSecure(request, publicUrl);
  const [kind = '', subject = ''] = parseCookie(request.headers.cookie, COOKIE, secure)?.split('.') ?? [];
  if (!Object.hasOwn(CONFIRMATIONS, kind)) return undefined;
  reply.header('Set-Cookie', writeCookie(COOKIE, '', { path: PATH, maxAgeSeconds: 0, secure }));
  return CONFIRMATIONS[kind as keyof typeof CONFIRMATIONS](Buffer.from(subject, 'base64url').toString());
}
