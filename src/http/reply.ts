import { type ServerResponse, STATUS_CODES } from 'node:http';
import { Readable } from 'node:stream';
import { systemClock } from '../base/clock.ts';
import { asText, type Coding, chooseCoding, compress, parseAcceptEncoding } from '../base/system/compression.ts';
import type { HttpRequest } from './request.ts';

/**
 * Sent with every response. JSON is not a document, so nothing may load or frame it; pages set their own policy. HSTS is the
 * responsibility of the proxy that terminates TLS.
 */
export const baseHeaders: Readonly<Record<string, string>> = Object.freeze({
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  vary: 'Accept-Encoding',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
});

export const JSON_TYPE = 'application/json; charset=utf-8';

type HeaderValue = string | number | readonly string[];
type HeaderFields = Readonly<Record<string, HeaderValue | undefined>>;

/** Headers that many replies share, rendered once. */
export class SharedHeaders {
  readonly fields: HeaderFields;
  readonly text: string;
  #revalidated: SharedHeaders | undefined = undefined;

  constructor(fields: HeaderFields) {
    this.fields = fields;
    this.text = renderHeaders(fields);
  }

  /** For replies that a client may keep if it revalidates them. An import may change the data at any time. */
  get revalidated(): SharedHeaders {
    this.#revalidated ??= new SharedHeaders({ ...this.fields, 'cache-control': 'private, no-cache' });
    return this.#revalidated;
  }
}

/** Later parts replace headers of earlier parts, except `vary`, which joins the names of all parts. */
export function shareHeaders(...parts: readonly Readonly<Record<string, string>>[]): SharedHeaders {
  const vary = [baseHeaders, ...parts].flatMap((part) => part.vary ?? []).join(', ');
  return new SharedHeaders({ ...baseHeaders, ...Object.assign({}, ...parts), vary });
}

export function renderHeaders(fields: HeaderFields): string {
  let text = '';
  for (const name in fields) {
    for (const value of [fields[name] ?? []].flat()) text += `${name}: ${value}\r\n`;
  }
  return text;
}

/** The body: none (null: of unknown length), text or bytes, a stream, or whatever a function writes. */
type Body = string | Uint8Array | Readable | ((response: ServerResponse) => void) | null | undefined;

export interface Exit {
  finish(reply: HttpReply): void;
  fail(reply: HttpReply, error: unknown): void;
}

/** The reply to a request, which handlers change until it is finished. */
export class HttpReply {
  readonly request: HttpRequest;
  readonly raw: ServerResponse;
  shared: SharedHeaders;
  status = 200;
  lines = '';
  /** Entity tag of the plain body. Each content coding has a tag of its own. */
  tag: string | undefined = undefined;
  contentType: string | undefined = undefined;
  body: Body = undefined;
  /** `complete` after `send` was called, `finished` when the reply is passed to Node. */
  state: 'open' | 'complete' | 'finished' = 'open';
  readonly #exit: Exit;
  #fields: Record<string, HeaderValue | undefined> | undefined = undefined;

  constructor(request: HttpRequest, raw: ServerResponse, shared: SharedHeaders, exit: Exit) {
    this.request = request;
    this.raw = raw;
    this.shared = shared;
    this.#exit = exit;
  }

  code(status: number): this {
    this.status = status;
    return this;
  }

