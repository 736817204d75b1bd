import type { SignedIn } from '../accounts/accounts.ts';
import type { Executor } from '../accounts/charging/execute.ts';
import type { Exchange, PricedOperation } from '../accounts/charging/operation.ts';
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
 * Returns undefined for visitors who are not signed in. Throws `service_unavailable` if the session cannot be checked before the
 * deadline.
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
  // The route of a form has already looked up the session, before reading the body.
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

/** Starts a request that the executor charges to the account of a session. */
export function startCharge<Input>(account: AccountTerms, input: Input, deadline: Deadline = startDeadline()) {
  return { input, credential: { kind: 'session', account } as const, deadline, caller: null };
}

/** Performs an operation whose answer or denial a page shows. An error is thrown. */
export async function charge<Input, Given, Answer>(
  executor: Executor,
  operation: PricedOperation<Input, Given, Answer>,
  exchange: Exchange<Input>,
) {
  const reply = await executor.perform(operation, exchange);
  if (reply.outcome === 'failed') throw reply.error;
  return reply;
}

/** Finds the visitor for pages with equal content for everyone, which are shown even if the session cannot be checked. */
export async function findVisitor(request: HttpRequest, services: PageServices): Promise<Visitor> {
  return describeVisitor(await findSignedIn(request, services).catch(() => undefined));
}

/**
 * Guesses the visitor for error pages: a visitor with a session cookie is shown as signed in. The session is not checked, because
 * the database with the sessions may be the reason for the error.
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
 * Why a browser opens a page that costs a request. Only the user's own navigation is charged: otherwise any site that a
 * signed-in user visits could use up the quota.
 *
 * - `own`: a link or form on our pages, or an address that the user typed.
 * - `foreign`: another site opened the page. `same-site` counts as foreign, because another host of our domain may belong to
 *   someone else; so does the return from the identity provider, because any site can start a sign-in.
 * - `speculative`: the browser loads the page in case the user opens it.
 */
export type Navigation = 'own' | 'foreign' | 'speculative';

export function classifyNavigation(request: HttpRequest, site: Site): Navigation {
  if (SPECULATIVE.some((name) => /prefetch|prerender|preview/i.test(String(request.headers[name] ?? '')))) {
    return 'speculative';
  }
  return isOpenedByOtherSite(request, site) ? 'foreign' : 'own';
}

/** Current browsers send `Sec-Purpose`; older versions of Chrome, Firefox and Safari send the other headers. */
const SPECULATIVE = ['sec-purpose', 'purpose', 'x-moz', 'x-purpose'];

/** Content security policy: our own styles and scripts only, nothing inline, no framing. */
export const POLICY = policyWith("form-action 'self'");

/**
 * Browsers also apply `form-action` to the redirect that follows a form, so a form that redirects to another site needs a
 * wider `form-action`.
 */
export function policyWith(formAction: string): string {
  return (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    `base-uri 'none'; ${formAction}; frame-ancestors 'none'`
  );
}

/**
 * Lets the browser keep a page that cost a request, so that Back shows the page again without a charge. A reload and a link still ask
 * the server. Signing out clears kept pages.
 */
export function keepForBack(reply: HttpReply): HttpReply {
  return reply.header('Cache-Control', 'private, no-cache');
}

export function sendPage(reply: HttpReply, page: Html | Buffer, policy = POLICY): HttpReply {
  // Replies default to `no-referrer`, which would make browsers send our own forms with `Origin: null`.
  reply.header('Content-Security-Policy', policy).header('Referrer-Policy', 'same-origin');
  return reply.type('text/html; charset=utf-8').send(Buffer.isBuffer(page) ? page : page.text);
}

/** The rules of all routes for forms. A browser sends the session cookie with forms of any site, so forms of other sites are rejected. */
export function formRules(site: Site) {
  const rejectOtherSites: Step = (request) => {
    if (request.method === 'POST' && isCrossSite(request, site)) throw fail('csrf_rejected');
  };
  return { bodies: FORM_BODIES, bodyLimit: 4_096, before: [rejectOtherSites] };
}
