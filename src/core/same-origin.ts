/** The headers in which a browser reports the site that a request comes from. Scripts cannot set them. */
interface OriginHeaders {
  readonly origin?: string | undefined;
  readonly referer?: string | undefined;
  readonly 'sec-fetch-site'?: string | string[] | undefined;
  readonly host?: string | undefined;
}

export interface OriginRequest {
  readonly headers: OriginHeaders;
  /** `https` or `http`, as the client used it. */
  readonly protocol: string;
}

/**
 * Whether another site made the browser send a request, possibly with our cookie. Either header is enough to reject it:
 * an `Origin` other than ours, which includes `null` (a sandboxed page, or a redirect between sites), or a
 * `Sec-Fetch-Site` other than `same-origin` and `none` (the user's own action, such as a reload). `same-site` is another
 * host of our domain, which the cookie's `SameSite` attribute does not stop. Every current browser sends `Origin` with an
 * unsafe method, so a request with neither header was not sent by a browser, and no other site can have caused it.
 */
export function isCrossSite({ headers, protocol }: OriginRequest, publicUrl: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  return origin !== undefined && !isOurs(origin, headers.host, publicUrl, protocol);
}

/**
 * Whether another site made the browser open one of our pages. `SameSite=Lax` lets the cookie through when another site
 * opens a page by a link, a form, a redirect or a script; image, frame and fetch requests of other sites have no cookie.
 * `Sec-Fetch-Site: none` means that the user typed the address or used a bookmark.
 *
 * Browsers omit `Sec-Fetch-Site` on plain http, except on loopback, and old ones always do. There, `Referer` names the
 * site of the link. A link can suppress it, so a request with neither header counts as typed: rejecting it would lock
 * out users whose browser never sends a `Referer`.
 */
export function isOpenedByOtherSite({ headers, protocol }: OriginRequest, publicUrl: string): boolean {
  if (headers['sec-fetch-site'] !== undefined || headers.origin !== undefined) {
    return isCrossSite({ headers, protocol }, publicUrl);
  }
  if (headers.referer === undefined) return false;
  const origin = URL.parse(headers.referer)?.origin ?? 'null';
  return !isOurs(origin, headers.host, publicUrl, protocol);
}

/**
 * Our origins are the public URL, and the requested host with the scheme of the public URL, or with https if the client
 * used it. If the public URL is https, no http origin is ours.
 */
function isOurs(origin: string, host: string | undefined, publicUrl: string, protocol: string): boolean {
  const ours = new URL(publicUrl);
  const scheme = protocol === 'https' ? 'https:' : ours.protocol;
  return origin === ours.origin || (host !== undefined && origin === URL.parse(`${scheme}//${host}`)?.origin);
}

/**
 * A path of this site to return to after sign-in, or the fallback. It never leads to another site, however a browser interprets
 * slashes, backslashes, spaces and control characters. The path is returned unchanged: normalized, `/.//host` would become
 * `//host`, which is another site.
 */
export function readReturnPath(given: unknown, fallback = '/'): string {
  if (typeof given !== 'string' || !RETURN_PATH.test(given)) return fallback;
  return URL.parse(given, BASE)?.origin === BASE ? given : fallback;
}

/** One slash, then printable ASCII without spaces and backslashes. */
const RETURN_PATH = /^\/(?!\/)[\x21-\x5b\x5d-\x7e]{0,1000}$/;
const BASE = 'http://site.invalid';
