import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Sessions } from '../../accounts/sessions.ts';
import type { SignIn } from '../../accounts/sign-in.ts';
import { isSecure, readCookie, SESSION_COOKIE, writeCookie } from '../../core/cookies.ts';
import { Failure } from '../../core/errors.ts';
import { readReturnPath } from '../../core/same-origin.ts';
import { registerForms } from '../forms.ts';
import { problemPage, signOutPage } from '../pages/auth.ts';
import { sendPage } from '../send-page.ts';

/** Browser sign-in and sign-out. If the provider's reply is not valid, a page says so and no session starts. */
export interface AuthServices {
  readonly publicUrl: () => string;
  readonly signIn: SignIn;
  readonly sessions: Pick<Sessions, 'start' | 'end'>;
}

/** Holds the state of a sign-in until the provider redirects back. */
const LOGIN_COOKIE = 'login';
const LOGIN_SECONDS = 600;
const LOGIN_PATH = '/auth';

export function registerAuth(app: FastifyInstance, services: AuthServices): void {
  const { publicUrl, signIn, sessions } = services;

  function setCookie(reply: FastifyReply, name: string, value: string, path: string, maxAgeSeconds: number) {
    const secure = isSecure(reply.request, publicUrl());
    return reply.header('Set-Cookie', writeCookie(name, value, { path, maxAgeSeconds, secure }));
  }

  app.get<{ Querystring: { returnTo?: string } }>('/auth/login', async (request, reply) => {
    if (!signIn.isConfigured()) return sendPage(reply.code(503), notConfigured);
    const origin = findOtherOrigin(request, publicUrl());
    if (origin !== undefined) return reply.redirect(`${origin}/auth/login${queryOf(request)}`);
    const started = await signIn.begin(callbackUrl()).catch((error: unknown) => sendProblem(error, request, reply));
    if ('sent' in started) return started;
    const { url, secret } = started;
    const returnTo = readReturnPath(request.query.returnTo);
    const value = `${secret}.${Buffer.from(returnTo).toString('base64url')}`;
    return setCookie(reply, LOGIN_COOKIE, value, LOGIN_PATH, LOGIN_SECONDS).redirect(url);
  });

  app.get('/auth/callback', async (request, reply) => {
    const { cookie } = request.headers;
    const [secret, target = ''] = readCookie(cookie, LOGIN_COOKIE)?.split('.') ?? [];
    setCookie(reply, LOGIN_COOKIE, '', LOGIN_PATH, 0);
    if (secret === undefined) return sendPage(reply.code(400), expired);
    try {
      const identity = await signIn.finish(new URL(callbackUrl() + queryOf(request)), secret);
      // Every sign-in starts a new session and ends the old one, which an attacker may have planted (session fixation).
      const { token, maxAgeSeconds } = await sessions.start(identity, readCookie(cookie, SESSION_COOKIE));
      const returnTo = readReturnPath(Buffer.from(target, 'base64url').toString());
      return setCookie(reply, SESSION_COOKIE, token, '/', maxAgeSeconds).redirect(returnTo);
    } catch (error) {
      return sendProblem(error, request, reply);
    }
  });

  app.get('/auth/logout', async (_request, reply) => sendPage(reply, signOutPage));

  registerForms(app, publicUrl, (scope) => {
    scope.post('/auth/logout', async (request, reply) => {
      const token = readCookie(request.headers.cookie, SESSION_COOKIE);
      if (token !== undefined) await sessions.end(token);
      return setCookie(reply, SESSION_COOKIE, '', '/', 0).redirect('/', 303);
    });
  });

  function callbackUrl(): string {
    return `${publicUrl()}/auth/callback`;
  }
}

/** Only the query: a request line may hold an absolute URL of another site, which must not end up in a redirect. */
function queryOf({ url }: FastifyRequest): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start);
}

/**
 * `localhost` and `127.0.0.1` are the same machine but have separate cookies, and the provider always returns to the
 * public address. A sign-in that starts under the other name is redirected first, so that its cookie is found later.
 */
function findOtherOrigin({ headers }: FastifyRequest, publicUrl: string): string | undefined {
  const requested = URL.parse(`http://${headers.host}`)?.hostname ?? '';
  const own = new URL(publicUrl).hostname;
  return LOOPBACK.includes(requested) && LOOPBACK.includes(own) && requested !== own ? publicUrl : undefined;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Sends a page for failures that the user can act on. Rethrows any other error. */
function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!(error instanceof Failure)) throw error;
  const { code, cause, headers } = error;
  if (code !== 'invalid_session' && code !== 'service_unavailable') throw error;
  request.log.info({ requestId: request.id, code, reason: describeReason(cause) }, 'sign-in refused');
  return code === 'invalid_session'
    ? sendPage(reply.code(400), refused)
    : sendPage(reply.code(503).headers(headers), unavailable);
}

/**
 * Logs only short identifiers: messages, and error codes that are not plain words, may contain what the browser sent.
 */
function describeReason(cause: unknown): string {
  const { code, error, name } = Object(cause) as { code?: unknown; error?: unknown; name?: unknown };
  const kind = [error, code, name].find((text) => typeof text === 'string' && /^\w{1,60}$/.test(text));
  return String(kind ?? 'unknown');
}

const notConfigured = problemPage(
  'Sign-in is not configured',
  'This server has no identity provider. If you run it, set OIDC_ISSUER and OIDC_CLIENT_ID.',
);
const expired = problemPage(
  'Sign-in expired',
  'The sign-in took longer than ten minutes, was already completed, or started in another browser. Please sign in again.',
);
const refused = problemPage('Sign-in failed', 'The identity provider did not confirm this sign-in. Please try again.');
const unavailable = problemPage(
  'Sign-in is temporarily unavailable',
  'The identity provider or our database cannot be reached. Try again in a moment.',
);
