import { formatCount } from '../../src/base/format-count.ts';
import { type Invocation, parseNumber, UsageError } from '../../src/base/terminal/command.ts';
import { renderTable } from '../../src/base/terminal/table.ts';
import { printFigures, readBenchOptions, readText, runUntilStopped } from '../reporting.ts';
import { benchUpdate, type StoreFigures, type UpdateFigures } from './bench.ts';

export async function runBenchUpdate(invocation: Invocation): Promise<void> {
  const { values, signal } = invocation;
  const { cache, onStep } = readBenchOptions(invocation);
  const entities = readSizes(readText(values, 'entities') ?? '1000000,5000000');
  const rounds = parseNumber(values, 'rounds', 5);
  const work = benchUpdate({ entities, cache: readText(values, 'data') ?? cache, rounds, onStep, signal });
  const figures = await runUntilStopped(signal, work);
  const bars = figures.stores.flatMap(judge);
  printFigures(invocation, { ...figures, bars }, () => renderFigures(figures) + renderBars(bars));
}

function readSizes(text: string): number[] {
  const sizes = text.split(',');
  if (sizes.every((size) => /^\d{4,9}$/.test(size))) return sizes.map(Number);
  throw new UsageError('--entities needs whole numbers of 1000 or more, with commas.');
}

interface Bar {
  readonly name: string;
  readonly figure: number;
  readonly most: number;
  readonly unit: string;
  readonly passed: boolean;
}

/** What we require: seconds from the commit to the first answer, by the number of changes. */
const SECONDS = new Map([
  [10, 1],
  [1_000, 1],
  [50_000, 3],
]);

function judge({ entities, bytes, updates, fold, queries }: StoreFigures): Bar[] {
  const bars: Bar[] = [];
  const atMost = (name: string, figure: number, most: number, unit: string) =>
    bars.push({ name: `${formatCount(entities)}: ${name}`, figure, most, unit, passed: figure <= most });
  for (const { changes, slowestSeconds, extraBytes, longestTurnCpuMs } of updates) {
    const name = `${formatCount(changes)} changes`;
    atMost(`${name}, served after`, slowestSeconds, findSeconds(changes), ' s');
    atMost(`${name}, additional memory`, (100 * extraBytes) / bytes, 5, ' %');
    atMost(`${name}, longest turn`, longestTurnCpuMs, 5, ' ms');
  }
  atMost('fold, longest turn', fold.longestTurnCpuMs, 5, ' ms');
  const mixed = queries.at(-1);
  if (mixed !== undefined) {
    atMost('full overlay, query median', mixed.overlay.median / mixed.base.median, 1.2, ' ×');
    atMost('full overlay, query p99', mixed.overlay.p99 / mixed.base.p99, 1.2, ' ×');
  }
  return bars;
}

/** Rows of a file may describe the same company, so a change is a little smaller than its file. */
function findSeconds(changes: number): number {
  return [...SECONDS].findLast(([least]) => changes >= 0.9 * least)?.[1] ?? 1;
}

function renderBars(bars: readonly Bar[]): string {
  const rows = bars.map(({ name, figure, most, unit, passed }) => {
    return [name, `${round(figure)}${unit}`, `≤ ${most}${unit}`, passed ? 'passed' : 'missed'];
  });
  return `\n${renderTable(['BAR', 'FIGURE', 'REQUIRED', 'RESULT'], rows)}`;
}

const megabytes = (bytes: number) => Math.round(bytes / 1e6);

function renderFigures({ stores }: UpdateFigures): string {
  const updates = stores.flatMap(({ entities, bytes, seconds, updates: measured }) => [
    [formatCount(entities), 'all', '', round(seconds), '', megabytes(bytes), '', '', ''],
    ...measured.map((one) => [
      formatCount(entities),
      formatCount(one.changes),
      round(one.importSeconds),
      round(one.servedSeconds),
      round(one.slowestSeconds),
      megabytes(one.extraBytes),
      `${round((100 * one.extraBytes) / bytes)} %`,
      round(one.longestTurnCpuMs),
      round(one.longestTurnMs),
    ]),
  ]);
  const header = [
    'ENTITIES',
    'CHANGES',
    'IMPORT S',
    'SERVED AFTER S',
    'SLOWEST S',
    'MB',
    'OF INDEX',
    'TURN MS',
    'ELAPSED MS',
  ];
  return (
    `${renderTable(header, updates)}\n` +
    'CHANGES "all": the first index, built from all rows; MB is its size. Other rows: from the commit to the first answer with the\n' +
    'change; MB is additional resident memory at its peak; TURN is the longest turn of the event loop in CPU time, ELAPSED by the clock.\n' +
    renderFolds(stores) +
    stores.map(renderQueries).join('')
  );
}

function renderFolds(stores: readonly StoreFigures[]): string {
  const rows = stores.map(({ entities, bytes, fold }) => {
    const { overlayDocs, seconds, extraBytes, longestTurnCpuMs, idle, folding } = fold;
    const memory = [megabytes(extraBytes), `${round((100 * extraBytes) / bytes)} %`];
    const times = [idle.median, folding.median, idle.p99Single, folding.p99Single].map(round);
    return [
      formatCount(entities),
      formatCount(overlayDocs),
      round(seconds),
      ...memory,
      round(longestTurnCpuMs),
      ...times,
    ];
  });
  const header = [
    'FOLD OF',
    'OVERLAY',
    'SECONDS',
    'MB',
    'OF INDEX',
    'TURN MS',
    'MEDIAN µS BEFORE',
    'DURING',
    'P99 µS BEFORE',
    'DURING',
  ];
  return `\n${renderTable(header, rows)}`;
}

function renderQueries({ entities, queries }: StoreFigures): string {
  const rows = queries.map(({ name, overlay, base }) => [
    name,
    ...[overlay.median, base.median, overlay.median / base.median].map(round),
    ...[overlay.p99, base.p99, overlay.p99 / base.p99].map(round),
  ]);
  if (rows.length === 0) return '';
  const header = [
    `QUERIES, ${formatCount(entities)}`,
    'MEDIAN µS, OVERLAY',
    'BASE',
    'RATIO',
    'P99 µS, OVERLAY',
    'BASE',
    'RATIO',
  ];
  return `\n${renderTable(header, rows)}`;
}

/** Three digits are as precise as such a measurement. */
function round(value: number): number {
  return Number(value.toPrecision(3));
}
