import type { Command } from '../base/terminal/command.ts';
import { open } from '../services/open.ts';

export const command: Command = {
  name: 'migrate',
  help: `
Applies all missing migrations, or none if one fails, and exits. It is safe to run twice, or on several machines.
With DATABASE_URL, run it before you start a new release; with SQLite, "serve" does it automatically.`,
  examples: [['migrate', 'Update the schema of the configured databases.']],
  async run() {
    await using opened = open();
    const applied = await opened.services.migrate();
    process.stdout.write(applied.length === 0 ? 'The schema is up to date.\n' : `Applied ${applied.join(', ')}.\n`);
  },
};
