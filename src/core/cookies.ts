/** Reading and writing cookies. Our values need no encoding, and scripts cannot read them. */

/** The value of a cookie. If the name occurs twice, the first one counts: browsers send the more specific path first. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at !== -1 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

export interface CookieOptions {
  /** 0 deletes the cookie. */
  readonly maxAgeSeconds: number;
  readonly path: string;
  /** Whether the browser sends it only over HTTPS. */
  readonly secure: boolean;
}

/** A `Set-Cookie` header. `SameSite=Lax`: the cookie is sent when a user follows a link to us, but not with requests that another
 *  site makes. */
export function writeCookie(name: string, value: string, { maxAgeSeconds, path, secure }: CookieOptions): string {
  const attributes = [`Path=${path}`, `Max-Age=${maxAgeSeconds}`, 'HttpOnly', 'SameSite=Lax'];
  if (secure) attributes.push('Secure');
  return [`${name}=${value}`, ...attributes].join('; ');
}

/** Whether the browser uses https: because our public address does, or because a trusted proxy says so. */
export function isSecure({ protocol }: { readonly protocol: string }, publicUrl: string): boolean {
  return protocol === 'https' || publicUrl.startsWith('https:');
}

/** The session cookie. Its name is part of the contract. */
export const SESSION_COOKIE = 'session';
