import { formatCount } from '../../src/base/format-count.ts';
import { type Invocation, parseNumber } from '../../src/base/terminal/command.ts';
import { renderTable } from '../../src/base/terminal/table.ts';
import { describeUncharged, printFigures, readLoadOptions, runUntilStopped } from '../reporting.ts';
import { benchScale, type ScaleFigures } from './bench.ts';

/** What we require of two threads: requests per second relative to one thread. */
const REQUIRED = 1.7;

export async function runBenchScale(invocation: Invocation): Promise<void> {
  const options = {
    ...readLoadOptions(invocation, { rounds: 7, keys: 3_000 }),
    workers: parseNumber(invocation.values, 'workers', 2),
  };
  printFigures(invocation, await runUntilStopped(invocation.signal, benchScale(options)), renderFigures);
}

function renderFigures({ rows, connections, turnMs, measurements }: ScaleFigures): string {
  const lines = measurements.flatMap(({ engine, endpoint, sides, ratio, ratios }) =>
    sides.map(({ workers, perSecond, cpu, gc }, at) => [
      engine,
      endpoint,
      workers,
      Math.round(perSecond),
      cpu === null ? '?' : cpu.toFixed(2),
      cpu === null ? '?' : ((1e6 * cpu) / perSecond).toFixed(1),
      ((1e6 * gc) / perSecond).toFixed(1),
      at === 0 ? '' : ratio.toFixed(2),
      at === 0 ? '' : `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
      at === 0 || workers !== 2 ? '' : ratio >= REQUIRED ? 'passed' : 'missed',
    ]),
  );
  const header = ['ENGINE', 'ENDPOINT', 'WORKERS', 'REQUESTS/S', 'CORES USED', 'µS EACH', 'OF IT GC', 'RATIO', 'RANGE'];
  return (
    `${renderTable([...header, `BAR ≥ ${REQUIRED}`], lines)}\n` +
    `${formatCount(rows)} entities, ${connections} connections; medians of ${measurements[0]?.ratios.length} rounds. Server and load ` +
    `take turns of ${turnMs} ms\nand never run at the same time. Only the seconds in which the server ran are counted. Cores that it ` +
    `did not use were\ntaken by other work, including PostgreSQL, or it was waiting. GC is garbage collection: the more requests wait in ` +
    `one thread, the\nmore it copies, so with several threads a request may cost less of it. All answers were 200.\n${describeUncharged(measurements)}`
  );
}
