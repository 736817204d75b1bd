/**
 * Reading and writing our cookies. Their values need no encoding, and scripts cannot read them. On https their names start with
 * `__Host-`: browsers then accept them only from this host, so another host of the domain cannot set them.
 */

/** The value of one of our cookies. If a cookie occurs twice, the first value counts: browsers send the more specific path first. */
export function parseCookie(header: string | undefined, name: string, secure: boolean): string | undefined {
  const wanted = nameCookie(name, secure);
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at !== -1 && pair.slice(0, at).trim() === wanted) return pair.slice(at + 1).trim();
  }
  return undefined;
}

interface CookieOptions {
  /** Lifetime in seconds; 0 deletes the cookie. */
  readonly maxAgeSeconds: number;
  /** The path on http. On https it is always `/`, which the prefix requires. */
  readonly path: string;
  readonly secure: boolean;
}

/** A `Set-Cookie` header. `SameSite=Lax`: the cookie is sent when a user follows a link to us, but not with requests that another
 *  site makes. */
export function writeCookie(name: string, value: string, { maxAgeSeconds, path, secure }: CookieOptions): string {
  const attributes = [`Path=${secure ? '/' : path}`, `Max-Age=${maxAgeSeconds}`, 'HttpOnly', 'SameSite=Lax'];
  if (secure) attributes.push('Secure');
  return [`${nameCookie(name, secure)}=${value}`, ...attributes].join('; ');
}

/** The full name of a cookie, with its prefix on https. There, a cookie without the prefix is ignored: another host may have set it. */
export function nameCookie(name: string, secure: boolean): string {
  return secure ? `__Host-${name}` : name;
}

/** Whether the browser uses https: our public address is https, or a trusted proxy reports https. */
export function isSecure({ protocol }: { readonly protocol: string }, publicUrl: string): boolean {
  return protocol === 'https' || publicUrl.startsWith('https:');
}

export const SESSION_COOKIE = 'session';
