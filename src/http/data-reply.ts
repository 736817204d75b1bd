import type { IncomingMessage, ServerResponse } from 'node:http';
import { systemClock } from '../core/clock.ts';
import { type Coding, chooseCoding, compress, readAcceptEncoding } from '../core/compression.ts';
import type { Limits } from '../metering/charge.ts';
import { baseHeaders } from './base-headers.ts';
import type { DataReply } from './data-operation.ts';
import { codedTag } from './etag.ts';
import { renderLimits } from './limit-headers.ts';

/** A data response with status 200. */
export interface CompleteReply {
  readonly requestId: string;
  readonly limits: Limits;
  readonly tag: string;
  readonly body: DataReply['body'];
  readonly link: DataReply['link'];
  /** The value of `X-Data-Version`, if the operation sends it. */
  readonly snapshot: string | undefined;
  /** Whether `Accept` could have chosen another format. */
  readonly isNegotiated: boolean;
}

export interface ReplyWriterOptions {
  /** Whether the response can depend on the origin of the page that sent the request. */
  readonly varyOnOrigin: boolean;
  /** How long an idle connection is kept open. */
  readonly keepAliveMs: number;
  /** The clock of the meter. */
  readonly now: () => number;
}

export type WriteDataReply = (request: IncomingMessage, response: ServerResponse, reply: CompleteReply) => void;

/** An import may change the data at any time, so a client may keep the answer but has to revalidate it. */
export const CACHE_CONTROL = 'private, no-cache';
export const CONTENT_TYPE = 'application/json; charset=utf-8';

/**
 * Returns a function that writes headers and body of a data response in one piece. Node checks and copies every header of every
 * response, which takes longer than all our work for a search. Here the constant ones are rendered once, and the text is passed to
 * Node in place of the one that it would render (`_header`, an internal of Node; test/http/data-reply.test.ts fails if a release
 * changes it). No header contains text of a client but the request id, which is a UUID, and `Link`, which is
 * percent-encoded.
 */
export function createReplyWriter({ varyOnOrigin, keepAliveMs, now }: ReplyWriterOptions): WriteDataReply {
  const vary = varyOnOrigin ? 'Accept-Encoding, Origin' : 'Accept-Encoding';
  const plainStart = renderStart(vary);
  const negotiatedStart = renderStart(`${vary}, Accept`);
  const end = `\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1_000)}\r\n\r\n`;

  function write(response: ServerResponse, reply: CompleteReply, coding?: Coding): void {
    const { requestId, limits, tag, body, link, snapshot, isNegotiated } = reply;
    const start = isNegotiated ? negotiatedStart : plainStart;
    const isText = typeof body === 'string';
    const length = isText ? Buffer.byteLength(body) : body.byteLength;
    (response as ServerResponse & { _header: string })._header =
      `${start}${requestId}\r\n${renderLimits(limits, now())}etag: ${tag}\r\n` +
      `${snapshot === undefined ? '' : `x-data-version: ${snapshot}\r\n`}` +
      `${link === undefined ? '' : `link: ${link}\r\n`}${coding === undefined ? '' : `content-encoding: ${coding}\r\n`}` +
      `content-length: ${length}\r\nDate: ${formatDate()}${end}`;
    response.end(body, 'utf8');
  }

  return (request, response, reply) => {
    const header = request.headers['accept-encoding'];
    const coding = header === undefined ? undefined : chooseCoding(readAcceptEncoding(String(header)), reply.body);
    if (coding === undefined) return write(response, reply);
    const finish = (body: Buffer) => write(response, { ...reply, body, tag: codedTag(reply.tag, coding) }, coding);
    const compressed = compress(reply.body, coding);
    // The request is already charged, so a body that cannot be compressed is sent as it is.
    if (compressed instanceof Promise) void compressed.then(finish, () => write(response, reply));
    else finish(compressed);
  };
}

/** The status line and the headers that do not change. */
function renderStart(vary: string): string {
  const constant = { ...baseHeaders, 'cache-control': CACHE_CONTROL, vary, 'content-type': CONTENT_TYPE };
  const headers = Object.entries(constant).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 200 OK\r\n${headers.join('')}x-request-id: `;
}

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
