import { type LookupAddress, type LookupAllOptions, lookup as lookUp } from 'node:dns';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';

/**
 * Addresses that no publisher and no receiver of webhooks has: this machine, local networks, the metadata services of clouds, and reserved addresses.
 * A redirect or DNS record that leads to such an address would make Firmament connect to a machine that its sender cannot reach.
 */
type Ranges = readonly (readonly [network: string, prefix: number, what: string])[];

/** The IANA IPv4 special-purpose address registry, and addresses that clouds use for their machines. */
const IPV4: Ranges = [
  ['0.0.0.0', 8, 'this network'],
  ['10.0.0.0', 8, 'private use'],
  ['100.64.0.0', 10, 'shared by the customers of a provider; the metadata service of Alibaba'],
  ['127.0.0.0', 8, 'this machine'],
  ['168.63.129.16', 32, 'the platform of Azure'],
  ['169.254.0.0', 16, 'link-local; the metadata services of most clouds'],
  ['172.16.0.0', 12, 'private use'],
  ['192.0.0.0', 24, 'protocol assignments; the metadata service of Oracle'],
  ['192.0.2.0', 24, 'documentation'],
  ['192.31.196.0', 24, 'AS112'],
  ['192.52.193.0', 24, 'multicast tunnels'],
  ['192.88.99.0', 24, '6to4 relays'],
  ['192.168.0.0', 16, 'private use'],
  ['192.175.48.0', 24, 'AS112'],
  ['198.18.0.0', 15, 'benchmarks'],
  ['198.51.100.0', 24, 'documentation'],
  ['203.0.113.0', 24, 'documentation'],
  ['224.0.0.0', 4, 'multicast'],
  ['240.0.0.0', 4, 'reserved; broadcast'],
];

/**
 * Networks get their addresses from 2000::/3 only. So the list is everything outside that range, which includes all addresses that contain an IPv4
 * address (::/96, ::ffff:0:0/96, 64:ff9b::/96), and the special-purpose ranges inside it.
 */
const IPV6: Ranges = [
  ['::', 3, 'this machine, IPv4 in IPv6, NAT64, discard'],
  ['4000::', 2, 'SRv6 (5f00::/16), not allocated'],
  ['8000::', 1, 'unique local, link-local, site-local, multicast, not allocated'],
  ['2001::', 23, 'protocol assignments, Teredo, ORCHID, benchmarks'],
  ['2001:db8::', 32, 'documentation'],
  ['2002::', 16, '6to4, which contains an IPv4 address'],
  ['2620:4f:8000::', 48, 'AS112'],
  ['3fff::', 20, 'documentation'],
];

// Each family has its own list: in a list of both, ::/3 would match every IPv4 address.
const [privateIpv4, privateIpv6] = [new BlockList(), new BlockList()];
for (const [network, prefix] of IPV4) privateIpv4.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of IPV6) privateIpv6.addSubnet(network, prefix, 'ipv6');

/** The code of the error for a name that resolves to a private address. */
export const PRIVATE_ADDRESS = 'EPRIVATE';

/** Whether the text is a private address. False for a name. */
export function isPrivateAddress(address: string): boolean {
  if (isIPv6(address)) return privateIpv6.check(address, 'ipv6');
  return isIP(address) !== 0 && privateIpv4.check(address, 'ipv4');
}

export type ResolveName = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Resolves host names like Node, and fails for a name that leads to a private address. Connections use the addresses that were checked. */
export function guardLookup(resolve: ResolveName = lookUp): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      if (addresses.some(({ address }) => isPrivateAddress(parseNat64(address) ?? address))) {
        return callback(refuseAddress(hostname), []);
      }
      const [first] = addresses;
      if (options.all === true || first === undefined) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
}

export function refuseAddress(hostname: string): Error {
  return Object.assign(new Error(`${hostname} has a private address`), { code: PRIVATE_ADDRESS });
}

/**
 * The IPv4 address at the end of an address in 64:ff9b::/96. In a network that has only IPv6, the resolver (DNS64) gives such addresses to names of
 * IPv4 hosts. In a URL, such addresses are refused: a publisher has no reason to write one.
 */
export function parseNat64(address: string): string | undefined {
  const [, groups] = /^\[64:ff9b::([0-9a-f:]*)\]$/.exec(URL.parse(`http://[${address}]`)?.hostname ?? '') ?? [];
  const numbers = groups?.split(':').map((group) => Number.parseInt(group || '0', 16)) ?? [];
  if (groups === undefined || numbers.length > 2) return undefined;
  const [high, low] = numbers.length === 2 ? numbers : [0, ...numbers];
  return [(high ?? 0) >> 8, (high ?? 0) & 255, (low ?? 0) >> 8, (low ?? 0) & 255].join('.');
}
