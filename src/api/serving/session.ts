import type { SignedIn } from '../../accounts/accounts.ts';
import { type ErrorCode, fail } from '../../base/errors.ts';
import { isSecure, parseCookie, SESSION_COOKIE } from '../../base/requests/cookies.ts';
import { isCrossSite } from '../../base/requests/same-origin.ts';
import type { HttpRequest } from '../../http/request.ts';
import type { AppServices } from '../app-services.ts';
import { readBearer } from './credentials.ts';

/** The first step of every account route. */
export type RequireSession = (request: HttpRequest) => Promise<void>;

/** Its error codes, for the contract. Routes that change something add `csrf_rejected`. */
export const sessionCodes = [
  'session_required',
  'invalid_session',
  'account_rate_limit_exceeded',
  'service_unavailable',
] as const satisfies ErrorCode[];

const SAFE_METHODS = ['GET', 'HEAD'];

/**
 * Authenticates a request by a session token of the identity provider or, without one, by our session cookie. API keys are
 * ignored. A browser adds the cookie to requests that other sites make, so those are rejected if they would change something.
 * Tokens are never added by a browser.
 */
export function requireSession({ sessions, site, countRequest }: AppServices): RequireSession {
  async function authenticate(request: HttpRequest): Promise<SignedIn> {
    const { headers, method } = request;
    const bearer = readBearer(headers.authorization);
    const isKey = bearer?.startsWith('frm_') === true;
    if (bearer !== undefined && !isKey) return sessions.authenticateToken(bearer);
    const cookie = parseCookie(headers.cookie, SESSION_COOKIE, isSecure(request, site.url()));
    if (cookie === undefined || cookie === '') {
      const hasKey = isKey || headers['x-api-key'] !== undefined;
      throw hasKey ? fail('invalid_session', { message: NOT_A_KEY }) : fail('session_required');
    }
    const signedIn = await sessions.authenticateCookie(cookie);
    if (!SAFE_METHODS.includes(method) && isCrossSite(request, site)) throw fail('csrf_rejected');
    return signedIn;
  }

  return async (request) => {
    const signedIn = await authenticate(request);
    request.signedIn = signedIn;
    request.accountId = signedIn.account.accountId;
    countRequest(request.accountId);
  };
}

/** The signed-in user, for the handler of a route with that step. */
export function signedInOf({ signedIn }: HttpRequest): SignedIn {
  if (signedIn === null) throw new Error('this route is registered without the step that requires a session');
  return signedIn as SignedIn;
}

const NOT_A_KEY = 'API keys are not accepted here: sign in or send a session token.';
