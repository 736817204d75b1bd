import { isIP } from 'node:net';

/** Whether a text is an IP address or a network. A prefix length of 0 would trust every client, so that anyone could forge an address. */
export function isNetwork(text: string): boolean {
  const [, address = '', prefix] = /^([0-9a-f:.]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const bits = isIP(address) === 6 ? 128 : 32;
  const length = Number(prefix ?? bits);
  return isIP(address) !== 0 && length >= 1 && length <= bits;
}

/** The network that limits per address count: an IPv4 address, or the whole /64 network of one customer. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const groups = [...head, ...Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0'), ...tail];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
