import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { normalizeAddress } from '../base/requests/networks.ts';

/** Proxies whose `X-Forwarded-For` header is trusted: their addresses and networks, or the number of proxies in a row. */
export type TrustedProxies = readonly string[] | number;

export type Clients = ReturnType<typeof createClients>;

/** Finds the client's address and protocol, which trusted proxies report in headers. */
export function createClients(proxies: TrustedProxies) {
  const isTrusted = trustProxies(proxies);
  return {
    /**
     * Returns the address of the client that sent a request, in the form of `normalizeAddress`. Each proxy appends the address of its peer, so the
     * header is read from the end, as long as the previous address belongs to a trusted proxy. An operator who sets a number of proxies declares that
     * every client comes through all of them.
     */
    findAddress(request: IncomingMessage): string {
      const peer = readPeer(request);
      const header = request.headers['x-forwarded-for'];
      if (isTrusted === undefined || header === undefined) return peer;
      const forwarded = String(header)
        .split(',')
        .flatMap((part) => part.trim() || []);
      let address = peer;
      for (let hop = 0; hop < forwarded.length && isTrusted(address, hop); hop++)
        address = forwarded.at(-1 - hop) ?? '';
      const found = isIP(address) === 0 ? removePort(address) : address;
      return found === undefined ? peer : normalizeAddress(found);
    },
    /** Returns the protocol that the client has used, as reported by the proxy nearest to us. */
    findProtocol(request: IncomingMessage): string {
      const forwarded = request.headers['x-forwarded-proto'];
      if (forwarded === undefined || isTrusted?.(readPeer(request), 0) !== true) return 'http';
      return String(forwarded).split(',').at(-1)?.trim() ?? '';
    },
  };
}

function readPeer({ socket }: IncomingMessage): string {
  return normalizeAddress(socket.remoteAddress ?? '');
}

/** Some proxies append the port. With the port, a client would have a new address with every connection. */
function removePort(text: string): string | undefined {
  const [, v6, v4] = /^(?:\[([0-9a-f:.]+(?:%[\w.-]+)?)\](?::\d+)?|([\d.]+):\d+)$/i.exec(text) ?? [];
  const address = v6 ?? v4 ?? '';
  return isIP(address) === 0 ? undefined : address;
}

/** Whether a trusted proxy has this address. `hop` is 0 for the nearest proxy. */
type Trust = (address: string, hop: number) => boolean;

/** Undefined if no proxy is trusted. */
function trustProxies(proxies: TrustedProxies): Trust | undefined {
  if (typeof proxies === 'number') return proxies === 0 ? undefined : (_address, hop) => hop < proxies;
  if (proxies.length === 0) return undefined;
  const trusted = new BlockList();
  for (const proxy of proxies) {
    const [address = '', prefix] = proxy.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(prefix), family);
  }
  /** The last trusted address, kept because nearly all requests come from one proxy, and a check takes a microsecond. */
  let latest: string | undefined;
  return (address) => {
    if (address === latest) return true;
    const version = isIP(address);
    if (version === 0 || !trusted.check(address, version === 6 ? 'ipv6' : 'ipv4')) return false;
    latest = address;
    return true;
  };
}
