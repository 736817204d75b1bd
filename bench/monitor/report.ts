import { loadavg } from 'node:os';
import { formatCount } from '../../src/base/format-count.ts';
import { type Invocation, parseNumber } from '../../src/base/terminal/command.ts';
import { renderTable } from '../../src/base/terminal/table.ts';
import { printFigures, readBenchOptions, runUntilStopped } from '../reporting.ts';
import { benchMonitor, type MonitorFigures } from './bench.ts';

/** For a million changes, on two cores. */
const MAX_SECONDS = 20;
const MAX_MEGABYTES = 300;
/** Of the time that an import takes. */
const MAX_ADDED = 0.1;
const MAX_FIRST_MS = 3_000;
const MAX_BESIDE_HANGING_MS = 5_000;

export async function runBenchMonitor(invocation: Invocation): Promise<void> {
  const { values, signal } = invocation;
  const rows = parseNumber(values, 'rows', 1_000_000);
  const figures = await runUntilStopped(signal, benchMonitor({ ...readBenchOptions(invocation), rows }));
  const bars = judge(figures);
  printFigures(invocation, { ...figures, bars }, () => render(figures, bars));
}

export interface MonitorBar {
  readonly name: string;
  readonly measured: number;
  readonly atMost: number;
  readonly unit: string;
  readonly passed: boolean;
}

function judge(figures: MonitorFigures): MonitorBar[] {
  const { importSeconds, besideSeconds, delivery } = figures;
  const first = delivery.first.toSorted((a, b) => a - b);
  const added = 100 * (besideSeconds / importSeconds - 1);
  const bars = [
    ['comparing', figures.seconds, MAX_SECONDS, 's'],
    ['additional memory', figures.extraMegabytes, MAX_MEGABYTES, 'MB'],
    ['added to the import', added, 100 * MAX_ADDED, '%'],
    // Of fewer than 100 imports, the slowest.
    ['import to first webhook, p99', first.at(Math.ceil(0.99 * first.length) - 1) ?? 0, MAX_FIRST_MS, 'ms'],
    ['90 receivers beside 10 that hang', delivery.besideHanging, MAX_BESIDE_HANGING_MS, 'ms'],
  ] as const;
  return bars.map(([name, measured, atMost, unit]) => ({ name, measured, atMost, unit, passed: measured <= atMost }));
}

function render(figures: MonitorFigures, bars: readonly MonitorBar[]): string {
  const { delivered, deliveryCpu, transactions } = figures.delivery;
  const first = figures.delivery.first.toSorted((a, b) => a - b);
  const rows = [
    ['changes of the import', formatCount(figures.changes)],
    ['monitors', formatCount(figures.monitors)],
    ['watched companies', formatCount(figures.watched)],
    ['events', formatCount(figures.events)],
    ['CPU seconds', figures.cpuSeconds.toFixed(1)],
    ['CPU per event, µs', ((1e6 * figures.cpuSeconds) / figures.events).toFixed(1)],
    ['CPU per change that nobody watches, µs', ((1e6 * figures.unwatchedCpuSeconds) / figures.changes).toFixed(1)],
    ['CPU of comparing, % of the time of the import', ((100 * figures.cpuSeconds) / figures.importSeconds).toFixed(0)],
    ['longest turn, ms', figures.longestTurnMs.toFixed(0)],
    ['import alone, s', figures.importSeconds.toFixed(1)],
    ['import while comparing, s', figures.besideSeconds.toFixed(1)],
    ['imports of 1,000 changes with webhooks', formatCount(first.length)],
    ['import to first webhook, p50, ms', (first[first.length >> 1] ?? 0).toFixed(0)],
    ['deliveries to 90 receivers beside 10 that hang', formatCount(delivered)],
    ['CPU per delivery, ms', (deliveryCpu / delivered).toFixed(2)],
    ['transactions per 100 deliveries', ((100 * transactions) / delivered).toFixed(1)],
    ['peak memory, MB', figures.peakMegabytes.toFixed(0)],
    ['load of the machine now', (loadavg()[0] ?? 0).toFixed(1)],
  ];
  const judged = bars.map(({ name, measured, atMost, unit, passed }) => [
    ...[name, `${measured.toFixed(1)} ${unit}`, `≤ ${atMost} ${unit}`, passed ? 'passed' : 'missed'],
  ]);
  return `${renderTable(['MONITORS', ''], rows)}\n${renderTable(['BAR', 'MEASURED', 'REQUIRED', 'RESULT'], judged)}`;
}
