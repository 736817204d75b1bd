import { isIP, SocketAddress } from 'node:net';

/** Whether a text is an IP address or a network. A prefix length of 0 would trust every client, so that anyone could forge an address. */
export function isNetwork(text: string): boolean {
  const [, address = '', prefix] = /^([0-9a-f:.]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const bits = isIP(address) === 6 ? 128 : 32;
  const length = Number(prefix ?? bits);
  return isIP(address) !== 0 && length >= 1 && length <= bits;
}

/**
 * Writes a valid IP address in one form, so that equal addresses are equal texts: IPv6 in lower case with the longest run of zeros
 * shortened and without a zone, and an IPv4 address that is embedded in IPv6 (`::ffff:203.0.113.7`) as IPv4.
 */
export function normalizeAddress(address: string): string {
  if (!address.includes(':')) return address;
  // Such an address is the peer of every IPv4 request to a server that listens on `::`. `SocketAddress` would take 3 µs.
  const [, v4] = EMBEDDED.exec(address) ?? [];
  if (v4 !== undefined) return v4;
  const [withoutZone = ''] = address.split('%', 1);
  const text = new SocketAddress({ address: withoutZone, family: 'ipv6' }).address;
  return EMBEDDED.exec(text)?.[1] ?? text;
}

const EMBEDDED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** The network that limits per address count: an IPv4 address, or the whole /64 network of one customer. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const groups = [...head, ...Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0'), ...tail];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
