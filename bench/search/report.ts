import { formatCount } from '../../src/base/format-count.ts';
import { type Invocation, parseNumber } from '../../src/base/terminal/command.ts';
import { renderTable } from '../../src/base/terminal/table.ts';
import { printFigures, readBenchOptions, runUntilStopped } from '../reporting.ts';
import { benchSearch, type ClassFigures, type RivalFigures, rivalNames, type SearchFigures } from './bench.ts';

export async function runBenchSearch(invocation: Invocation): Promise<void> {
  const { values, signal } = invocation;
  const { cache, onStep } = readBenchOptions(invocation);
  const rivals = rivalNames.filter((name) => !values['only-ours'] && !(name === 'postgres' && values['no-postgres']));
  const rows = parseNumber(values, 'rows', 5_000_000);
  const figures = await runUntilStopped(signal, benchSearch({ rows, cache, rivals, signal, onStep }));
  const bars = judge(figures);
  printFigures(invocation, { ...figures, bars }, () => renderFigures(figures) + renderBars(bars));
}

interface Bar {
  readonly name: string;
  readonly figure: number;
  readonly bar: string;
  readonly passed: boolean;
}

const WORD_CLASSES = ['1 word', '2 words', '3 words', 'frequent words'];

/** What we require at 5 M entities. */
function judge({ build, load, classes, mixed }: SearchFigures): Bar[] {
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
    ...classes
      .filter(({ name }) => WORD_CLASSES.includes(name))
      .flatMap(({ name, ours }) => [
        { name: `${name}: median, µs`, figure: ours.median, bar: '≤ 200', passed: ours.median <= 200 },
        { name: `${name}: 99th percentile, µs`, figure: ours.p99, bar: '≤ 5,000', passed: ours.p99 <= 5_000 },
      ]),
    { name: 'index bytes per entity', figure: bytes, bar: '≤ 250', passed: bytes <= 250 },
    atLeast('build from the store, entities per second', build.entities / build.seconds, 150_000),
    atLeast('loading the saved index, times as fast as building it', build.seconds / load.loadSeconds, 10),
  ];
}

function renderBars(bars: readonly Bar[]): string {
  const rows = bars.map(({ name, figure, bar, passed }) => [name, round(figure), bar, passed ? 'passed' : 'missed']);
  return `\n${renderTable(['BAR (for 5 M entities)', 'FIGURE', 'REQUIRED', 'RESULT'], rows)}`;
}

function renderFigures({ rows, build, load, classes, mixed, steps }: SearchFigures): string {
  const megabyte = 1024 * 1024;
  const index: [string, string | number][] = [
    ['entities', rows],
    ['build, seconds', round(build.seconds)],
    ['build, entities per second', Math.round(build.entities / build.seconds)],
    ['index, bytes per entity', round(build.bytes / build.entities)],
    ['index, MB', Math.round(build.bytes / megabyte)],
    ['saved file, MB', Math.round(build.fileBytes / megabyte)],
    ['save, seconds', round(build.saveSeconds)],
    ['load (file in the page cache), seconds', round(load.loadSeconds)],
    ['build time : load time', round(build.seconds / load.loadSeconds)],
    ['resident MB of the building process, peak', Math.round(build.peakMegabytes)],
    ['resident MB before loading', Math.round(load.megabytes.before)],
    ['resident MB after loading', Math.round(load.megabytes.loaded)],
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
    `\nMedian and 99th percentile over the queries of a class, with pages of 25; each query counts with the median of its\n` +
    `times. N is how many queries the other engine had time for; ratios are over those. All engines returned the same\n` +
    `totals and pages, except for words: rivals neither romanise nor rank as we do. 99th percentile of all single times, mixed: ${describeSingle(mixed)}.\nSteps: ${took.join(', ')}.\n`
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

/** Rounds to three significant digits. */
function round(figure: number): number {
  return figure >= 100 ? Math.round(figure) : Number(figure.toPrecision(3));
}
