import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { systemClock } from '../../core/clock.ts';
import { statusOf } from '../../core/errors.ts';
import type { Limits } from '../../operations/operation.ts';
import { contentTypes } from '../../result-files/formats.ts';
import { asText, type Coding, chooseCoding, compress, readAcceptEncoding } from '../../system/compression.ts';
import type { DescribedError } from '../errors.ts';
import { baseHeaders } from '../transport/base-headers.ts';
import type { DataAnswer } from './answer.ts';
import { codedTag } from './etag.ts';
import { type AddHeader, renderHeaders, renderLimitHeaders } from './limit-headers.ts';

/** An import may change the data at any time, so a client may keep the answer but has to revalidate it. */
export const CACHE_CONTROL = 'private, no-cache';
const JSON_TYPE = 'application/json; charset=utf-8';

/** The headers of an answer besides its limits, for every way of sending it. */
export function addAnswerHeaders({ tag, body, format, link, snapshot, headers }: DataAnswer, add: AddHeader): void {
  add('etag', tag);
  add('cache-control', CACHE_CONTROL);
  if (snapshot !== undefined) add('x-data-version', snapshot);
  if (link !== undefined) add('link', link);
  if (headers !== undefined) for (const name in headers) add(name.toLowerCase(), headers[name] ?? '');
  if (body !== null) add('content-type', format === 'json' ? JSON_TYPE : contentTypes[format]);
}

interface ReplyWriterOptions {
  /** Whether the response can depend on the origin of the page that sent the request. */
  readonly varyOnOrigin: boolean;
  /** How long an idle connection is kept open. */
  readonly keepAliveMs: number;
  /** The clock of the meter. */
  readonly now: () => number;
}

/** Writes replies without the framework. */
export interface ReplyWriter {
  writeAnswer(exchange: RawExchange, answer: DataAnswer & Pick<Complete, 'body'>, limits: Limits): void;
  writeFailure(exchange: RawExchange, error: DescribedError, limits: Limits | null): void;
}

export interface RawExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** Whether `Accept` can choose another format. */
  readonly isNegotiated: boolean;
}

interface Complete {
  readonly body: string | Uint8Array;
  readonly tag: string | undefined;
  /** Everything up to the headers that depend on the coding. */
  readonly head: string;
}

/**
 * Writes headers and body of a reply in one piece. Node checks and copies every header of every response, which takes longer than all
 * our work for a search. Here the constant ones are rendered once, and the text is passed to Node in place of the one that it would
 * render (`_header`, an internal of Node; test/http/data-reply.test.ts fails if a release changes it). No header contains text of a
 * client but the request id, which is a UUID, and `Link`, which is percent-encoded.
 */
export function createReplyWriter({ varyOnOrigin, keepAliveMs, now }: ReplyWriterOptions): ReplyWriter {
  const vary = varyOnOrigin ? 'Accept-Encoding, Origin' : 'Accept-Encoding';
  const { 'cache-control': ofErrors, vary: _, ...constant } = baseHeaders;
  const render = (headers: Readonly<Record<string, string>>) =>
    Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const plainStart = `${render({ ...constant, vary }).join('')}x-request-id: `;
  const negotiatedStart = `${render({ ...constant, vary: `${vary}, Accept` }).join('')}x-request-id: `;
  const end = `\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1_000)}\r\n\r\n`;

  function startHead(status: number, { requestId, isNegotiated }: RawExchange): string {
    const start = isNegotiated ? negotiatedStart : plainStart;
    return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${start}${requestId}\r\n`;
  }

  function write(response: ServerResponse, { head, tag, body }: Complete, coding?: Coding): void {
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
    const etag = tag === undefined ? '' : `etag: ${coding === undefined ? tag : codedTag(tag, coding)}\r\n`;
    (response as ServerResponse & { _header: string })._header =
      `${head}${etag}${coding === undefined ? '' : `content-encoding: ${coding}\r\n`}` +
      `content-length: ${length}\r\nDate: ${formatDate()}${end}`;
    const text = typeof body === 'string' ? undefined : asText(body);
    if (text === undefined) response.end(body, 'utf8');
    else response.end(text, 'latin1');
  }

  function send({ request, response }: RawExchange, reply: Complete): void {
    const header = request.headers['accept-encoding'];
    const coding = header === undefined ? undefined : chooseCoding(readAcceptEncoding(String(header)), reply.body);
    if (coding === undefined) {
      write(response, reply);
      return;
    }
    const finish = (body: Buffer) => write(response, { ...reply, body }, coding);
    const compressed = compress(reply.body, coding);
    // The request is already charged, so a body that cannot be compressed is sent as it is.
    if (compressed instanceof Promise) void compressed.then(finish, () => write(response, reply));
    else finish(compressed);
  }

  return {
    writeAnswer(exchange, answer, limits) {
      const head = startHead(200, exchange) + renderLimitHeaders(limits, now()) + renderAnswer(answer);
      send(exchange, { head, tag: answer.tag, body: answer.body });
    },
    writeFailure(exchange, { failure, headers, body }, limits) {
      const status = statusOf(failure.code);
      exchange.response.statusCode = status;
      const ofLimits = limits === null ? '' : renderLimitHeaders(limits, now());
      const others = renderHeaders((add) => {
        add('cache-control', ofErrors ?? '');
        for (const [name, value] of Object.entries(headers)) add(name.toLowerCase(), value);
        add('content-type', JSON_TYPE);
      });
      send(exchange, { head: startHead(status, exchange) + ofLimits + others, tag: undefined, body });
    },
  };
}

/** The headers of an answer without its tag, which depends on the coding. */
function renderAnswer(answer: DataAnswer): string {
  const known = answer.isKept ? heads.get(answer) : undefined;
  if (known !== undefined) return known;
  const head = renderHeaders((add) => {
    addAnswerHeaders(answer, (name, value) => name !== 'etag' && add(name, value));
  });
  if (answer.isKept) heads.set(answer, head);
  return head;
}

const heads = new WeakMap<DataAnswer, string>();

let second = 0;
let date = '';

/** The time in whole seconds, for the Date header. The text is kept until the next second. */
function formatDate(): string {
  const now = Math.floor(systemClock.now() / 1_000);
  if (now === second) return date;
  second = now;
  date = new Date(now * 1_000).toUTCString();
  return date;
}
