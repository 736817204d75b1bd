import { formatCount } from './table.ts';

/** Shows the progress of a long command: a bar on a terminal, otherwise a line every few seconds. */
export interface ProgressDisplay {
  update(progress: { readonly rows: number; readonly bytes: number; readonly totalBytes: number }): void;
  note(text: string): void;
  end(): void;
}

const TERMINAL_INTERVAL_MS = 100;
const LINE_INTERVAL_MS = 5_000;
const BAR_WIDTH = 28;

export function createProgressDisplay(stream: NodeJS.WriteStream = process.stderr): ProgressDisplay {
  const started = performance.now();
  let lastShown = started;
  let isOpen = false;
  const clear = () => {
    if (isOpen) stream.write('\r\x1b[K');
    isOpen = false;
  };
  return {
    update(progress) {
      const now = performance.now();
      if (now - lastShown < (stream.isTTY ? TERMINAL_INTERVAL_MS : LINE_INTERVAL_MS)) return;
      lastShown = now;
      const text = formatProgress(progress, (now - started) / 1000, stream.isTTY === true);
      stream.write(stream.isTTY ? `\r\x1b[K${text}` : `${text}\n`);
      isOpen = stream.isTTY === true;
    },
    note(text) {
      clear();
      stream.write(`${text}\n`);
    },
    end: clear,
  };
}

function formatProgress(
  { rows, bytes, totalBytes }: Parameters<ProgressDisplay['update']>[0],
  seconds: number,
  withBar: boolean,
) {
  const speed = `${formatCount(rows)} rows, ${formatCount(Math.round(rows / seconds))} rows/s`;
  if (totalBytes === 0 || bytes === 0) return speed;
  const share = Math.min(1, bytes / totalBytes);
  const left = Math.ceil((seconds / share) * (1 - share));
  const text = `${String(Math.round(share * 100)).padStart(3)} %  ${speed}, ${formatDuration(left)} left`;
  const filled = Math.round(share * BAR_WIDTH);
  return withBar ? `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ${text}` : text;
}

function formatDuration(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
