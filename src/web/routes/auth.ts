import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Sessions } from '../../accounts/sessions.ts';
import type { SignIn } from '../../accounts/sign-in.ts';
import { readCookie, SESSION_COOKIE, writeCookie } from '../../core/cookies.ts';
import { Failure } from '../../core/errors.ts';
import { readReturnPath } from '../../core/same-origin.ts';
import { registerForms } from '../forms.ts';
import { problemPage, signOutPage } from '../pages/auth.ts';
import { sendPage } from '../send-page.ts';

/** Sign-in and sign-out of a browser. Where the provider's answer does not fit, nobody is signed in and a page says so. */
export interface AuthServices {
  readonly publicUrl: () => string;
  readonly signIn: SignIn;
  readonly sessions: Pick<Sessions, 'start' | 'end'>;
}

/** From leaving for the provider to coming back. */
const LOGIN_COOKIE = 'login';
const LOGIN_SECONDS = 600;
const LOGIN_PATH = '/auth';

export function registerAuth(app: FastifyInstance, services: AuthServices): void {
  const { publicUrl, signIn, sessions } = services;
  const isSecure = () => publicUrl().startsWith('https:');

  const setCookie = (reply: FastifyReply, name: string, value: string, path: string, maxAgeSeconds: number) =>
    reply.header('Set-Cookie', writeCookie(name, value, { path, maxAgeSeconds, secure: isSecure() }));

  app.get<{ Querystring: { returnTo?: string } }>('/auth/login', async (request, reply) => {
    if (!signIn.isConfigured()) return sendPage(reply.code(503), notConfigured);
    const elsewhere = findOwnAddress(request, publicUrl());
    if (elsewhere !== undefined) return reply.redirect(`${elsewhere}/auth/login${queryOf(request)}`);
    const begun = await signIn.begin(callbackUrl()).catch((error: unknown) => explain(error, request, reply));
    if ('sent' in begun) return begun;
    const { url, secret } = begun;
    const returnTo = readReturnPath(request.query.returnTo);
    const value = `${secret}.${Buffer.from(returnTo).toString('base64url')}`;
    return setCookie(reply, LOGIN_COOKIE, value, LOGIN_PATH, LOGIN_SECONDS).redirect(url);
  });

  app.get('/auth/callback', async (request, reply) => {
    const { cookie } = request.headers;
    const [secret, target = ''] = readCookie(cookie, LOGIN_COOKIE)?.split('.') ?? [];
    setCookie(reply, LOGIN_COOKIE, '', LOGIN_PATH, 0);
    if (secret === undefined) return sendPage(reply.code(400), notBegun);
    try {
      const identity = await signIn.finish(new URL(callbackUrl() + queryOf(request)), secret);
      // A new session at every sign-in: one that somebody else put into this browser ends here.
      const { token, maxAgeSeconds } = await sessions.start(identity, readCookie(cookie, SESSION_COOKIE));
      const returnTo = readReturnPath(Buffer.from(target, 'base64url').toString());
      return setCookie(reply, SESSION_COOKIE, token, '/', maxAgeSeconds).redirect(returnTo);
    } catch (error) {
      return explain(error, request, reply);
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

/** The path of a route is known; the request line may hold another site in front of it, and that must lead nowhere. */
function queryOf({ url }: FastifyRequest): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start);
}

/**
 * `localhost` and `127.0.0.1` are one machine but two places for cookies, and the provider sends everybody back to the public
 * address: whoever begins at the other name goes there first.
 */
function findOwnAddress({ headers }: FastifyRequest, publicUrl: string): string | undefined {
  const asked = URL.parse(`http://${headers.host}`)?.hostname ?? '';
  const own = new URL(publicUrl).hostname;
  return LOOPBACK.includes(asked) && LOOPBACK.includes(own) && asked !== own ? publicUrl : undefined;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** A page for what a person can do something about; anything else is an error like any other. */
function explain(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!(error instanceof Failure)) throw error;
  const { code, cause, headers } = error;
  if (code !== 'invalid_session' && code !== 'service_unavailable') throw error;
  request.log.info({ requestId: request.id, code, reason: describeReason(cause) }, 'sign-in refused');
  return code === 'invalid_session'
    ? sendPage(reply.code(400), refused)
    : sendPage(reply.code(503).headers(headers), unavailable);
}

/** The kind of mistake, never its text: that may hold what the browser brought, and so may what calls itself an error code. */
function describeReason(cause: unknown): string {
  const { code, error, name } = Object(cause) as { code?: unknown; error?: unknown; name?: unknown };
  const kind = [error, code, name].find((text) => typeof text === 'string' && /^\w{1,60}$/.test(text));
  return String(kind ?? 'unknown');
}

const notConfigured = problemPage(
  'Sign-in is not configured',
  'This server has no identity provider. Whoever runs it sets OIDC_ISSUER and OIDC_CLIENT_ID.',
);
const notBegun = problemPage(
  'This sign-in was not begun here',
  'It took longer than ten minutes, was finished already, or began in another browser.',
);
const refused = problemPage(
  'You are not signed in',
  'The identity provider did not confirm the sign-in, or its answer was not for this browser.',
);
const unavailable = problemPage(
  'Sign-in is not available at the moment',
  'The identity provider or our database cannot be reached. Try again in a moment.',
);
