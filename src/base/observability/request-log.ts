import type { Logger, RequestLine } from './log.ts';
import type { Metrics } from './metrics.ts';

/** Writes one log line and one metric per request. */
export type RecordRequest = (line: RequestLine) => void;

export function createRequestRecorder(
  log: Pick<Logger, 'writeRequest'>,
  metrics: Pick<Metrics, 'observeRequest'>,
): RecordRequest {
  return (line) => {
    metrics.observeRequest(line.method, line.route, line.status, line.durationMs / 1_000);
    log.writeRequest(line);
  };
}

/** Milliseconds since `startedAt`, in whole microseconds. */
export function measureDuration(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 1_000) / 1_000;
}
