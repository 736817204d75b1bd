import { lookup as lookUp } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/**
 * Addresses that no publisher has: this machine, local networks, and the metadata services of clouds. A redirect or a
 * DNS record that leads there would make Firmament read something that its sender cannot.
 */
const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  PRIVATE.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::', 128],
  ['::1', 128],
  ['64:ff9b:1::', 48],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  PRIVATE.addSubnet(network, prefix, 'ipv6');
}

/** The code of the error for a name that resolves to a private address. */
export const PRIVATE_ADDRESS = 'EPRIVATE';

export function isPrivateAddress(address: string): boolean {
  const version = isIP(address);
  // BlockList compares an IPv4 address that is written as IPv6 (::ffff:10.0.0.1) with the IPv4 networks.
  return version !== 0 && PRIVATE.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/** Resolves host names like Node does, and fails for a name that leads to a private address. */
export function createGuardedLookup(trustedHosts: ReadonlySet<string>): LookupFunction {
  return (hostname, options, callback) => {
    lookUp(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      const isAllowed = trustedHosts.has(hostname) || !addresses.some(({ address }) => isPrivateAddress(address));
      if (!isAllowed) {
        const refusal = Object.assign(new Error(`${hostname} has a private address`), { code: PRIVATE_ADDRESS });
        return callback(refusal, []);
      }
      const [first] = addresses;
      if (options.all === true || first === undefined) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
}
