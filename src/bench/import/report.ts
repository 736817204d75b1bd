import { registers } from '../../registers/index.ts';
import { type Invocation, readNumber } from '../../terminal/command.ts';
import { renderTable } from '../../terminal/table.ts';
import { printFigures, readBenchOptions, runUntilStopped } from '../reporting.ts';
import { benchImport, type ImportMeasurement } from './bench.ts';

const DEFAULT_REGISTERS = ['gb', 'no', 'md'];

export async function runBenchImport(invocation: Invocation): Promise<void> {
  const { values, signal } = invocation;
  const { cache, databaseUrl, onStep } = readBenchOptions(invocation);
  const measured: ImportMeasurement[] = [];
  const work = benchImport({
    registers: registers.filter(({ id }) => values.all || DEFAULT_REGISTERS.includes(id)),
    rows: ({ id }) => readNumber(values, 'rows', id === 'gb' ? 1_000_000 : 300_000),
    cache,
    databaseUrl,
    onMeasured(measurement) {
      measured.push(measurement);
      onStep(`${measurement.register} ${measurement.engine} ${measurement.run}: done`);
    },
  });
  await runUntilStopped(signal, work);
  printFigures(invocation, measured, renderMeasurements);
}

/** What we require of an import into SQLite, in rows per second. */
const REQUIRED = { gb: 40_000, others: 20_000 };

function renderMeasurements(measured: readonly ImportMeasurement[]): string {
  return renderTable(
    ['REGISTER', 'ENGINE', 'RUN', 'ROWS', 'COMPANIES', 'MB', 'SECONDS', 'ROWS/S', 'BAR', 'PEAK MB', 'WRITTEN'],
    measured.map((each) => [
      each.register,
      each.engine,
      each.run,
      each.rows,
      each.records,
      Math.round(each.megabytes),
      Number(each.seconds.toFixed(1)),
      each.rowsPerSecond,
      judge(each),
      each.peakMegabytes,
      each.written,
    ]),
  );
}

function judge({ register, engine, rowsPerSecond }: ImportMeasurement): string {
  if (engine !== 'sqlite') return '';
  return rowsPerSecond >= (register === 'gb' ? REQUIRED.gb : REQUIRED.others) ? 'passed' : 'missed';
}
