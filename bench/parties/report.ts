import { formatCount } from '../../src/base/format-count.ts';
import { type Invocation, parseNumber } from '../../src/base/terminal/command.ts';
import { renderTable } from '../../src/base/terminal/table.ts';
import { printFigures, readBenchOptions, runUntilStopped } from '../reporting.ts';
import { benchParties, type PartyFigures } from './bench.ts';

/** The p99 of an answer. */
const MAX_MS = 20;

export async function runBenchParties(invocation: Invocation): Promise<void> {
  const answers = parseNumber(invocation.values, 'rows', 1_000);
  const figures = await runUntilStopped(invocation.signal, benchParties({ ...readBenchOptions(invocation), answers }));
  const { cpu, wall, ...sizes } = figures;
  const times = {
    cpuP50: quantile(cpu, 0.5),
    cpuP99: quantile(cpu, 0.99),
    p50: quantile(wall, 0.5),
    p99: quantile(wall, 0.99),
  };
  const passed = times.p99 <= MAX_MS;
  printFigures(invocation, { ...sizes, ...times, passed }, () => render(figures, times, passed));
}

function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.ceil(part * sorted.length) - 1] ?? 0;
}

function render(
  { nodes, links, bytes, answers }: PartyFigures,
  { cpuP50, cpuP99, p50, p99 }: Readonly<Record<'cpuP50' | 'cpuP99' | 'p50' | 'p99', number>>,
  passed: boolean,
): string {
  const rows = [
    ['companies', formatCount(nodes)],
    ['links', formatCount(links)],
    ['bytes', formatCount(bytes)],
    ['answers', formatCount(answers)],
    ['processor time, p50 and p99, ms', `${cpuP50.toFixed(1)} · ${cpuP99.toFixed(1)}`],
    ['time, p50 and p99, ms', `${p50.toFixed(1)} · ${p99.toFixed(1)}`],
    [`p99 of at most ${MAX_MS} ms`, passed ? 'passed' : 'missed'],
  ];
  return renderTable(['OWNERS', ''], rows);
}
