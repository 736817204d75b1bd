import { formatCount } from '../../src/core/format-count.ts';
import { type Invocation, readNumber } from '../../src/terminal/command.ts';
import { renderTable } from '../../src/terminal/table.ts';
import { printFigures, readBenchOptions, runUntilStopped } from '../reporting.ts';
import { benchMonitor, type MonitorFigures } from './bench.ts';

/** For a million changes, on two cores. */
const MAX_SECONDS = 20;
const MAX_MEGABYTES = 300;

export async function runBenchMonitor(invocation: Invocation): Promise<void> {
  const { values, signal } = invocation;
  const rows = readNumber(values, 'rows', 1_000_000);
  const figures = await runUntilStopped(signal, benchMonitor({ ...readBenchOptions(invocation), rows }));
  const passed = figures.seconds <= MAX_SECONDS && figures.extraMegabytes <= MAX_MEGABYTES;
  printFigures(invocation, { ...figures, passed }, () => render(figures, passed));
}

function render(figures: MonitorFigures, passed: boolean): string {
  const rows = [
    ['changes of the import', formatCount(figures.changes)],
    ['monitors', formatCount(figures.monitors)],
    ['watched companies', formatCount(figures.watched)],
    ['events', formatCount(figures.events)],
    ['seconds', figures.seconds.toFixed(1)],
    ['CPU seconds', figures.cpuSeconds.toFixed(1)],
    ['additional memory, MB', figures.extraMegabytes.toFixed(0)],
    ['longest turn, ms', figures.longestTurnMs.toFixed(0)],
  ];
  const required = `at most ${MAX_SECONDS} s and ${MAX_MEGABYTES} MB: ${passed ? 'passed' : 'missed'}\n`;
  return renderTable(['COMPARING', ''], rows) + required;
}
