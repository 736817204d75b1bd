import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { parse as parseQuery } from 'fast-querystring';
import Type, { type TObject } from 'typebox';
import { fail } from '../base/errors.ts';
import type { Logger } from '../base/observability/log.ts';
import { networkOf } from '../base/requests/networks.ts';
import { compileReader } from '../base/validation.ts';
import type { Clients } from './client-address.ts';

/** The types of the path parameters, query and body of a handler. */
export interface RequestParts {
  readonly Params?: unknown;
  readonly Querystring?: unknown;
  readonly Body?: unknown;
}

/** How an operation validates its requests, by the schemas that it declares. Unknown query parameters are rejected. */
export interface Parameters {
  /**
   * Validates the parameters of path and query, and returns both together. Requests with one query text, which clients repeat, get one object. Throws
   * `invalid_request`.
   */
  read(request: HttpRequest): object;
  /** Validates the parameters and the body. */
  validate(request: HttpRequest): void;
}

/** The data of a request that are known before its route is found. */
interface Arrival {
  readonly id: string;
  readonly startedAt: number;
  readonly clients: Clients;
  readonly log: Logger;
}

/** One request, from its arrival until its log line is written. */
export class HttpRequest<Parts extends RequestParts = RequestParts> {
  readonly raw: IncomingMessage;
  /** Sent as `X-Request-ID`. */
  readonly id: string;
  /** When the request arrived, on the clock of `performance.now()`. */
  readonly startedAt: number;
  /** The URL exactly as the client sent it. */
  readonly url: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The address of the client, as reported by a trusted proxy if there is one. Read at arrival: a closed connection has no address. */
  readonly address: string;
  readonly log: Logger;
  /** Parameters of the path. */
  params: Parts['Params'] = undefined;
  /** The URL after the question mark. */
  search = '';
  body: Parts['Body'] = undefined;
  /** The account of a verified session, for the log. */
  accountId: string | null = null;
  /** The signed-in user and account; null until they are looked up. */
  signedIn: object | null = null;
  /** A charged request. The executor sets the caller as soon as the API key is verified. */
  exchange: { readonly caller: { readonly accountId: string; readonly keyId: string } | null } | null = null;
  /** Reads and validates the parameters as the route declares them. */
  parameters: Parameters | undefined = undefined;
  readonly #clients: Clients;
  #query: Parts['Querystring'] = undefined;

  constructor(raw: IncomingMessage, { id, startedAt, clients, log }: Arrival) {
    this.raw = raw;
    this.id = id;
    this.startedAt = startedAt;
    this.url = raw.url ?? '';
    this.method = raw.method ?? '';
    this.headers = raw.headers;
    this.#clients = clients;
    this.log = log;
    this.address = clients.findAddress(raw);
  }

  /** The parameters of the query. They are texts until they are validated. */
  get query(): Parts['Querystring'] {
    this.#query ??= parseQuery(this.search);
    return this.#query;
  }

  set query(query: Parts['Querystring']) {
    this.#query = query;
  }

  /** Whether bytes of a body follow the headers. */
  get sendsBody(): boolean {
    const { 'content-length': length = '0', 'transfer-encoding': coding } = this.headers;
    return coding !== undefined || length !== '0';
  }

  /** Whether the body has to be read before the handler. */
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

const NoParameters = Type.Object({}, { additionalProperties: false });

/** Both numbers bound the memory for known queries. */
const MAX_KNOWN_QUERIES = 1_000;
const MAX_KNOWN_LENGTH = 200;

type RequestSchemas = Partial<Record<'params' | 'querystring' | 'body', TObject | undefined>>;

export function createParameters({ params, body, querystring = NoParameters }: RequestSchemas): Parameters {
  const readPath = params && compileReader(params, 'path');
  const readQuery = compileReader(querystring, 'query');
  const readBody = body && compileReader(body, 'body');
  const known = new Map<string, object>();

  function findQuery({ search, query }: HttpRequest): object {
    const found = known.get(search);
    if (found !== undefined) return found;
    const given = Object.freeze(readQuery(query));
    if (known.size >= MAX_KNOWN_QUERIES) known.clear();
    if (search.length <= MAX_KNOWN_LENGTH) known.set(search, given);
    return given;
  }

  function read(request: HttpRequest): object {
    checkEncoding(request.search);
    const path = readPath?.(request.params);
    const query = findQuery(request);
    request.query = query;
    if (path === undefined) return query;
    request.params = path;
    return { ...path, ...query };
  }

  return {
    read,
    validate(request) {
      if (readBody !== undefined) {
        // The query's escapes and the path are reported before the body, and the body before the query.
        checkEncoding(request.search);
        readPath?.(request.params);
        request.body = readBody(request.body ?? null);
      }
      read(request);
    },
  };
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