  header(name: string, value: HeaderValue): this {
    for (const text of [value].flat()) if (FORBIDDEN.test(String(text))) throw new Error(`invalid header ${name}`);
    const key = name.toLowerCase();
    if (key === 'content-type') return this.type(String(value));
    this.#fields ??= {};
    const known = key === 'set-cookie' ? ((this.#fields[key] as readonly string[] | undefined) ?? []) : undefined;
    this.#fields[key] = known === undefined ? value : [...known, value as string];
    return this;
  }

  headers(values: Readonly<Record<string, HeaderValue>>): this {
    for (const [name, value] of Object.entries(values)) this.header(name, value);
    return this;
  }

  removeHeader(name: string): void {
    this.#fields = { ...this.#fields, [name]: undefined };
  }

  type(contentType: string): this {
    this.contentType = contentType;
    return this;
  }

  /** Lets clients keep the reply if they revalidate it before each use. */
  mustRevalidate(): this {
    this.shared = this.shared.revalidated;
    return this;
  }

  redirect(url: string, status = 302): this {
    return this.code(status).header('location', url).send();
  }

  /** A value that is not a body is sent as JSON. */
  send(body?: Body | object): this {
    const isBody =
      typeof body === 'string' || typeof body === 'function' || body === null || body === undefined || isBinary(body);
    this.body = isBody ? (body as Body) : JSON.stringify(body);
    if (!isBody) this.contentType ??= JSON_TYPE;
    this.state = 'complete';
    return this;
  }

  /** Sends the reply that `send` has completed. Needed only if the handler does not return the reply. */
  finish(): void {
    this.#exit.finish(this);
  }

  /** Sends an error instead of the reply. Headers that are already set are kept. */
  fail(error: unknown): void {
    this.#exit.fail(this, error);
  }

  render(): string {
    const fields = this.#fields;
    const own = fields === undefined ? this.shared.text : renderHeaders({ ...this.shared.fields, ...fields });
    const type = this.contentType === undefined ? '' : `content-type: ${this.contentType}\r\n`;
    return `${own}x-request-id: ${this.request.id}\r\n${this.lines}${type}`;
  }

  /** Passes status and headers to Node, for a handler that writes the reply itself. */
  setRawHeaders(): void {
    this.raw.statusCode = this.status;
    const list = toList(this.render());
    for (let at = 0; at < list.length; at += 2) this.raw.appendHeader(list[at] as string, list[at + 1] as string);
  }

  hasHeader(name: string): boolean {
    return this.#fields?.[name] !== undefined;
  }
}

/** Characters that Node rejects in headers (RFC 9110, 5.5). */
const FORBIDDEN = /[^\t\x20-\x7e\x80-\xff]/;

function isBinary(body: object): boolean {
  return body instanceof Uint8Array || body instanceof Readable;
}

/**
 * Turns replies into bytes, headers and body in one piece. Node checks and copies every header of every response, which takes longer than all our
 * work for a search. Here the text of the headers is passed to Node in place of the text that Node would render (`_header`, an internal of Node;
 * test/http/data-reply.test.ts fails if a release changes it). Streams, functions and replies after which the connection is closed send the same
 * headers through Node's public functions.
 */
export function createReplyWriter(keepAliveMs: number, failed: Exit['fail']): (reply: HttpReply) => void {
  const end = `\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1_000)}\r\n\r\n`;

  function writeComplete(reply: HttpReply, body: string | Uint8Array | null | undefined, coding?: Coding): void {
    const { raw: response, status } = reply;
    const head = reply.render() + describeBody(reply, body, coding);
    response.statusCode = status;
    if (response.shouldKeepAlive && !reply.hasHeader('connection') && !reply.hasHeader('date')) {
      (response as ServerResponse & { _header: string })._header =
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}Date: ${formatDate()}${end}`;
    } else {
      response.writeHead(status, toList(head));
    }
    if (body === null || body === undefined) {
      response.end();
      return;
    }
    const text = typeof body === 'string' ? undefined : asText(body);
    if (text === undefined) response.end(body, 'utf8');
    else response.end(text, 'latin1');
  }

  /** An error before the first byte gets an error reply. After the first byte, the connection is closed, so that the client notices. */
  function writeStream(reply: HttpReply, stream: Readable): void {
    const { raw: response, request } = reply;
    if (request.method === 'HEAD') {
      stream.destroy();
      writeComplete(reply, null);
      return;
    }
    reply.setRawHeaders();
    stream.once('error', (error) => {
      if (!response.headersSent) for (const name of response.getHeaderNames()) response.removeHeader(name);
      failed(reply, error);
    });
    response.once('close', () => stream.destroy());
    stream.pipe(response);
  }

  function writeCoded(reply: HttpReply, body: string | Uint8Array): void {
    const header = reply.request.headers['accept-encoding'];
    const coding = header === undefined ? undefined : chooseCoding(parseAcceptEncoding(String(header)), body);
    if (coding === undefined || !TEXT.test(reply.contentType ?? '')) {
      writeComplete(reply, body);
      return;
    }
    const compressed = compress(body, coding);
    // The request is already charged, so a body that cannot be compressed is sent uncompressed.
    if (compressed instanceof Promise) {
      void compressed.then(
        (bytes) => writeComplete(reply, bytes, coding),
        () => writeComplete(reply, body),
      );
    } else {
      writeComplete(reply, compressed, coding);
    }
  }

  return (reply) => {
    const { body, raw: response } = reply;
    reply.state = 'finished';
    if (body === null || body === undefined) writeComplete(reply, body);
    else if (typeof body === 'string' || body instanceof Uint8Array) writeCoded(reply, body);
    else if (body instanceof Readable) writeStream(reply, body);
    else if (typeof body === 'function') {
      response.writeHead(reply.status, toList(reply.render()));
      body(response);
    } else throw new TypeError('a reply is text, bytes, a stream, a function or nothing');
  };
}

/** Media types that are worth compressing: JSON, pages and assets. See docs/decisions/0017-compression.md. */
const TEXT = /^(?:text\/|application\/(?:json|x-ndjson)|image\/svg)/;

function describeBody(reply: HttpReply, body: string | Uint8Array | null | undefined, coding?: Coding): string {
  const { tag, status } = reply;
  let text = tag === undefined ? '' : `etag: ${codedTag(tag, coding)}\r\n`;
  if (coding !== undefined) text += `content-encoding: ${coding}\r\n`;
  if (status === 204 || status === 304 || body === null || reply.hasHeader('content-length')) return text;
  return `${text}content-length: ${typeof body === 'string' ? Buffer.byteLength(body) : (body?.byteLength ?? 0)}\r\n`;
}

/** The tag of a compressed response. It differs from the tag of the plain response, because the bytes differ (RFC 9110, 8.8.3.3). */
export function codedTag(tag: string, coding: Coding | undefined): string {
  return coding === undefined ? tag : `${tag.slice(0, -1)}-${coding}"`;
}

function toList(head: string): string[] {
  return head
    .trimEnd()
    .split('\r\n')
    .flatMap((line) => {
      const at = line.indexOf(': ');
      return [line.slice(0, at), line.slice(at + 2)];
    });
}

let second = 0;
let date = '';

/** The time for the Date header, in whole seconds. The text is kept until the next second. */
function formatDate(): string {
  const now = Math.floor(systemClock.now() / 1_000);
  if (now === second) return date;
  second = now;
  date = new Date(now * 1_000).toUTCString();
  return date;
}
