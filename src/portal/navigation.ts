import { isOpenedByOtherSite } from '../base/requests/same-origin.ts';
import type { Site } from '../base/site.ts';
import type { HttpReply } from '../http/reply.ts';
import type { HttpRequest } from '../http/request.ts';
import { confirmPage } from './pages/messages.ts';
import type { Visitor } from './parts/layout.ts';
import { sendPage } from './visitor.ts';

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

/**
 * Sends a page that asks the user instead of the one that costs a request. Browsers discard what they loaded speculatively if
 * its status is an error, and load the page again when the user opens it.
 */
export function sendConfirmation(
  request: HttpRequest,
  reply: HttpReply,
  { visitor, navigation }: { readonly visitor: Visitor; readonly navigation: Exclude<Navigation, 'own'> },
): HttpReply {
  return sendPage(reply.code(navigation === 'speculative' ? 403 : 200), confirmPage(visitor, request.url));
}
