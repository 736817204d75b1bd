import { join } from 'node:path';
import { readConfig, readEnvironment } from '../../config.ts';
import { CommandError, type Invocation } from '../../terminal/command.ts';
import { formatCount, renderTable } from '../../terminal/table.ts';
import {
  benchSearch,
  type ClassFigures,
  type RivalFigures,
  rivalNames,
  type SearchBenchOptions,
  type SearchFigures,
} from './bench.ts';

const DEFAULT_ROWS = 5_000_000;

export async function runBenchSearch({ values, signal }: Invocation): Promise<void> {
  const started = performance.now();
  const rivals = rivalNames.filter((name) => !values['only-ours'] && !(name === 'postgres' && values['no-postgres']));
  const figures = await benchOrStop(signal, {
    rows: Number(values.rows ?? DEFAULT_ROWS),
    cache: join(readConfig(readEnvironment()).dataDir, 'bench'),
    rivals,
    signal,
    onStep: (step) =>
      process.stderr.write(`${((performance.now() - started) / 1000).toFixed(0).padStart(4)} s  ${step}\n`),
  });
  const bars = judge(figures);
  process.stdout.write(
    values.json ? `${JSON.stringify({ ...figures, bars }, null, 2)}\n` : renderFigures(figures) + renderBars(bars),
  );
}

/** What a signal interrupts fails in many ways, none of which says more than this. */
async function benchOrStop(signal: AbortSignal, options: SearchBenchOptions): Promise<SearchFigures> {
  try {
    return await benchSearch(options);
  } catch (error) {
    throw signal.aborted ? new CommandError('Stopped. What is complete is kept for the next run.') : error;
  }
}

interface Bar {
  readonly name: string;
  readonly figure: number;
  readonly bar: string;
  readonly passed: boolean;
}

/** What the design asks for, of 5 M entities. */
function judge({ build, load, mixed }: SearchFigures): Bar[] {
  const atLeast = (name: string, figure: number, bar: number) => {
    return { name, figure, bar: `≥ ${formatCount(bar)}`, passed: figure >= bar };
  };
  const bytes = build.bytes / build.entities;
  const { postgres } = mixed.rivals;
  const againstPostgres = postgres && [
    atLeast('mixed median, times as fast as PostgreSQL', postgres.medianRatio, 50),
    atLeast('mixed 99th percentile, times as fast as PostgreSQL', postgres.p99Ratio, 10),
  ];
  return [
    ...(againstPostgres ?? []),
    { name: 'index bytes an entity', figure: bytes, bar: '≤ 250', passed: bytes <= 250 },
    atLeast('build from the store, entities a second', build.entities / build.seconds, 150_000),
    atLeast('load of the saved index, times as fast as the build', build.seconds / load.loadSeconds, 10),
  ];
}

function renderBars(bars: readonly Bar[]): string {
  const rows = bars.map(({ name, figure, bar, passed }) => [name, round(figure), bar, passed ? 'passed' : 'missed']);
  return `\n${renderTable(['BAR (for 5 M entities)', 'FIGURE', 'ASKED', 'RESULT'], rows)}`;
}

function renderFigures({ rows, build, load, classes, mixed, steps }: SearchFigures): string {
  const megabyte = 1024 * 1024;
  const index: [string, string | number][] = [
    ['entities', rows],
    ['build, seconds', round(build.seconds)],
    ['build, entities a second', Math.round(build.entities / build.seconds)],
    ['index, bytes an entity', round(build.bytes / build.entities)],
    ['index, MB', Math.round(build.bytes / megabyte)],
    ['saved file, MB', Math.round(build.fileBytes / megabyte)],
    ['save, seconds', round(build.saveSeconds)],
    ['load (file in the page cache), seconds', round(load.loadSeconds)],
    ['build time : load time', round(build.seconds / load.loadSeconds)],
    ['resident MB, peak of a process that builds', Math.round(build.peakMegabytes)],
    ['resident MB of a process before it loads', Math.round(load.megabytes.before)],
    ['resident MB after it has loaded', Math.round(load.megabytes.loaded)],
    ['resident MB after all queries', Math.round(load.megabytes.asked)],
  ];
  const header = ['QUERIES', 'N', 'OURS µs', 'P99'];
  const { postgres, sqlite } = mixed.rivals;
  if (postgres) header.push('POSTGRES µs', 'P99', 'N', '× MEDIAN', '× P99');
  if (sqlite) header.push('FTS5 µs', 'P99', 'N', '× MEDIAN', '× P99');
  const took = Object.entries(steps).map(([name, seconds]) => `${name} ${seconds.toFixed(1)} s`);
  return (
    `${renderTable(['OUR INDEX', 'FIGURE'], index)}\n` +
    renderTable(header, [...classes, mixed].map(renderClass)) +
    `\nMedian and 99th percentile over the queries of a class, page of 25, each with the median of its times. N is how many\n` +
    `the others had time for; ratios are over those. Totals and pages were the same everywhere.\n` +
    `99th percentile of all single times, mixed: ${describeSingle(mixed)}.\nSteps: ${took.join(', ')}.\n`
  );
}

function renderClass({ name, queries, ours, rivals: { postgres, sqlite } }: ClassFigures): (string | number)[] {
  const cells = (rival: RivalFigures | undefined) =>
    rival ? [rival.median, rival.p99, rival.queries, rival.medianRatio, rival.p99Ratio].map(round) : [];
  return [name, queries, round(ours.median), round(ours.p99), ...cells(postgres), ...cells(sqlite)];
}

function describeSingle({ ours, rivals }: ClassFigures): string {
  const others = rivalNames.flatMap((name) => {
    const { [name]: rival } = rivals;
    return rival ? [`${name} ${formatCount(round(rival.p99Single))}`] : [];
  });
  return [`ours ${formatCount(round(ours.p99Single))}`, ...others].join(', ').concat(' µs');
}

/** Three digits are enough for anybody. */
function round(figure: number): number {
  return figure >= 100 ? Math.round(figure) : Number(figure.toPrecision(3));
}
