import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { parse as parseQuery } from 'fast-querystring';
import { fail } from '../base/errors.ts';
import { takeRequestId } from '../base/ids.ts';
import type { Logger } from '../base/observability/log.ts';
import { networkOf } from '../base/requests/networks.ts';
import type { Clients } from './client-address.ts';

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
