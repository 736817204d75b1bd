import { formatCount } from '../format-count.ts';

interface Progress {
  readonly text: string;
  /** The speed is measured anew for each phase. Default: `text`. */
  readonly phase?: string;
  readonly done?: number;
  /** 0 or null if unknown. */
  readonly total?: number | null;
  /** What is counted, such as `rows`. Default: bytes. */
  readonly unit?: string;
}

const TERMINAL_INTERVAL_MS = 100;
const LINE_INTERVAL_MS = 5_000;
const BAR_WIDTH = 28;

/** Shows the progress of a long command, with speed and time left: a bar on a terminal, otherwise a line every few seconds. */
export function createDisplay(stream: NodeJS.WriteStream = process.stderr) {
  const { isTTY = false } = stream;
  let lastShown = performance.now();
  let hasShown = false;
  let phase: { readonly name: string; readonly startedAt: number; readonly from: number } | undefined;
  let isOpen = false;
  const clear = () => {
    if (isOpen) stream.write('\r\x1b[K');
    isOpen = false;
  };
  return {
    update(progress: Progress): void {
      const now = performance.now();
      const { text, phase: name = text, done = 0 } = progress;
      const interval = isTTY ? TERMINAL_INTERVAL_MS : LINE_INTERVAL_MS;
      // A new phase is shown at once: its report may be the last one for a long time.
      const isNew = (isTTY || hasShown) && phase !== undefined && phase.name !== name;
      if (phase?.name !== name) phase = { name, startedAt: now, from: done };
      if (now - lastShown < interval && !isNew) return;
      lastShown = now;
      hasShown = true;
      const speed = (1_000 * (done - phase.from)) / Math.max(1, now - phase.startedAt);
      const line = describeProgress(progress, speed, isTTY);
      stream.write(isTTY ? `\r\x1b[K${line}` : `${line}\n`);
      isOpen = isTTY;
    },
    note(text: string): void {
      clear();
      stream.write(`${text}\n`);
    },
    end: clear,
    [Symbol.dispose]: clear,
  };
}

function describeProgress({ text, done = 0, total, unit }: Progress, perSecond: number, withBar: boolean): string {
  if (done === 0 && !total) return text;
  const format = unit === undefined ? formatSize : (count: number) => formatCount(Math.round(count));
  const speed = `${format(perSecond)}${unit === undefined ? '' : ` ${unit}`}/s`;
  if (!total) return `${text}  ${format(done)}, ${speed}`;
  const left = perSecond > 0 ? `, ${formatDuration(Math.ceil((total - done) / perSecond))} left` : '';
  const share = Math.min(1, done / total);
  const percent = `${String(Math.round(share * 100)).padStart(3)} %`;
  const filled = Math.round(share * BAR_WIDTH);
  const bar = withBar ? `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ` : '';
  return `${bar}${percent}  ${text}  ${format(done)} of ${format(total)}, ${speed}${left}`;
}

function formatDuration(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

export function describeRows({
  phase = 'reading',
  rows,
  bytes,
  totalBytes,
}: {
  readonly phase?: 'reading' | 'publishing';
  readonly rows: number;
  readonly bytes: number;
  readonly totalBytes: number;
}): Progress {
  if (phase === 'publishing') return { text: `Publishing ${formatCount(rows)} rows …` };
  return { phase, text: `${formatCount(rows)} rows`, done: bytes, total: totalBytes };
}

/** `1234567` → `1.2 MB`. */
export function formatSize(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const value = bytes / 1_000 ** power;
  return `${value.toFixed(power === 0 || value >= 100 ? 0 : 1)} ${units[power]}`;
}
