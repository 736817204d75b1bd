import { provideData } from './data.ts';
import { measureAnswers, measureBuild } from './ours.ts';
import { provideListing, provideSqlite } from './sqlite.ts';

/** The worker processes of `bench search`. Each runs one task, given as JSON in the first argument, and prints the result. */
const { task, folder, rows } = JSON.parse(process.argv[2] ?? '{}');
const tasks: Readonly<Record<string, () => Promise<unknown>>> = {
  data: () => provideData(folder, rows, (done) => process.stderr.write(`data: ${done} of ${rows} rows\n`)),
  listing: () => provideListing(folder),
  sqlite: () => provideSqlite(folder),
  build: () => measureBuild(folder),
  ask: () => measureAnswers(folder, rows),
};
const result = await tasks[task]?.();
process.stdout.write(JSON.stringify(result ?? null));
