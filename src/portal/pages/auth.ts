import { SIGN_IN_SECONDS } from '../../accounts/issuer.ts';
import { Failure } from '../../base/errors.ts';
import { html } from '../../base/html.ts';
import { isSecure, parseCookie, SESSION_COOKIE, writeCookie } from '../../base/requests/cookies.ts';
import { findLastPage, validateReturnPath } from '../../base/requests/same-origin.ts';
import { parseHostName } from '../../base/site.ts';
import type { Routes } from '../../http/app.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import { messagePage } from '../parts/layout.ts';
import type { PageServices } from '../services.ts';
import { formRules, guessVisitor, sendPage } from '../visitor.ts';

/** Holds the state of a sign-in until the provider redirects back. */
const LOGIN_COOKIE = 'login';
const LOGIN_PATH = '/auth';

/** Browser sign-in and sign-out. If the provider's reply is not valid, a page reports this and no session starts. */
export function registerAuth(app: Routes, services: PageServices): void {
  const { publicUrl, site, signIn, sessions } = services;

  const readOwn = (request: HttpRequest, name: string) =>
    parseCookie(request.headers.cookie, name, isSecure(request, publicUrl()));

  function setCookie(reply: HttpReply, name: string, value: string, path: string, maxAgeSeconds: number) {
    const secure = isSecure(reply.request, publicUrl());
    return reply.header('Set-Cookie', writeCookie(name, value, { path, maxAgeSeconds, secure }));
  }

  app.get<{ Querystring: { returnTo?: string; redirected?: string } }>('/auth/login', async (request, reply) => {
    if (!signIn.isConfigured()) return sendRefusal(reply, 'notConfigured');
    if (!services.isPrepared()) return sendRefusal(reply, 'unavailable');
    const { returnTo, redirected } = request.query;
    // The page from which the user came, so that a search is not lost. The home page and pages about signing in do not count.
    const last = findLastPage(request, site);
    const origin = last === '/' || last?.startsWith('/auth/') ? undefined : last;
    const path = validateReturnPath(returnTo ?? origin, '/dashboard');
    // Each name of the site has its own cookies, and the provider always returns to the public address. A sign-in under another name, such as
    // `localhost` instead of `127.0.0.1`, is redirected first, and only once, because a proxy may replace the name of every request.
    if (redirected === undefined && parseHostName(request.headers.host ?? '') !== new URL(publicUrl()).hostname) {
      return reply.redirect(`${publicUrl()}/auth/login?redirected=1&returnTo=${encodeURIComponent(path)}`);
    }
    try {
      const { url, ticket } = await signIn.begin(callbackUrl(), path);
      return setCookie(reply, LOGIN_COOKIE, ticket, LOGIN_PATH, SIGN_IN_SECONDS).redirect(url);
    } catch (error) {
      return sendProblem(error, request, reply);
    }
  });

  app.get('/auth/callback', async (request, reply) => {
    const ticket = readOwn(request, LOGIN_COOKIE);
    setCookie(reply, LOGIN_COOKIE, '', LOGIN_PATH, 0);
    if (ticket === undefined) return sendRefusal(reply, 'expired');
    if (!services.isPrepared()) return sendRefusal(reply, 'unavailable');
    try {
      // Only the query: a request line may contain an absolute URL of another site, which must not get into a redirect.
      const query = request.url.replace(/^[^?]*/, '');
      const finished = await signIn.finish(new URL(callbackUrl() + query), ticket);
      if (finished === undefined) return sendRefusal(reply, 'expired');
      // Every sign-in starts a new session and ends the old one, which an attacker may have planted (session fixation).
      const { token, maxAgeSeconds } = await sessions.start(finished.identity, readOwn(request, SESSION_COOKIE));
      return setCookie(reply, SESSION_COOKIE, token, '/', maxAgeSeconds).redirect(
        validateReturnPath(finished.returnTo),
      );
    } catch (error) {
      return sendProblem(error, request, reply);
    }
  });

  // Signing out needs a form: a link or an image on another site could otherwise sign users out.
  app.get('/auth/logout', async ({ headers }, reply) => {
    const form = html`<form method="post" action="/auth/logout"><button>Sign out of this browser</button></form>`;
    const visitor = guessVisitor(headers.cookie);
    return sendPage(reply, messagePage('Sign out', 'You stay signed in on your other devices.', form, { visitor }));
  });

  app.scope(formRules(site)).post('/auth/logout', async (request, reply) => {
    const token = readOwn(request, SESSION_COOKIE);
    if (token !== undefined) await sessions.end(token);
    // Clears pages that Back could still show.
    reply.header('Clear-Site-Data', '"cache"');
    return setCookie(reply, SESSION_COOKIE, '', '/', 0).redirect('/', 303);
  });

  const callbackUrl = () => `${publicUrl()}/auth/callback`;
}

/** Sends a page for failures that the user can act on. Rethrows any other error. */
function sendProblem(error: unknown, request: HttpRequest, reply: HttpReply): HttpReply {
  if (!(error instanceof Failure)) throw error;
  const { code, cause, headers } = error;
  if (code !== 'invalid_session' && code !== 'service_unavailable') throw error;
  request.log.info({ requestId: request.id, code, reason: describeReason(cause) }, 'sign-in refused');
  if (code === 'invalid_session') return sendRefusal(reply, 'refused');
  return sendRefusal(reply.headers(headers), 'unavailable');
}

/**
 * Logs only short identifiers: messages, and error codes that are not plain words, may contain what the browser sent.
 */
function describeReason(cause: unknown): string {
  const { code, error, name } = Object(cause) as { code?: unknown; error?: unknown; name?: unknown };
  const kind = [error, code, name].find((text) => typeof text === 'string' && /^\w{1,60}$/.test(text));
  return String(kind ?? 'unknown');
}

const PROBLEMS = {
  notConfigured: ['Sign-in is not configured', 'Sign-in is not available: this server has no identity provider.'],
  expired: [
    'Sign-in expired',
    'The sign-in took longer than ten minutes, was already completed, or started in another browser. Please sign in again.',
  ],
  refused: ['Sign-in failed', 'The identity provider did not confirm this sign-in. Please try again.'],
  unavailable: [
    'Sign-in is temporarily unavailable',
    'The identity provider or our database cannot be reached. Try again in a moment.',
  ],
} as const;

function sendRefusal(reply: HttpReply, problem: keyof typeof PROBLEMS): HttpReply {
  const isOurs = problem === 'notConfigured' || problem === 'unavailable';
  const [title, explanation] = PROBLEMS[problem];
  const link = html`<p><a class="button" href="/auth/login">Sign in</a></p>`;
  return sendPage(reply.code(isOurs ? 503 : 400), messagePage(title, explanation, link));
}
