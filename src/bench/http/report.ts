import { join } from 'node:path';
import { readConfig, readEnvironment } from '../../config.ts';
import { CommandError, type Invocation, readCount } from '../../terminal/command.ts';
import { formatCount, renderTable } from '../../terminal/table.ts';
import { benchHttp, type HttpFigures, type HttpMeasurement } from './bench.ts';

export async function runBenchHttp({ values, signal }: Invocation): Promise<void> {
  const started = performance.now();
  const environment = readEnvironment();
  const text = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined);
  const figures = await benchHttp({
    rows: Number(values.rows ?? 1_000_000),
    cache: join(readConfig(environment).dataDir, 'bench'),
    engines: values['no-postgres'] ? ['sqlite'] : ['sqlite', 'postgres'],
    databaseUrl: text('database-url'),
    seconds: readCount('seconds', text('seconds'), 3),
    rounds: readCount('rounds', text('rounds'), 5),
    keys: readCount('keys', text('keys'), 2_000),
    path: environment.PATH ?? '',
    profile: text('profile'),
    signal,
    onStep: (step) =>
      process.stderr.write(`${((performance.now() - started) / 1000).toFixed(0).padStart(4)} s  ${step}\n`),
  }).catch((error: unknown) => {
    throw signal.aborted ? new CommandError('Stopped. What is complete is kept for the next run.') : error;
  });
  const bars = judge(figures.measurements);
  process.stdout.write(
    values.json ? `${JSON.stringify({ ...figures, bars }, null, 2)}\n` : renderFigures(figures) + renderBars(bars),
  );
}

interface Bar {
  readonly name: string;
  readonly percent: number;
  readonly asked: number;
  readonly passed: boolean;
}

/** What the design asks for, of 1 M entities; of details on either engine the same. */
const ASKED = {
  sqlite: { search: 55, detail: 45, countries: undefined },
  postgres: { search: 35, detail: 45, countries: undefined },
} as const;

function judge(measurements: readonly HttpMeasurement[]): Bar[] {
  return measurements.flatMap((measurement) => {
    const { engine, endpoint, ratio } = measurement;
    const asked = ASKED[engine][endpoint];
    if (asked === undefined) return [];
    const percent = 100 * ratio;
    return [{ name: `${endpoint}, ${engine}`, percent, asked, passed: percent >= asked && isMetered(measurement) }];
  });
}

/** An answer that was not charged was cheaper than it should be. */
function isMetered({ answers, charged }: HttpMeasurement): boolean {
  return answers === charged;
}

function renderBars(bars: readonly Bar[]): string {
  const rows = bars.map(({ name, percent, asked, passed }) => [
    name,
    `${percent.toFixed(1)} %`,
    `≥ ${asked} %`,
    passed ? 'passed' : 'missed',
  ]);
  return `\n${renderTable(['BAR (for 1 M entities)', 'RATIO', 'ASKED', 'RESULT'], rows)}`;
}

function renderFigures({ rows, keys, connections, seconds, cores, measurements }: HttpFigures): string {
  const sides = measurements.flatMap((measurement) => {
    const { engine, endpoint, bytes, ratio, ratios } = measurement;
    return (['ours', 'bare'] as const).map((side) => {
      const { perSecond, p50Ms, p99Ms, serverCpu, loadCpu } = measurement[side];
      const spread = `${percent(Math.min(...ratios))}–${percent(Math.max(...ratios))} %`;
      return [
        engine,
        endpoint,
        side === 'ours' ? 'firmament' : 'node:http',
        bytes,
        Math.round(perSecond),
        p50Ms.toFixed(2),
        p99Ms.toFixed(2),
        serverCpu === null ? '?' : `${percent(serverCpu)} %`,
        serverCpu === null ? '?' : ((1e6 * serverCpu) / perSecond).toFixed(1),
        `${percent(loadCpu)} %`,
        side === 'ours' ? `${(100 * ratio).toFixed(1)} %` : '',
        side === 'ours' ? spread : '',
      ];
    });
  });
  const header = [
    'ENGINE',
    'ENDPOINT',
    'SERVER',
    'BYTES',
    'REQUESTS/S',
    'P50 MS',
    'P99 MS',
    'ITS CPU',
    'µS EACH',
    'LOAD CPU',
  ];
  const held =
    cores === null
      ? 'Nothing was held to a core: taskset is missing, or there is only one.'
      : `Servers on core ${cores.server}, load on core ${cores.load}, a PostgreSQL of ours on ${cores.others}.`;
  const unmetered = measurements.filter((measurement) => !isMetered(measurement)).map(describeUncharged);
  return (
    `${renderTable([...header, 'RATIO', 'FROM–TO'], sides)}\n` +
    `${formatCount(rows)} entities, ${formatCount(keys)} keys, ${connections} connections; medians of ${measurements[0]?.ratios.length} ` +
    `rounds of ${seconds} s, both servers in turn.\n${held} All answers were 200.\n${unmetered.join('')}`
  );
}

function describeUncharged({ engine, endpoint, answers, charged }: HttpMeasurement): string {
  return `Not metered: of ${formatCount(answers)} answers of ${endpoint} on ${engine} ${formatCount(charged)} were charged.\n`;
}

function percent(share: number): string {
  return (100 * share).toFixed(0);
}
