import { systemClock } from '../core/clock.ts';

/**
 * The log line of a request. It names the pattern of the route, and never the URL, a header or a body: an API key that was
 * pasted into a query string must not reach the log.
 */
export interface RequestLine {
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  readonly address: string;
  readonly accountId: string | null;
  readonly keyId: string | null;
  /** Whether the client disconnected before the response was complete. */
  readonly aborted: boolean;
}

/**
 * Writes the line as pino would. Every request has one, and writing these fields in a fixed order takes a quarter of the time.
 * All texts consist of characters that JSON does not escape: ids, addresses, methods that the parser knows, patterns of routes.
 * `ofThread` has the fields of the thread as JSON, with a leading comma.
 */
export function renderRequestLine(line: RequestLine, ofThread: string): string {
  const { requestId, method, route, status, durationMs, address, accountId, keyId, aborted } = line;
  return (
    `{"level":30,"time":${systemClock.now()}${ofThread},"requestId":"${requestId}","method":"${method}","route":"${route}"` +
    `,"status":${status},"durationMs":${durationMs},"address":"${address}","accountId":${quote(accountId)}` +
    `,"keyId":${quote(keyId)}${aborted ? ',"aborted":true' : ''},"msg":"request"}\n`
  );
}

function quote(text: string | null): string {
  return text === null ? 'null' : `"${text}"`;
}
