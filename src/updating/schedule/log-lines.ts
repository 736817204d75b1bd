import type { Log } from '../../core/log.ts';

const PROGRESS_INTERVAL_MS = 60_000;
const MAX_LINES = 1_000;
const MAX_LENGTH = 4_000;
/** pino's number for warnings. */
const WARN = 40;

/**
 * Writes the lines of an update process to the log of the server: its log records as they are, and of its progress, which it prints
 * every few seconds, one line per minute. Neither long lines nor many lines can fill the log.
 */
export function createLineForwarder(log: Log, measure = () => performance.now()): (line: string) => void {
  let records = 0;
  let progressAt = Number.NEGATIVE_INFINITY;
  return (line) => {
    const record = readRecord(line);
    if (record === undefined) {
      if (line.trim() === '' || measure() - progressAt < PROGRESS_INTERVAL_MS) return;
      progressAt = measure();
      log.info({ progress: line.slice(0, MAX_LENGTH) }, 'update is running');
      return;
    }
    records++;
    if (records > MAX_LINES || line.length > MAX_LENGTH) return;
    const { level, time: _time, msg, ...fields } = record;
    log[Number(level) >= WARN ? 'warn' : 'info']({ ...fields, from: 'update' }, String(msg));
  };
}

function readRecord(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
