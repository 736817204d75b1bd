import { FirmamentError } from './errors.ts';

/** One HTTP request, with everything but time limits. */
export interface Exchange {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

const REDIRECTS = [301, 302, 303, 307, 308];
const MAX_REDIRECTS = 5;

/**
 * Sends a request and follows redirects. `fetch` would carry headers to wherever a reply redirects to; here the credential stays
 * with the origin that it is for.
 */
export async function exchange(send: typeof fetch, request: Exchange, signal: AbortSignal): Promise<Response> {
  const { method, body } = request;
  let { url, headers } = request;
  for (let redirects = 0; ; redirects++) {
    const response = await send(url.href, { method, headers, body: body ?? null, signal, redirect: 'manual' });
    const location = response.headers.get('Location');
    if (response.type === 'opaqueredirect') {
      throw new FirmamentError('The reply is a redirect, and browsers do not show where to.');
    }
    const mayFollow = REDIRECTS.includes(response.status) && method === 'GET' && redirects < MAX_REDIRECTS;
    if (location === null || !mayFollow) return response;
    await response.body?.cancel();
    const target = new URL(location, url);
    if (target.origin !== url.origin) headers = withoutCredential(headers);
    url = target;
  }
}

function withoutCredential(headers: Readonly<Record<string, string>>): Record<string, string> {
  const harmless = ['accept', 'range', 'if-range', 'if-none-match'];
  return Object.fromEntries(Object.entries(headers).filter(([name]) => harmless.includes(name.toLowerCase())));
}
