/** Cookies as we use them: few, short, of our own characters, never readable by script. */

/** The value of a cookie in a `Cookie` header; of two with one name the first, which is the more specific one. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at !== -1 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

export interface CookieOptions {
  /** 0 removes it. */
  readonly maxAgeSeconds: number;
  readonly path: string;
  /** Sent over https only. */
  readonly secure: boolean;
}

/** A `Set-Cookie` header. Lax: it comes along when a link of another site leads here, never with another site's request. */
export function writeCookie(name: string, value: string, { maxAgeSeconds, path, secure }: CookieOptions): string {
  const attributes = [`Path=${path}`, `Max-Age=${maxAgeSeconds}`, 'HttpOnly', 'SameSite=Lax'];
  if (secure) attributes.push('Secure');
  return [`${name}=${value}`, ...attributes].join('; ');
}

/** The session after sign-in; the contract names it. */
export const SESSION_COOKIE = 'session';
