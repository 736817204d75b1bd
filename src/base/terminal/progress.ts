import { formatCount } from '../format-count.ts';

/** Shows the progress of a long command: a bar on a terminal, otherwise a line every few seconds. */
interface ProgressDisplay<T> extends Disposable {
  update(progress: T): void;
  note(text: string): void;
  end(): void;
}

const TERMINAL_INTERVAL_MS = 100;
const LINE_INTERVAL_MS = 5_000;
const BAR_WIDTH = 28;

/** The text for some progress after so many seconds, with or without a bar. */
type Format<T> = (progress: T, seconds: number, withBar: boolean) => string;

const displayOf =
  <T>(format: Format<T>, phaseOf?: (progress: T) => string) =>
  (stream: NodeJS.WriteStream = process.stderr): ProgressDisplay<T> =>
    createDisplay(stream, format, phaseOf);

export const createProgressDisplay = displayOf<{
  readonly phase: 'reading' | 'publishing';
  readonly rows: number;
  readonly bytes: number;
  readonly totalBytes: number;
}>(
  ({ phase, rows, bytes, totalBytes }, seconds, withBar) => {
    if (phase === 'publishing') return `Publishing ${formatCount(rows)} rows …`;
    const speed = formatSpeed(rows, 'rows', seconds);
    if (totalBytes === 0 || bytes === 0) return speed;
    return formatRemaining(Math.min(1, bytes / totalBytes), speed, seconds, withBar);
  },
  ({ phase }) => phase,
);

export const createDownloadDisplay = displayOf<{
  readonly file: string;
  readonly bytes: number;
  readonly totalBytes: number | null;
  readonly bytesPerSecond: number;
}>(({ file, bytes, totalBytes, bytesPerSecond }, _seconds, withBar) => {
  const speed = `${formatSize(bytesPerSecond)}/s`;
  if (totalBytes === null || totalBytes === 0) return `${file}  ${formatSize(bytes)}, ${speed}`;
  const left = bytesPerSecond === 0 ? '' : `, ${formatDuration(Math.ceil((totalBytes - bytes) / bytesPerSecond))} left`;
  const text = `${file}  ${formatSize(bytes)} of ${formatSize(totalBytes)}, ${speed}${left}`;
  return formatShare(Math.min(1, bytes / totalBytes), text, withBar);
});

/** The progress of reading a file. `text` describes the work; `totalBytes` is 0 if the size is unknown. */
export const createFileDisplay = displayOf<{
  readonly text: string;
  readonly bytes: number;
  readonly totalBytes: number;
}>(({ text, bytes, totalBytes }, _seconds, withBar) => {
  const size = `${text}  ${formatSize(bytes)}`;
  if (totalBytes === 0) return size;
  return formatShare(Math.min(1, bytes / totalBytes), `${size} of ${formatSize(totalBytes)}`, withBar);
});

/** The progress of a number of tasks whose duration is unknown. */
export const createCountDisplay = displayOf<{ readonly text: string; readonly done: number; readonly total: number }>(
  ({ text, done, total }, _seconds, withBar) =>
    formatShare(done / Math.max(1, total), `${text}: ${formatCount(done)} of ${formatCount(total)}`, withBar),
);

export const createExportDisplay = displayOf<{
  readonly phase: 'sorting' | 'writing';
  readonly rows: number;
  readonly totalRows: number;
}>(
  ({ phase, rows, totalRows }, seconds, withBar) => {
    if (phase === 'sorting') return `Sorting ${formatCount(totalRows)} entities …`;
    const share = Math.min(1, rows / Math.max(1, totalRows));
    return formatRemaining(share, formatSpeed(rows, 'entities', seconds), seconds, withBar);
  },
  ({ phase }) => phase,
);

function createDisplay<T>(
  stream: NodeJS.WriteStream,
  format: Format<T>,
  phaseOf?: (progress: T) => string,
): ProgressDisplay<T> {
  const started = performance.now();
  let lastShown = started;
  let shownPhase: string | undefined;
  let isOpen = false;
  const clear = () => {
    if (isOpen) stream.write('\r\x1b[K');
    isOpen = false;
  };
  return {
    update(progress) {
      const now = performance.now();
      const interval = stream.isTTY ? TERMINAL_INTERVAL_MS : LINE_INTERVAL_MS;
      const phase = phaseOf?.(progress);
      // A new phase is shown at once: its report may be the last one for a long time.
      const isNewPhase = phase !== shownPhase && (stream.isTTY === true || shownPhase !== undefined);
      if (now - lastShown < interval && !isNewPhase) return;
      lastShown = now;
      shownPhase = phase;
      const text = format(progress, (now - started) / 1000, stream.isTTY === true);
      stream.write(stream.isTTY ? `\r\x1b[K${text}` : `${text}\n`);
      isOpen = stream.isTTY === true;
    },
    note(text) {
      clear();
      stream.write(`${text}\n`);
    },
    end: clear,
    [Symbol.dispose]: clear,
  };
}

function formatSpeed(count: number, noun: string, seconds: number): string {
  return `${formatCount(count)} ${noun}, ${formatCount(Math.round(count / seconds))} ${noun}/s`;
}

function formatRemaining(share: number, speed: string, seconds: number, withBar: boolean): string {
  const left = Math.ceil((seconds / share) * (1 - share));
  return formatShare(share, `${speed}, ${formatDuration(left)} left`, withBar);
}

function formatShare(share: number, description: string, withBar: boolean): string {
  const text = `${String(Math.round(share * 100)).padStart(3)} %  ${description}`;
  const filled = Math.round(share * BAR_WIDTH);
  return withBar ? `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ${text}` : text;
}

function formatDuration(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `1234567` → `1.2 MB`. */
export function formatSize(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const value = bytes / 1_000 ** power;
  return `${value.toFixed(power === 0 || value >= 100 ? 0 : 1)} ${units[power]}`;
}
