import { parseClickhouse, readEnvironment } from '../../src/base/config/config.ts';
import { formatCount } from '../../src/base/format-count.ts';
import { type Invocation, parseNumber } from '../../src/base/terminal/command.ts';
import { renderTable } from '../../src/base/terminal/table.ts';
import { printFigures, readBenchOptions, runUntilStopped } from '../reporting.ts';
import { benchClickhouse, type ClickhouseFigures } from './bench.ts';

/** A database of its own: a build removes all tables of the database but those that are searched. */
const DATABASE = 'firmament_bench';

export async function runBenchClickhouse(invocation: Invocation): Promise<void> {
  const place = { ...parseClickhouse(readEnvironment().CLICKHOUSE_URL), database: DATABASE };
  const options = { ...readBenchOptions(invocation), place, rows: parseNumber(invocation.values, 'rows', 5_000_000) };
  printFigures(invocation, await runUntilStopped(invocation.signal, benchClickhouse(options)), renderFigures);
}

function renderFigures({ entities, nodes, load, merges, bytes, classes, updates }: ClickhouseFigures): string {
  const work = [
    ['load', load] as const,
    ['merges after it', merges] as const,
    ...updates.map((update) => [`${formatCount(update.changes)} changes`, update] as const),
  ].map(([name, { seconds, cpuSeconds }]) => [name, round(seconds), round(cpuSeconds)]);
  const queries = classes.map(({ name, queries: asked, cpuMs, median, p99 }) => [
    name,
    asked,
    ...[cpuMs, median / 1_000, p99 / 1_000].map(round),
  ]);
  return (
    `${renderTable(['WORK', 'SECONDS', 'CPU SECONDS'], work)}\n` +
    `${renderTable(['QUERIES', 'N', 'CPU MS', 'MEDIAN MS', 'P99 MS'], queries)}\n` +
    `${formatCount(entities)} entities, nodes: ${nodes}. Bytes per entity: ${round(bytes.all / entities)}, of them text indexes: ` +
    `${round(bytes.indexes / entities)}.\nCPU is that of all nodes, without ours. Totals and pages are those of the index in memory, ` +
    'also after the changes.\n'
  );
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
