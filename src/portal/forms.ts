import { fail } from '../base/errors.ts';
import { isCrossSite } from '../base/requests/same-origin.ts';
import type { Site } from '../base/site.ts';
import { startDeadline } from '../base/system/deadline.ts';
import type { Routes } from '../http/app.ts';
import { FORM_BODIES } from '../http/bodies.ts';
import type { HttpRequest } from '../http/request.ts';
import type { Step } from '../http/route.ts';
import type { PageServices } from './services.ts';
import { findSignedIn, sendToSignIn } from './visitor.ts';

const MAX_BODY_BYTES = 4_096;

/**
 * Registers routes that receive forms. A browser attaches the session cookie to requests that any site triggers, so forms of other sites
 * are rejected.
 */
export function registerForms(app: Routes, site: Site, register: (scope: Routes) => void): void {
  register(app.scope({ bodies: FORM_BODIES, bodyLimit: MAX_BODY_BYTES, before: [rejectOtherSites(site)] }));
}

function rejectOtherSites(site: Site): Step {
  return (request) => {
    if (request.method === 'POST' && isCrossSite(request, site)) throw fail('csrf_rejected');
  };
}

/** The same for forms of signed-in users. Visitors are sent to the sign-in before the body is read, and return to `returnTo`. */
export function registerAccountForms(
  app: Routes,
  services: PageServices,
  register: (scope: Routes) => void,
  returnTo: (request: HttpRequest) => string = () => '/dashboard',
  bodyLimit = MAX_BODY_BYTES,
): void {
  const signIn: Step = async (request, reply) => {
    const signedIn = await findSignedIn(request, services, startDeadline());
    return signedIn === undefined ? sendToSignIn(reply, returnTo(request)) : undefined;
  };
  register(app.scope({ bodies: FORM_BODIES, bodyLimit, before: [rejectOtherSites(services.site), signIn] }));
}
