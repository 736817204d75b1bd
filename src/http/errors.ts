import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, Failure, fail, statusOf } from '../core/errors.ts';
import { securityHeaders } from './security-headers.ts';

/**
 * The one translator: whatever went wrong, wherever, leaves as an ErrorResponse of the closed table. Only failures
 * that we threw on purpose speak; the text of any other error stays in the log.
 */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const { code, statusCode } = error as Partial<FastifyError>;
  const known = code === undefined ? undefined : frameworkCodes[code];
  if (known !== undefined) return fail(known.code, { ...known, cause: error });
  if (statusCode === 400) return fail('invalid_request', { cause: error });
  return fail('internal_error', { cause: error });
}

/** Fastify's own errors that a client can cause. */
const frameworkCodes: Readonly<Record<string, { code: ErrorCode; message?: string }>> = {
  FST_ERR_BAD_URL: { code: 'invalid_request', message: 'The path is not correctly percent-encoded.' },
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'payload_too_large' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { code: 'unsupported_media_type' },
  FST_ERR_CTP_EMPTY_JSON_BODY: { code: 'invalid_request', message: 'The body is empty: send a JSON object.' },
  FST_ERR_CTP_INVALID_JSON_BODY: { code: 'invalid_request', message: 'The body is not valid JSON.' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { code: 'invalid_request', message: 'The body is not as long as announced.' },
  FST_ERR_MAX_PARAM_LENGTH: { code: 'uri_too_long' },
};

/** A failure as a page, for a person in a browser; the API itself speaks JSON to everybody. */
export type ShowFailure = (failure: Failure, requestId: string) => { readonly body: string; readonly policy: string };

export interface FailureStyle {
  /** Where error codes are explained. */
  readonly docsUrl: string;
  readonly showFailure?: ShowFailure | undefined;
}

export function sendFailure(
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  { docsUrl, showFailure }: FailureStyle,
): FastifyReply {
  const failure = toFailure(error);
  if (statusOf(failure.code) >= 500) {
    request.log.error({ requestId: request.id, err: failure.cause ?? failure }, `${failure.code}: ${failure.message}`);
  }
  reply.code(statusOf(failure.code)).headers(failure.headers);
  if (showFailure !== undefined && wantsPage(request)) {
    const { body, policy } = showFailure(failure, request.id);
    return reply.header('Content-Security-Policy', policy).type('text/html; charset=utf-8').send(body);
  }
  return reply.type('application/json; charset=utf-8').send(serializeFailure(failure, request.id, docsUrl));
}

function wantsPage({ url, headers }: FastifyRequest): boolean {
  return !url.startsWith('/api/') && (headers.accept ?? '').includes('text/html');
}

export function serializeFailure(failure: Failure, requestId: string, docsUrl: string): string {
  const { code, message } = failure;
  return JSON.stringify({ error: { code, message, requestId, docs: `${docsUrl}/${code}` } });
}

/** Errors of node's HTTP parser, which arrive before there is a request. */
export interface ParserError {
  readonly code?: string;
  /** The bytes that could not be parsed: a Buffer, whatever Fastify's types say. */
  readonly rawPacket?: unknown;
}

export function parserFailure({ code, rawPacket }: ParserError, urlLength: number): Failure {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return fail('request_timeout');
    case 'HPE_HEADER_OVERFLOW':
      // The parser counts the request line with the headers.
      return fail(
        Buffer.isBuffer(rawPacket) && hasLongUrl(rawPacket, urlLength) ? 'uri_too_long' : 'headers_too_large',
      );
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return fail('payload_too_large');
    default:
      return fail('invalid_request', { message: 'This is not a well-formed HTTP/1.1 request.' });
  }
}

function hasLongUrl(packet: Buffer, urlLength: number): boolean {
  const end = packet.indexOf('\r\n');
  return /^[A-Z-]+ \//.test(packet.toString('latin1', 0, 20)) && (end === -1 || end > urlLength);
}

/** Answers on the bare socket, and closes it: after a parse error nothing that follows can be trusted. */
export function answerOnSocket(socket: Socket, failure: Failure, docsUrl: string): string {
  const requestId = randomUUID();
  const status = statusOf(failure.code);
  const body = serializeFailure(failure, requestId, docsUrl);
  const headers = {
    ...securityHeaders,
    ...failure.headers,
    'x-request-id': requestId,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  return requestId;
}
