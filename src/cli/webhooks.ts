import { type Command, CommandError, type Invocation, parseAction } from '../base/terminal/command.ts';
import { print, printableJson, renderTable } from '../base/terminal/table.ts';
import { open } from '../services/open.ts';
import type { Services } from '../services/services.ts';

export const command: Command = {
  arguments: 'list | disable <endpoint id> | replay <endpoint id>',
  options: {
    cursor: { type: 'string', description: 'replay: send the events after this cursor (default: all that are kept).' },
    json: { type: 'boolean', description: 'list: print JSON.' },
  },
  help: `
webhooks list shows the endpoints of all accounts, oldest first. A disabled one says why: owner or operator disabled it, the
receiver answered 410 (gone), or ten attempts to deliver an event failed (failing).

webhooks disable stops sending to an endpoint. Its owner sees that an operator did it, and can enable it again; nothing is lost.

webhooks replay lets the running server send the events after a cursor again, with the same ids.`,
  examples: [
    ['webhooks list', 'List all endpoints.'],
    ['webhooks disable 5a9bb1a6-…', 'Stop sending to this one.'],
  ],
  async run(invocation) {
    const { action, argument: id } = parseAction('webhooks', invocation.positionals, ACTIONS);
    await using opened = open();
    const { services } = opened;
    await services.requireSchema();
    if (action === 'list') return list(services, invocation);
    const found = (await services.webhooks.listAll()).find((each) => each.id === id);
    if (found === undefined) {
      throw new CommandError(`There is no endpoint ${id}: list them with "firmament webhooks list".`);
    }
    if (action === 'disable') {
      const isDone = await services.webhooks.disable(id);
      return print(isDone ? `${id}: disabled\n` : `${id}: is disabled already\n`);
    }
    const { cursor } = invocation.values;
    await services.webhooks.replay(found.accountId, id, typeof cursor === 'string' ? cursor : undefined);
    const isEnabled = found.disabledReason === null;
    print(
      `${id}: ${isEnabled ? 'the running server sends its events again' : 'its events are sent when it is enabled'}\n`,
    );
  },
};

const ACTIONS = { list: null, disable: 'endpoint id', replay: 'endpoint id' };

async function list({ webhooks }: Services, { values }: Invocation): Promise<void> {
  const endpoints = await webhooks.listAll();
  if (values.json) return print(printableJson(endpoints));
  if (endpoints.length === 0) return print('No endpoints.\n');
  const rows = endpoints.map(({ id, accountId, url, disabledReason: state }) => [
    id,
    accountId,
    state ?? 'enabled',
    url,
  ]);
  print(renderTable(['ENDPOINT', 'ACCOUNT', 'STATE', 'URL'], rows, { omit: ['URL'] }));
}
