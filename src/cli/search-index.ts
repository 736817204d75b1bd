import { formatCount } from '../base/format-count.ts';
import { type Command, CommandError } from '../base/terminal/command.ts';
import { print } from '../base/terminal/printable.ts';
import { createCountDisplay } from '../base/terminal/progress.ts';
import { open } from '../services/open.ts';

export const command: Command = {
  name: 'search-index',
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
    const { services } = opened;
    using display = createCountDisplay();
    await services.requireSchema();
    const { clickhouse } = services;
    if (clickhouse === undefined)
      throw new CommandError('The search index is only kept with SEARCH_ENGINE=clickhouse.');
    const text = 'Publishing companies';
    const show = (entities: number, of: number) => display.update({ text, done: entities, total: of });
    if (values.rebuild && !(await clickhouse.rebuild(show))) {
      throw new CommandError('Another server is publishing to ClickHouse: try again when it is done.');
    }
    display.end();
    const found = await clickhouse.readPublished();
    if (found === undefined) {
      print('Nothing is published: run "firmament search-index --rebuild", or start a server.\n');
    } else {
      const { version, entities, rows } = found;
      print(`Version ${version}: ${formatCount(entities)} companies in ${formatCount(rows)} rows.\n`);
    }
  },
};
