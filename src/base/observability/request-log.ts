import type { Logger } from './log.ts';
import type { Metrics } from './metrics.ts';

/**
 * The log line of a request. The line contains the pattern of the route, and never the URL, a header or a body: an API key that was pasted into a
 * query string must not reach the log.
 */
interface RequestLine {
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

/** Writes one log line and one metric per request. */
export type RecordRequest = (line: RequestLine) => void;

export function createRequestRecorder(
  log: Pick<Logger, 'info'>,
  metrics: Pick<Metrics, 'observeRequest'>,
): RecordRequest {
  return (line) => {
    const { aborted, ...fields } = line;
    metrics.observeRequest(line.method, line.route, line.status, line.durationMs / 1_000);
    log.info(aborted ? line : fields, 'request');
  };
}

/** Milliseconds since `startedAt`, in whole microseconds. */
export function measureDuration(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 1_000) / 1_000;
}
