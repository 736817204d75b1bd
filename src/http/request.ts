import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { BlockList, isIP, SocketAddress } from 'node:net';
import { parse as parseQuery } from 'fast-querystring';
import { fail } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import type { Logger } from '../base/observability/log.ts';
import { networkOf } from '../base/requests/networks.ts';
import type { Site } from '../base/site.ts';

export interface RequestParts {
  readonly Params?: unknown;
  readonly Querystring?: unknown;
  readonly Body?: unknown;
}

/** One request, from its arrival until its log line is written. */
export class HttpRequest<Parts extends RequestParts = RequestParts> {
  readonly raw: IncomingMessage;
  /** Sent as `X-Request-ID`. */
  readonly id: string;
  /** When the request arrived, on the clock of `performance.now()`. */
  readonly startedAt = performance.now();
  /** The URL exactly as the client sent it. */
  readonly url: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The address of the client, as reported by a trusted proxy if there is one. Read at arrival: a closed connection has no address. */
  readonly address: string;
  readonly log: Logger;
  params: Parts['Params'] = undefined;
  /** The URL after the question mark. */
  search = '';
  /** The account of a verified session, for the log. */
  accountId: string | null = null;
  /** The signed-in user and account; null until they are looked up. */
  signedIn: object | null = null;
  /** A charged request. The executor sets the caller as soon as the API key is verified. */
  exchange: { readonly caller: { readonly accountId: string; readonly keyId: string } | null } | null = null;
  bodyError: unknown = undefined;
  readonly #clients: Clients;
  #body: Parts['Body'] = undefined;
  #query: Parts['Querystring'] = undefined;

  constructor(raw: IncomingMessage, clients: Clients, log: Logger) {
    this.raw = raw;
    this.id = takeRequestId(raw.headers['x-request-id']);
    this.url = raw.url ?? '';
    this.method = raw.method ?? '';
    this.headers = raw.headers;
    this.#clients = clients;
    this.log = log;
    this.address = clients.findAddress(raw);
  }

  /** The parameters of the query, as texts. */
  get query(): Parts['Querystring'] {
    this.#query ??= parseQuery(this.search);
    return this.#query;
  }

  /** The body. Throws if it could not be read: the handler decides what comes before that error. */
  get body(): Parts['Body'] {
    if (this.bodyError !== undefined) throw this.bodyError;
    return this.#body;
  }

  set body(body: Parts['Body']) {
    this.#body = body;
  }

  get sendsBody(): boolean {
    const { 'content-length': length = '0', 'transfer-encoding': coding } = this.headers;
    return coding !== undefined || length !== '0';
  }

  get hasBody(): boolean {
    if (this.method === 'GET' || this.method === 'HEAD') return false;
    return this.headers['content-type'] !== undefined || this.sendsBody;
  }

  /** The network of the client. Limits per address count this network, never `address`. */
  get network(): string {
    return networkOf(this.address);
  }

  /** `https` only if a trusted proxy reports it. */
  get protocol(): string {
    return this.#clients.findProtocol(this.raw);
  }
}

/** When the query is parsed, malformed escapes such as `%E0%A4` stay unchanged, so a schema cannot reject them. */
export function checkEncoding(search: string): void {
  if (!search.includes('%')) return;
  try {
    decodeURIComponent(search);
  } catch {
    throw fail('invalid_request', { message: 'The query string is not valid percent-encoded UTF-8.' });
  }
}

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

/** A request id sent by the client is used only if it is a UUID. Any other text could forge log lines or headers. */
export function takeRequestId(offered: string | string[] | undefined): string {
  return typeof offered === 'string' && isUuid(offered) ? offered.toLowerCase() : randomUUID();
}

/** A name or address with an optional port. The name may be empty (RFC 9112, 3.2). */
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[\w.~%!$&'()*+,;=-]*)(?::\d*)?$/;

/**
 * Requires exactly one valid Host header, as RFC 9112 demands. Several headers arrive joined: Node would use one of them, and a proxy in front of us
 * possibly another. Only HTTP/1.0 requests may omit the header.
 */
export function checkHost({ headers: { host }, httpVersion, url }: IncomingMessage): void {
  if (url?.startsWith('http')) checkTarget(url, host);
  if (host === undefined) {
    if (httpVersion === '1.0') return;
    throw fail('invalid_request', { message: 'The Host header is missing.' });
  }
  if (host.includes(', ')) throw fail('invalid_request', { message: 'There is more than one Host header.' });
  if (!HOST.test(host))
    throw fail('invalid_request', { message: 'The Host header is not a valid host name or address.' });
}

/** A request line with a complete URL, as for a proxy, must name the same host as the header (RFC 9112, 3.2). */
function checkTarget(target: string, host: string | undefined): void {
  const [named, header] = [URL.parse(target), URL.parse(`http://${host}`)];
  if (named !== null && named.hostname === header?.hostname && named.username === '' && named.password === '') return;
  throw fail('invalid_request', {
    message: 'The request line and the Host header name different hosts: send the same host in both.',
  });
}

/** Rejects requests for another host name. See `Site` for why. */
export function requireSite({ headers }: IncomingMessage, site: Site): void {
  if (!site.hasHost(headers.host)) throw fail('invalid_request', { message: OTHER_SITE });
}

const OTHER_SITE =
  'This server does not answer under the host name of this request: use its public address. If you run the server, set ' +
  'PUBLIC_URL or ALLOWED_HOSTS, and let your proxy pass the Host header on.';

/**
 * Rejects expectations other than `100-continue`, which Node handles. The connection is closed, because it is
 * unknown whether the client still sends its body: the next bytes could be that body or another request.
 */
export function checkExpectation({ headers: { expect } }: IncomingMessage): void {
  if (expect === undefined || /^100-continue$/i.test(expect.trim())) return;
  const message = 'This server supports only "100-continue" in the Expect header: remove the header.';
  throw fail('invalid_request', { message, headers: { Connection: 'close' } });
}
