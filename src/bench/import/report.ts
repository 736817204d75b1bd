import { join } from 'node:path';
import { readConfig, readEnvironment } from '../../config.ts';
import { registers } from '../../registers/index.ts';
import type { Invocation } from '../../terminal/command.ts';
import { renderTable } from '../../terminal/table.ts';
import { benchImport, type ImportMeasurement } from './bench.ts';

export async function runBenchImport({ values }: Invocation): Promise<void> {
  const measured: ImportMeasurement[] = [];
  await benchImport({
    registers: registers.filter(({ id }) => values.all || ['gb', 'no', 'md'].includes(id)),
    rows: ({ id }) => Number(values.rows ?? (id === 'gb' ? 1_000_000 : 300_000)),
    cache: join(readConfig(readEnvironment()).dataDir, 'bench'),
    databaseUrl: typeof values['database-url'] === 'string' ? values['database-url'] : undefined,
    onMeasured(measurement) {
      measured.push(measurement);
      if (!values.json)
        process.stderr.write(`${measurement.register} ${measurement.engine} ${measurement.run}: done\n`);
    },
  });
  process.stdout.write(values.json ? `${JSON.stringify(measured, null, 2)}\n` : renderMeasurements(measured));
}

/** Rows a second into SQLite that an import is to reach. */
const bars = { gb: 40_000, others: 20_000 };

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
  return rowsPerSecond >= (register === 'gb' ? bars.gb : bars.others) ? 'passed' : 'missed';
}
