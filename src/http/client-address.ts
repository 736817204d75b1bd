import { isIP } from 'node:net';
import type { FastifyRequest, FastifyServerOptions } from 'fastify';

/** Proxies whose `X-Forwarded-*` headers are trusted: their addresses and networks, or how many there are in a row. */
export type TrustedProxies = readonly string[] | number;

/**
 * Fastify ignores a number of hops, because a client that connects directly could forge the header. An operator who sets a number
 * says that every client comes through the proxies, so the hops are counted here.
 */
export function trustProxies(proxies: TrustedProxies): NonNullable<FastifyServerOptions['trustProxy']> {
  if (typeof proxies === 'number') return proxies === 0 ? false : (_address, hop) => hop < proxies;
  return proxies.length === 0 ? false : [...proxies];
}

/**
 * The address of the client. Some proxies add the port, which is removed: otherwise a client would have a new address with every
 * connection. If the header contains anything but an address, the address of the proxy is used.
 */
export function clientAddress(request: FastifyRequest): string {
  const given = request.ip ?? '';
  if (isIP(given) !== 0) return given;
  const [, v6, v4] = /^(?:\[([0-9a-f:.]+)\](?::\d+)?|([\d.]+):\d+)$/i.exec(given) ?? [];
  const address = v6 ?? v4 ?? '';
  return isIP(address) === 0 ? (request.socket.remoteAddress ?? '') : address;
}
