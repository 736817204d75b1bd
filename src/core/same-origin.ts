/** The headers in which a browser reports the site that a request comes from. Scripts cannot set them. */
export interface OriginHeaders {
  readonly origin?: string | undefined;
  readonly 'sec-fetch-site'?: string | string[] | undefined;
  readonly host?: string | undefined;
}

/**
 * Whether a request comes from one of our pages, and not from another site that makes the browser send our cookie. `Origin`
 * decides; without it, `Sec-Fetch-Site` does. Every browser sends one of them with an unsafe method, so a request with neither is
 * rejected. Our origins are the public URL, and the requested host with the same scheme.
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
