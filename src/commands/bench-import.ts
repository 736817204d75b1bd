import { join } from 'node:path';
import { benchImport, type ImportMeasurement } from '../bench/import.ts';
import { readConfig, readEnvironment } from '../config.ts';
import { registers } from '../registers/index.ts';
import type { Invocation } from './command.ts';
import { renderTable } from './table.ts';

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

function renderMeasurements(measured: readonly ImportMeasurement[]): string {
  return renderTable(
    ['REGISTER', 'ENGINE', 'RUN', 'ROWS', 'FILE MB', 'SECONDS', 'ROWS/S', 'PEAK MB', 'WRITTEN'],
    measured.map(({ register, engine, run, rows, megabytes, seconds, rowsPerSecond, peakMegabytes, written }) => [
      register,
      engine,
      run,
      rows,
      Math.round(megabytes),
      Number(seconds.toFixed(1)),
      rowsPerSecond,
      peakMegabytes,
      written,
    ]),
  );
}
