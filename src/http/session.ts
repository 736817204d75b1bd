import type { FastifyRequest } from 'fastify';
import type { SignedIn } from '../accounts/accounts.ts';
import type { Sessions } from '../accounts/sessions.ts';
import { readCookie, SESSION_COOKIE } from '../core/cookies.ts';
import { type ErrorCode, Failure, fail } from '../core/errors.ts';
import { isSameOrigin } from '../core/same-origin.ts';
import { readBearer } from './credentials.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is signed in; null on endpoints that need nobody to be. */
    signedIn: SignedIn | null;
  }
}

/** An `onRequest` hook: the first check of every account endpoint. */
export type RequireSession = (request: FastifyRequest) => Promise<void>;

/** What it throws, for the contract; `csrf_rejected` only where something changes. */
export const sessionCodes = [
  'session_required',
  'invalid_session',
  'service_unavailable',
] as const satisfies ErrorCode[];

const SAFE_METHODS = ['GET', 'HEAD'];

/**
 * Who is signed in, by a session token of the identity provider or by our session cookie. A browser adds the cookie to what
 * any site makes it send, so with a cookie a change must come from a page of ours; a token is never added by itself.
 */
export function requireSession(sessions: Sessions, publicUrl: () => string): RequireSession {
  async function authenticate(request: FastifyRequest): Promise<SignedIn> {
    const { headers, method } = request;
    if (headers['x-api-key'] !== undefined) throw refusal('invalid_session', NOT_A_KEY);
    if (headers.authorization !== undefined) {
      const token = readBearer(headers.authorization);
      if (token === undefined) throw refusal('invalid_session');
      if (token.startsWith('frm_')) throw refusal('invalid_session', NOT_A_KEY);
      return sessions.authenticateToken(token);
    }
    const cookie = readCookie(headers.cookie, SESSION_COOKIE);
    if (cookie === undefined || cookie === '') throw refusal('session_required');
    if (!SAFE_METHODS.includes(method) && !isSameOrigin(headers, publicUrl())) throw fail('csrf_rejected');
    return sessions.authenticateCookie(cookie);
  }

  return async (request) => {
    request.signedIn = await authenticate(request).catch((error: unknown) => {
      const isRefusal = error instanceof Failure && error.code === 'invalid_session';
      throw isRefusal ? refusal('invalid_session', error.message) : error;
    });
    request.accountId = request.signedIn.account.accountId;
  };
}

/** Who is signed in, in the handler of a route that has the hook. */
export function signedInOf({ signedIn }: FastifyRequest): SignedIn {
  if (signedIn === null) throw new Error('this route was registered without its session hook');
  return signedIn;
}

const NOT_A_KEY = 'An API key does not open account endpoints: sign in or send a session token.';

function refusal(code: 'session_required' | 'invalid_session', message?: string): Failure {
  return fail(code, { ...(message && { message }), headers: { 'WWW-Authenticate': 'Bearer realm="session"' } });
}
