import type { Site } from '../site.ts';

/** The headers in which a browser reports the site that a request comes from. Scripts cannot set them. */
interface OriginHeaders {
  readonly origin?: string | undefined;
  readonly referer?: string | undefined;
  readonly 'sec-fetch-site'?: string | string[] | undefined;
}

interface OriginRequest {
  readonly headers: OriginHeaders;
}

/**
 * Whether another site made the browser send a request, possibly with our cookie. Either header is enough to reject the request: an `Origin` other
 * than ours (`null` is a sandboxed page, or a redirect between sites), or a `Sec-Fetch-Site` other than `same-origin` and `none`, the user's action.
 * `same-site` is another host of our domain, which the cookie's `SameSite` attribute does not stop. Every current browser sends `Origin` with an
 * unsafe method, so no other site can have caused a request with neither header.
 */
export function isCrossSite({ headers }: OriginRequest, { hasOrigin }: Pick<Site, 'hasOrigin'>): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  return origin !== undefined && !hasOrigin(origin);
}

/**
 * Whether another site made the browser open one of our pages. `SameSite=Lax` lets the cookie through when another site opens a page by a link, a
 * form, a redirect or a script. `Sec-Fetch-Site: none` means that the user typed the address or used a bookmark.
 *
 * Browsers omit `Sec-Fetch-Site` on plain http, except on loopback, and old browsers always omit it. Then `Referer` names the site of the link. A
 * request with neither header counts as typed: rejecting it would lock out users whose browser never sends a `Referer`.
 */
export function isOpenedByOtherSite({ headers }: OriginRequest, site: Pick<Site, 'hasOrigin'>): boolean {
  if (headers['sec-fetch-site'] !== undefined || headers.origin !== undefined) return isCrossSite({ headers }, site);
  if (headers.referer === undefined) return false;
  return !site.hasOrigin(URL.parse(headers.referer)?.origin ?? 'null');
}

/** The path of our page on which the user followed a link. Undefined if the page is not known or belongs to another site. */
export function findLastPage({ headers }: OriginRequest, site: Pick<Site, 'hasOrigin'>): string | undefined {
  const last = URL.parse(headers.referer ?? '');
  return last !== null && site.hasOrigin(last.origin) ? last.pathname + last.search : undefined;
}

/**
 * A path of this site to return to after sign-in, or the fallback. The result never leads to another site, however a browser interprets slashes,
 * backslashes, spaces and control characters. The path is returned unchanged: normalized, `/.//host` would become `//host`, which is another site.
 */
export function validateReturnPath(given: unknown, fallback = '/'): string {
  if (typeof given !== 'string' || !RETURN_PATH.test(given)) return fallback;
  return URL.parse(given, BASE)?.origin === BASE ? given : fallback;
}

/** Matches one slash, then printable ASCII without spaces and backslashes. */
const RETURN_PATH = /^\/(?!\/)[\x21-\x5b\x5d-\x7e]{0,1000}$/;
const BASE = 'http://site.invalid';
