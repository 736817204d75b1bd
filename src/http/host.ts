import type { IncomingMessage } from 'node:http';
import { fail } from '../core/errors.ts';

/** A name or address with an optional port. It may be empty (RFC 9112, 3.2). */
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[\w.~%!$&'()*+,;=-]*)(?::\d*)?$/;

/**
 * Requires exactly one valid Host header, as RFC 9112 demands. With two of them, Node would use the first and a proxy in front of us
 * possibly the second. Only HTTP/1.0 requests may omit it.
 */
export function checkHost({ headers: { host }, rawHeaders, httpVersion }: IncomingMessage): void {
  if (host === undefined) {
    if (httpVersion === '1.0') return;
    throw fail('invalid_request', { message: 'The Host header is missing.' });
  }
  if (countHosts(rawHeaders) > 1) throw fail('invalid_request', { message: 'There is more than one Host header.' });
  if (!HOST.test(host))
    throw fail('invalid_request', { message: 'The Host header is not a valid host name or address.' });
}

/**
 * Rejects expectations other than `100-continue`, which Node handles. The connection is closed, because it is
 * unknown whether the client still sends its body: the next bytes could be that body or another request.
 */
export function checkExpectation({ headers: { expect } }: IncomingMessage): void {
  if (expect === undefined || /^100-continue$/i.test(expect.trim())) return;
  const message = 'This server supports only "100-continue" in the Expect header: remove the header.';
  throw fail('invalid_request', { message, headers: { Connection: 'close' } });
}

/** In `rawHeaders`, names and values alternate. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count;
}
