import { isIP } from 'node:net';

/** An IP address, or a network. A prefix length of 0 would trust every client, so that anyone could forge an address. */
export function isNetwork(text: string): boolean {
  const [, address = '', prefix] = /^([0-9a-f:.]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const bits = isIP(address) === 6 ? 128 : 32;
  const length = Number(prefix ?? bits);
  return isIP(address) !== 0 && length >= 1 && length <= bits;
}
