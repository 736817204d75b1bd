import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readConfig, readEnvironment } from '../base/config/config.ts';
import { backUpSqlite } from '../base/db/backup.ts';
import { formatCount } from '../base/format-count.ts';
import { type Command, CommandError, UsageError } from '../base/terminal/command.ts';

export const command: Command = {
  name: 'backup',
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
      process.stdout.write(`${name}  ${formatCount(bytes)} bytes\n`);
    }
    process.stdout.write(`Backed up to ${target}.\n`);
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
