import type { IncomingMessage } from 'node:http';
import { fail } from '../base/errors.ts';
import type { Site } from '../base/site.ts';

/** A name or address with an optional port. The name may be empty (RFC 9112, 3.2). */
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[\w.~%!$&'()*+,;=-]*)(?::\d*)?$/;

/**
 * Requires exactly one valid Host header, as RFC 9112 demands. Several headers arrive joined: Node would use one of them, and a proxy in front of us
 * possibly another. Only HTTP/1.0 requests may omit the header.
 */
export function checkHost({ headers: { host }, httpVersion, url }: IncomingMessage): void {
  if (url?.startsWith('http')) checkTarget(url, host);
  if (host === undefined) {
    if (httpVersion === '1.0') return;
    throw fail('invalid_request', { message: 'The Host header is missing.' });
  }
  if (host.includes(', ')) throw fail('invalid_request', { message: 'There is more than one Host header.' });
  if (!HOST.test(host))
    throw fail('invalid_request', { message: 'The Host header is not a valid host name or address.' });
}

/** A request line with a complete URL, as for a proxy, must name the same host as the header (RFC 9112, 3.2). */
function checkTarget(target: string, host: string | undefined): void {
  const [named, header] = [URL.parse(target), URL.parse(`http://${host}`)];
  if (named !== null && named.hostname === header?.hostname && named.username === '' && named.password === '') return;
  throw fail('invalid_request', {
    message: 'The request line and the Host header name different hosts: send the same host in both.',
  });
}

/** Rejects requests for another host name. See `Site` for why. */
export function requireSite({ headers }: IncomingMessage, site: Site): void {
  if (!site.hasHost(headers.host)) throw fail('invalid_request', { message: OTHER_SITE });
}

const OTHER_SITE =
  'This server does not answer under the host name of this request: use its public address. If you run the server, set ' +
  'PUBLIC_URL or ALLOWED_HOSTS, and let your proxy pass the Host header on.';

/**
 * Rejects expectations other than `100-continue`, which Node handles. The connection is closed, because it is
 * unknown whether the client still sends its body: the next bytes could be that body or another request.
 */
export function checkExpectation({ headers: { expect } }: IncomingMessage): void {
  if (expect === undefined || /^100-continue$/i.test(expect.trim())) return;
  const message = 'This server supports only "100-continue" in the Expect header: remove the header.';
  throw fail('invalid_request', { message, headers: { Connection: 'close' } });
}
