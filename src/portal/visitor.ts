import type { SignedIn } from '../accounts/accounts.ts';
import { Failure, fail } from '../base/errors.ts';
import type { Html } from '../base/html.ts';
import { isSecure, parseCookie, SESSION_COOKIE } from '../base/requests/cookies.ts';
import { isCrossSite, isOpenedByOtherSite } from '../base/requests/same-origin.ts';
import type { Site } from '../base/site.ts';
import { type Deadline, startDeadline, within } from '../base/system/deadline.ts';
import type { AccountTerms } from '../base/usage.ts';
import { FORM_BODIES } from '../http/bodies.ts';
import type { HttpReply } from '../http/reply.ts';
import type { HttpRequest } from '../http/request.ts';
import type { Step } from '../http/route.ts';
import type { Visitor } from './parts/layout.ts';
import type { PageServices } from './services.ts';

/**
 * Returns undefined for visitors who are not signed in. Throws `service_unavailable` if the session cannot be checked, or not before
 * the deadline.
 */
export function findSignedIn(
  request: HttpRequest,
  services: PageServices,
  deadline?: Deadline,
): Promise<SignedIn | undefined> {
  const found = lookUpSession(request, services);
  return deadline === undefined ? found : within(deadline, found, 'the lookup of the session');
}

async function lookUpSession(request: HttpRequest, services: PageServices): Promise<SignedIn | undefined> {
  // A form looks it up before its body is read.
  if (request.signedIn !== null) return request.signedIn as SignedIn;
  const token = parseCookie(request.headers.cookie, SESSION_COOKIE, isSecure(request, services.publicUrl()));
  if (token === undefined || token === '') return undefined;
  if (!services.isPrepared()) throw fail('service_unavailable', { message: STARTING, retryAfter: 1 });
  try {
    const signedIn = await services.sessions.authenticateCookie(token);
    request.accountId = signedIn.account.accountId;
    request.signedIn = signedIn;
    return signedIn;
  } catch (error) {
    if (error instanceof Failure && error.code === 'invalid_session') return undefined;
    throw error;
  }
}

const STARTING = 'The service is starting: try again shortly.';

/** The request of a session as the executor takes it. */
export function startCharge<Input>(account: AccountTerms, input: Input, deadline: Deadline = startDeadline()) {
  return { input, credential: { kind: 'session', account } as const, deadline, caller: null };
}

/** What most operations of pages need. */
export const SESSION = { credential: 'session', plan: 'any' } as const;

/** For pages with the same content for everyone: they are shown even if the session cannot be checked. */
export async function findVisitor(request: HttpRequest, services: PageServices): Promise<Visitor> {
  return describeVisitor(await findSignedIn(request, services).catch(() => undefined));
}

/**
 * For error pages: a visitor with a session cookie is shown as signed in. Whether the session is valid is not checked, because
 * the database that knows may be the reason for the error.
 */
export function guessVisitor(cookies: string | undefined): Visitor {
  const isSignedIn = [true, false].some((secure) => Boolean(parseCookie(cookies, SESSION_COOKIE, secure)));
  return isSignedIn ? { name: 'Signed in' } : 'anonymous';
}

export function describeVisitor(signedIn: SignedIn | undefined): Visitor {
  if (signedIn === undefined) return 'anonymous';
  const { name, email } = signedIn.user;
  return { name: email ?? name ?? 'Signed in' };
}

export function sendToSignIn(reply: HttpReply, returnTo: string): HttpReply {
  return reply.redirect(signInAddress(returnTo), 303);
}

export function signInAddress(returnTo: string): string {
  return `/auth/login?returnTo=${encodeURIComponent(returnTo)}`;
}

/**
 * How a browser came to open a page that costs a request. Only the user's own navigation is charged: otherwise any site
 * that a signed-in user visits could use up the quota.
 *
 * - `own`: a link or form on our pages, or an address that the user typed.
 * - `foreign`: another site opened it. `same-site` counts as foreign, because another host of our domain may belong to
 *   someone else, and the return from the identity provider too, because any site can start a sign-in.
 * - `speculative`: the browser loads the page in case the user opens it.
 */
export type Navigation = 'own' | 'foreign' | 'speculative';

export function classifyNavigation(request: HttpRequest, site: Site): Navigation {
  if (SPECULATIVE.some((name) => /prefetch|prerender|preview/i.test(String(request.headers[name] ?? '')))) {
    return 'speculative';
  }
  return isOpenedByOtherSite(request, site) ? 'foreign' : 'own';
}

/** `Sec-Purpose` in current browsers; the others in older versions of Chrome, Firefox and Safari. */
const SPECULATIVE = ['sec-purpose', 'purpose', 'x-moz', 'x-purpose'];

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

/** What routes that receive forms have in common. A browser attaches the session cookie to requests that any site triggers, so forms of other sites are rejected. */
export function formRules(site: Site) {
  const rejectOtherSites: Step = (request) => {
    if (request.method === 'POST' && isCrossSite(request, site)) throw fail('csrf_rejected');
  };
  return { bodies: FORM_BODIES, bodyLimit: 4_096, before: [rejectOtherSites] };
}
