import { join } from 'node:path';
import { benchImport, type ImportMeasurement } from '../bench/import.ts';
import { readConfig, readEnvironment } from '../config.ts';
import { registers } from '../registers/index.ts';
import { type Command, UsageError } from './command.ts';
import { renderTable } from './table.ts';

export const bench: Command = {
  name: 'bench',
  summary: 'Measure: import.',
  arguments: '<name>',
  options: {
    rows: { type: 'string', description: 'Rows of each file (default: 1000000 for gb, 300000 for others).' },
    all: { type: 'boolean', description: 'Every register, not only gb, no and md.' },
    'database-url': { type: 'string', description: 'Measure PostgreSQL too. Its registry tables are emptied!' },
    json: { type: 'boolean', description: 'Print the figures as JSON.' },
  },
  help: `
bench import: imports a generated file of each register into an empty store, then once more with 1 % of the companies
changed; prints rows a second and the peak memory of the importing process. Generated files are kept in DATA_DIR/bench.`,
  async run({ values, positionals }) {
    if (positionals.length !== 1 || positionals[0] !== 'import') throw new UsageError('bench needs a name: import.');
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
  },
};

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
