import { fail } from '../../base/errors.ts';
import { isLoopbackName } from '../../base/site.ts';
import { isPrivateAddress } from '../../base/system/addresses.ts';

export interface TargetRules {
  readonly ports: readonly number[];
  /** Whether http to this machine is allowed, on any port, as in the demo. */
  readonly allowsLoopback: boolean;
}

const MAX_LENGTH = 2_000;

/**
 * Reads the address of an endpoint. Throws `invalid_request` with what to change. Names are checked when they are resolved for a connection
 * (`delivery/sender.ts`); here, only the address itself can be checked.
 */
export function validateTarget(text: string, { ports, allowsLoopback }: TargetRules): URL {
  const url = text.length > MAX_LENGTH || /[\s\\\p{Cc}]|^$/u.test(text) ? null : URL.parse(text);
  if (url === null) throw reject('is not a valid address: write it in full, such as https://example.com/hooks.');
  if (url.username !== '' || url.password !== '') {
    throw reject('has a user name or password: remove it, and check the signature instead.');
  }
  if (url.hash !== '') throw reject('has a fragment, which is never sent: remove it.');
  if (allowsLoopback && isLoopbackName(url.hostname) && /^https?:$/.test(url.protocol)) return url;
  if (url.protocol !== 'https:') throw reject('must start with https://.');
  const port = Number(url.port || 443);
  if (!ports.includes(port)) throw reject(`has port ${port}: use ${ports.join(' or ')}.`);
  if (isLocal(url.hostname))
    throw reject('leads to a private or reserved address: use one that the internet can reach.');
  return url;
}

/** The parser has already converted every form of an IP address to the usual form. */
function isLocal(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  return isLoopbackName(name) || isPrivateAddress(name.replace(/^\[|\]$/g, '')) || !/[.:]/.test(name);
}

function reject(problem: string) {
  return fail('invalid_request', { message: `The url ${problem}`, field: 'url' });
}
