import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readConfig, readEnvironment } from '../base/config/config.ts';
import { backUpSqlite } from '../base/db/open.ts';
import { formatCount } from '../base/format-count.ts';
import { type Command, CommandError, UsageError } from '../base/terminal/command.ts';
import { createDisplay } from '../base/terminal/progress.ts';
import { print } from '../base/terminal/table.ts';
import { open } from '../services/open.ts';

export const migrate: Command = {
  help: `
Applies all missing migrations, or none if one fails, and exits. It is safe to run twice, or on several machines.
With DATABASE_URL, run it before you start a new release; with SQLite, "serve" does it automatically.`,
  examples: [['migrate', 'Update the schema of the configured databases.']],
  async run() {
    await using opened = open();
    const applied = await opened.services.migrate();
    print(applied.length === 0 ? 'The schema is up to date.\n' : `Applied ${applied.join(', ')}.\n`);
  },
};

export const backup: Command = {
  arguments: '<folder>',
  options: {
    'accounts-only': { type: 'boolean', description: 'Skip the registry, which can be imported again.' },
  },
  help: `
Copies accounts.db and registry.db from DATA_DIR to a new or empty folder while the service keeps running. Each file is
a consistent snapshot. To restore a backup, use the folder as DATA_DIR. The search index is not copied; it is rebuilt at
the first start. With DATABASE_URL, use pg_dump or base backups instead: see docs/operations.md.`,
  examples: [
    ['backup /backups/2026-11-16', 'Copy both stores.'],
    ['backup --accounts-only /backups/accounts', 'Copy what cannot be imported again.'],
  ],
  async run({ values, positionals }) {
    const [folder, ...others] = positionals;
    if (folder === undefined || others.length > 0) throw new UsageError('Name one folder: backup <folder>.');
    const { databaseUrl, dataDir } = readConfig(readEnvironment());
    if (databaseUrl !== undefined) {
      throw new CommandError(
        'The data is in PostgreSQL (DATABASE_URL): back it up with pg_dump or base backups, see docs/operations.md.',
      );
    }
    const target = resolve(folder);
    const names = values['accounts-only'] === true ? ['accounts.db'] : ['accounts.db', 'registry.db'];
    for (const name of names) {
      if (!existsSync(join(dataDir, name))) throw new CommandError(`DATA_DIR ${dataDir} has no ${name}.`);
      // An existing file may be the data itself, or the only other backup.
      if (existsSync(join(target, name)))
        throw new CommandError(`${target} already contains ${name}: choose another folder.`);
    }
    for (const name of names) {
      const bytes = await copyStore(join(dataDir, name), target, name);
      print(`${name}  ${formatCount(bytes)} bytes\n`);
    }
    print(`Backed up to ${target}.\n`);
  },
};

async function copyStore(file: string, folder: string, name: string): Promise<number> {
  try {
    // The file contains personal data: readable by its owner only.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return await backUpSqlite(file, join(folder, name));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new CommandError(`Cannot copy ${name} to ${folder}: ${error.message}`);
  }
}

export const searchIndex: Command = {
  options: { rebuild: { type: 'boolean', description: 'Publish all companies again, in a new table.' } },
  help: `
Only with SEARCH_ENGINE=clickhouse; the index in memory is built by the servers. Shows which version of the data is
searched. With --rebuild it writes all companies to a new table and then searches that one; searches continue meanwhile. Use it
before you start a release that needs a new index, and after a node has lost its data.`,
  examples: [
    ['search-index', 'Show what is searched.'],
    ['search-index --rebuild', 'Publish all companies again.'],
  ],
  async run({ values }) {
    await using opened = open();
    const { clickhouse, requireSchema } = opened.services;
    using display = createDisplay();
    await requireSchema();
    if (clickhouse === undefined)
      throw new CommandError('The search index is only kept with SEARCH_ENGINE=clickhouse.');
    const show = (done: number, total: number) =>
      display.update({ text: 'Publishing companies', done, total, unit: 'companies' });
    if (values.rebuild && !(await clickhouse.rebuild(show))) {
      throw new CommandError('Another server is publishing to ClickHouse: try again when it is done.');
    }
    display.end();
    const found = await clickhouse.readPublished();
    print(
      found === undefined
        ? 'Nothing is published: run "firmament search-index --rebuild", or start a server.\n'
        : `Version ${found.version}: ${formatCount(found.entities)} companies in ${formatCount(found.rows)} rows.\n`,
    );
  },
};
