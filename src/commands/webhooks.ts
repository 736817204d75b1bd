import type { Services } from '../services/services.ts';
import { type Command, CommandError, type Invocation, UsageError } from '../terminal/command.ts';
import { describeUnknown } from '../terminal/invocation.ts';
import { renderTable } from '../terminal/table.ts';
import { findWidth } from '../terminal/width.ts';
import { open } from './open.ts';

export const webhooks: Command = {
  name: 'webhooks',
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
    const [action = '', id = '', ...rest] = invocation.positionals;
    if (action === '') throw new UsageError(`webhooks needs an action: ${ACTIONS.join(', ')}.`);
    if (!ACTIONS.includes(action)) throw new UsageError(describeUnknown('action', action, ACTIONS));
    const takesId = action !== 'list';
    if ((id !== '') !== takesId || rest.length > 0) {
      throw new UsageError(takesId ? `webhooks ${action} needs one endpoint id.` : 'webhooks list takes no arguments.');
    }
    await using opened = open();
    const { services } = opened;
    await services.requireSchema();
    if (action === 'list') await list(services, invocation);
    else if (action === 'disable') await disable(services, id);
    else await replay(services, id, invocation);
  },
};

const ACTIONS = ['list', 'disable', 'replay'];

async function list({ webhooks }: Services, { values }: Invocation): Promise<void> {
  const endpoints = await webhooks.listAll();
  if (values.json) return print(`${JSON.stringify(endpoints, null, 2)}\n`);
  if (endpoints.length === 0) return print('No endpoints.\n');
  const rows = endpoints.map(({ id, accountId, url, disabledReason }) => [
    id,
    accountId,
    disabledReason ?? 'enabled',
    url,
  ]);
  print(
    renderTable(['ENDPOINT', 'ACCOUNT', 'STATE', 'URL'], rows, { width: findWidth(process.stdout), omit: ['URL'] }),
  );
}

async function findEndpoint({ webhooks }: Services, id: string) {
  const found = await webhooks.findAny(id);
  if (found === undefined)
    throw new CommandError(`There is no endpoint ${id}: list them with "firmament webhooks list".`);
  return found;
}

async function disable(services: Services, id: string): Promise<void> {
  await findEndpoint(services, id);
  const isDone = await services.webhooks.disable(id);
  print(isDone ? `${id}: disabled\n` : `${id}: is disabled already\n`);
}

async function replay(services: Services, id: string, { values }: Invocation): Promise<void> {
  const { accountId, disabledReason } = await findEndpoint(services, id);
  await services.webhooks.replay(accountId, id, typeof values.cursor === 'string' ? values.cursor : undefined);
  const when =
    disabledReason === null ? 'the running server sends its events again' : 'its events are sent when it is enabled';
  print(`${id}: ${when}\n`);
}

function print(text: string): void {
  process.stdout.write(text);
}
