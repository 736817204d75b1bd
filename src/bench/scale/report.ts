import { join } from 'node:path';
import { readConfig, readEnvironment } from '../../config.ts';
import { CommandError, type Invocation, readCount } from '../../terminal/command.ts';
import { formatCount, renderTable } from '../../terminal/table.ts';
import { benchScale, type ScaleFigures, type ScaleMeasurement } from './bench.ts';

/** What the issue asks of two threads. */
const ASKED = 1.7;

export async function runBenchScale({ values, signal }: Invocation): Promise<void> {
  const started = performance.now();
  const environment = readEnvironment();
  const text = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined);
  const figures = await benchScale({
    rows: Number(values.rows ?? 1_000_000),
    cache: join(readConfig(environment).dataDir, 'bench'),
    engines: values['no-postgres'] ? ['sqlite'] : ['sqlite', 'postgres'],
    databaseUrl: text('database-url'),
    workers: readCount('workers', text('workers'), 2),
    seconds: readCount('seconds', text('seconds'), 3),
    rounds: readCount('rounds', text('rounds'), 7),
    keys: readCount('keys', text('keys'), 3_000),
    path: environment.PATH ?? '',
    signal,
    onStep: (step) =>
      process.stderr.write(`${((performance.now() - started) / 1000).toFixed(0).padStart(4)} s  ${step}\n`),
  }).catch((error: unknown) => {
    throw signal.aborted ? new CommandError('Stopped. What is complete is kept for the next run.') : error;
  });
  process.stdout.write(values.json ? `${JSON.stringify(figures, null, 2)}\n` : renderFigures(figures));
}

function renderFigures({ rows, connections, turnMs, measurements }: ScaleFigures): string {
  const lines = measurements.flatMap(({ engine, endpoint, sides, ratio, ratios }) =>
    sides.map(({ workers, perSecond, cpu }, at) => [
      engine,
      endpoint,
      workers,
      Math.round(perSecond),
      cpu === null ? '?' : cpu.toFixed(2),
      cpu === null ? '?' : ((1e6 * cpu) / perSecond).toFixed(1),
      at === 0 ? '' : ratio.toFixed(2),
      at === 0 ? '' : `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
      at === 0 || workers !== 2 ? '' : ratio >= ASKED ? 'passed' : 'missed',
    ]),
  );
  const header = ['ENGINE', 'ENDPOINT', 'WORKERS', 'REQUESTS/S', 'CORES USED', 'µS EACH', 'RATIO', 'FROM–TO'];
  const uncharged = measurements.filter(({ answers, charged }) => answers !== charged).map(describeUncharged);
  return (
    `${renderTable([...header, `BAR ≥ ${ASKED}`], lines)}\n` +
    `${formatCount(rows)} entities, ${connections} connections; medians of ${measurements[0]?.ratios.length} rounds, in turn. Server and ` +
    `load ran in turns of\n${turnMs} ms, never together; a second is one in which the server ran. Cores that it did not use ` +
    `were taken by other\nwork, also by PostgreSQL, or it waited. All answers were 200.\n${uncharged.join('')}`
  );
}

function describeUncharged({ engine, endpoint, answers, charged }: ScaleMeasurement): string {
  return `Not metered: of ${formatCount(answers)} answers of ${endpoint} on ${engine} ${formatCount(charged)} were charged.\n`;
}
