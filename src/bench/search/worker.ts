import { provideData } from './data.ts';
import { measureAnswers, measureBuild } from './ours.ts';
import { provideListing, provideSqlite } from './sqlite.ts';

/** The processes of `bench search`: one task, told as JSON in the first argument, answered on stdout. */
const { task, folder, rows, version } = JSON.parse(process.argv[2] ?? '{}');
const tasks: Readonly<Record<string, () => Promise<unknown>>> = {
  data: () => provideData(folder, rows, (done) => process.stderr.write(`data: ${done} of ${rows} rows\n`)),
  listing: () => provideListing(folder),
  sqlite: () => provideSqlite(folder),
  build: () => measureBuild(folder),
  ask: () => measureAnswers(folder, rows, version),
};
const result = await tasks[task]?.();
process.stdout.write(JSON.stringify(result ?? null));
