import type { Command } from '../terminal/command.ts';
import { open } from './open.ts';

export const migrate: Command = {
  name: 'migrate',
  summary: 'Bring the database schema up to date.',
  help: `
Applies the migrations that are missing, all or none, and exits. Safe to run twice and from several machines at once.
With DATABASE_URL run it before starting a new release; on SQLite "serve" does it by itself.`,
  async run() {
    const { services, close } = open();
    try {
      const applied = await services.migrate();
      process.stdout.write(applied.length === 0 ? 'The schema is up to date.\n' : `Applied ${applied.join(', ')}.\n`);
    } finally {
      await close();
    }
  },
};
