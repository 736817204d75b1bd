import { type Command, JSON_OPTION, UsageError } from './command.ts';
import { connect } from './connect.ts';
import { renderRecord } from './record.ts';
import { printableJson } from './text.ts';

export const getCommand: Command = {
  name: 'get',
  summary: 'Show the record of a company.',
  arguments: '<id>',
  options: { json: { ...JSON_OPTION.json, description: 'The complete record as JSON.' } },
  help:
    'Shows the main fields of a record and the file they come from. With --json it prints the complete record, with every field ' +
    'of the source. "search" prints ids.',
  examples: [
    ['get d5563039-853c-5a0c-a623-fa282b839bef', 'Show this company.'],
    ['get d5563039-853c-5a0c-a623-fa282b839bef --json', 'The complete record.'],
  ],
  async run({ positionals, flags }, terminal) {
    const [id, more] = positionals;
    if (id === undefined || more !== undefined) throw new UsageError('get needs one id, which "search" prints.');
    const record = await connect(terminal).entities.get(id, { signal: terminal.signal });
    await terminal.print(flags.has('json') ? printableJson(record, 2) : renderRecord(record, terminal));
  },
};
