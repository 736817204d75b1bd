import { formatCount } from '../../src/base/format-count.ts';
import { type Invocation, parseNumber, UsageError } from '../../src/base/terminal/command.ts';
import { renderTable } from '../../src/base/terminal/table.ts';
import type { Register } from '../../src/registers/contract.ts';
import { registers } from '../../src/registers/index.ts';
import {
  printFigures,
  type RenderedBar,
  readBenchOptions,
  readText,
  renderBars,
  runUntilStopped,
} from '../reporting.ts';
import { benchImport, type ImportMeasurement } from './bench.ts';

/** The registers that take the most time per row. */
const DEFAULT_REGISTERS = 'gb,md,gleif,fi,ua';

export async function runBenchImport(invocation: Invocation): Promise<void> {
  const { values, signal } = invocation;
  const { cache, databaseUrl, onStep } = readBenchOptions(invocation);
  const measurements: ImportMeasurement[] = [];
  const work = benchImport({
    registers: values.all ? registers : findRegisters(readText(values, 'registers') ?? DEFAULT_REGISTERS),
    rows: ({ id }) => parseNumber(values, 'rows', id === 'gb' ? 1_000_000 : 300_000),
    cache,
    databaseUrl,
    onMeasured(measurement) {
      measurements.push(measurement);
      onStep(`${measurement.register} ${measurement.engine} ${measurement.run}: done`);
    },
  });
  await runUntilStopped(signal, work);
  const bars = judge(measurements);
  printFigures(
    invocation,
    { measurements, bars },
    () => renderMeasurements(measurements) + renderBars('BAR (first import)', 'ROWS/S', bars.map(toText)),
  );
}

function findRegisters(ids: string): Register[] {
  return ids.split(',').map((id) => {
    const register = registers.find((one) => one.id === id.trim());
    if (register === undefined) throw new UsageError(`--registers: there is no register "${id}".`);
    return register;
  });
}

export interface ImportBar {
  readonly name: string;
  readonly rowsPerSecond: number;
  readonly required: number;
  readonly passed: boolean;
}

/** What we require of the first import into SQLite on two cores, in rows per second. */
const REQUIRED = { gb: 40_000, others: 20_000, parties: 25_000 };

function judge(measurements: readonly ImportMeasurement[]): ImportBar[] {
  return measurements
    .filter(({ engine, run }) => engine === 'sqlite' && run === 'first')
    .map(({ register, engine, rowsPerSecond }) => {
      const others = register.includes(' ') ? REQUIRED.parties : REQUIRED.others;
      const required = register === 'gb' ? REQUIRED.gb : others;
      return { name: `${register}, ${engine}`, rowsPerSecond, required, passed: rowsPerSecond >= required };
    });
}

function toText({ name, rowsPerSecond, required, passed }: ImportBar): RenderedBar {
  return { name, measured: formatCount(rowsPerSecond), required: formatCount(required), passed };
}

function renderMeasurements(measured: readonly ImportMeasurement[]): string {
  return renderTable(
    ['REGISTER', 'ENGINE', 'RUN', 'ROWS', 'COMPANIES', 'MB', 'SECONDS', 'ROWS/S', 'CPU µs', 'PEAK MB', 'WRITTEN'],
    measured.map((each) => [
      each.register,
      each.engine,
      each.run,
      each.rows,
      each.records,
      Math.round(each.megabytes),
      Number(each.seconds.toFixed(1)),
      each.rowsPerSecond,
      Number(each.cpuMicros.toFixed(1)),
      each.peakMegabytes,
      each.written,
    ]),
  );
}
