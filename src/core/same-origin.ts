/** The headers by which a browser tells which site a request comes from; a page cannot forge any of them. */
export interface OriginHeaders {
  readonly origin?: string | undefined;
  readonly 'sec-fetch-site'?: string | string[] | undefined;
  readonly host?: string | undefined;
}

/**
 * Whether a request comes from a page of ours, and not from another site that makes a visitor's browser send its
 * cookie. `Origin` decides, else `Sec-Fetch-Site`; every browser sends one of them with an unsafe method, so who sends neither is
 * refused. Our origins are the public address, and the host that was asked under the same scheme.
 */
export function isSameOrigin(headers: OriginHeaders, publicUrl: string): boolean {
  const { origin, host } = headers;
  if (origin !== undefined) {
    const ours = new URL(publicUrl);
    return origin === ours.origin || (host !== undefined && origin === URL.parse(`${ours.protocol}//${host}`)?.origin);
  }
  return headers['sec-fetch-site'] === 'same-origin';
}

/**
 * A path of this site to go to after sign-in, or the fallback: never another site, whatever a browser makes of slashes,
 * backslashes, blanks and control characters. It is returned as given: made tidy, `/.//host` would become another site's.
 */
export function readReturnPath(given: unknown, fallback = '/'): string {
  if (typeof given !== 'string' || !RETURN_PATH.test(given)) return fallback;
  return URL.parse(given, BASE)?.origin === BASE ? given : fallback;
}

/** One slash, then printable ASCII without blank or backslash. */
const RETURN_PATH = /^\/(?!\/)[\x21-\x5b\x5d-\x7e]{0,1000}$/;
const BASE = 'http://site.invalid';
