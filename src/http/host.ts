import type { IncomingMessage } from 'node:http';
import { fail } from '../core/errors.ts';

/** A name or address, and a port; empty where a client has no name for us (RFC 9112, 3.2). */
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[\w.~%!$&'()*+,;=-]*)(?::\d*)?$/;

/**
 * Exactly one Host header that is one, as RFC 9112 demands: node takes the first of two, a proxy in front may have taken
 * the second. Only HTTP/1.0 may go without.
 */
export function checkHost({ headers: { host }, rawHeaders, httpVersion }: IncomingMessage): void {
  if (host === undefined) {
    if (httpVersion === '1.0') return;
    throw fail('invalid_request', { message: 'The Host header is missing.' });
  }
  if (countHosts(rawHeaders) > 1) throw fail('invalid_request', { message: 'There is more than one Host header.' });
  if (!HOST.test(host)) throw fail('invalid_request', { message: 'The Host header is not a host.' });
}

/** Names and values alternate. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count;
}
