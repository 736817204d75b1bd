import type { Change, ChangeQuery } from '../index.ts';
import { type Command, FILTERS, JSON_OPTION, readLimit, type Terminal, UsageError } from './command.ts';
import { connect } from './connect.ts';
import { openCursorFile } from './cursor-file.ts';
import { followPatiently } from './follow.ts';
import { createTable } from './table.ts';
import { printableJson } from './text.ts';

const DEFAULT_LIMIT = 100;
const MAX_PAGE_SIZE = 1000;

const COLUMNS = [
  { title: 'TIME', width: 16 },
  { title: 'CURSOR', width: 19 },
  { title: 'COUNTRY' },
  { title: 'TYPE', width: 8 },
  { title: 'ID', width: 36 },
  { title: 'NAME', width: 40, canCut: true },
];
const OMIT = ['ID', 'CURSOR', 'TIME', 'COUNTRY'];

export const changesCommand: Command = {
  name: 'changes',
  summary: 'List what imports have changed, and follow what they change next.',
  options: {
    follow: { type: 'boolean', description: 'Go on and print changes as they happen, until Ctrl+C.' },
    cursor: {
      type: 'string',
      description:
        'Start after this cursor; "oldest" and "now" are possible, too. Default: now with --follow, otherwise oldest.',
    },
    'cursor-file': {
      type: 'string',
      description:
        'Start after the cursor in this file if it exists, and write the cursor of every change to it once it is printed.',
    },
    ...FILTERS,
    type: { type: 'string', description: 'Only this type: added, changed, delisted, relisted or loaded.' },
    limit: {
      type: 'string',
      description: `Print at most this many changes. Default: ${DEFAULT_LIMIT}, or no limit with --follow`,
    },
    all: { type: 'boolean', description: 'Print all changes up to the present.' },
    ...JSON_OPTION,
  },
  help:
    'Prints changes, the oldest first. With --json it prints one object per line. Each change has a cursor: with it, the next run ' +
    'continues with the next change.\n\n' +
    'With --cursor-file no change is missed, even if the program is killed. The change that was just printed may then be printed again.',
  examples: [
    ['changes --follow', 'Print changes as they happen.'],
    ['changes --follow --cursor-file gb.cursor --country gb', 'Changes of British companies, across restarts.'],
    ['changes --limit 10', 'The oldest ten changes that are kept.'],
  ],
  async run(invocation, terminal) {
    const { values, flags } = invocation;
    const isFollowing = flags.has('follow');
    if (isFollowing && flags.has('all')) throw new UsageError('--follow has no end: leave out --all.');
    const limit = readLimit(invocation, isFollowing ? Number.POSITIVE_INFINITY : DEFAULT_LIMIT);
    const file = values['cursor-file'] === undefined ? undefined : openCursorFile(values['cursor-file']);
    const client = connect(terminal);
    const start = file?.cursor ?? values.cursor ?? (isFollowing ? 'now' : 'oldest');
    let position = start === 'oldest' ? undefined : start;
    const keep = (cursor: string) => {
      if (cursor === position) return;
      position = cursor;
      file?.write(cursor);
    };
    const printer = createPrinter(terminal, flags.has('json'));
    if (start === 'now') {
      keep(await client.changes.now({ signal: terminal.signal }));
      await printer.begin();
    }
    const query: ChangeQuery = {
      cursor: position,
      country: values.country,
      register: values.register,
      // The service says which types it knows.
      type: values.type as ChangeQuery['type'],
      limit: Math.min(limit, MAX_PAGE_SIZE),
    };
    let shown = 0;
    try {
      const { changes } = client;
      const options = { signal: terminal.signal };
      const pages = isFollowing
        ? followPatiently(changes, query, options, terminal.note)
        : changes.followPages({ ...query, wait: 0 }, options);
      for await (const { data, meta } of pages) {
        await printer.begin();
        for (const change of data) {
          await printer.print(change);
          keep(change.cursor);
          if (++shown >= limit) return;
        }
        // Advances although nothing passes the filters.
        keep(meta.nextCursor);
        if (!isFollowing && !meta.hasMore) return;
      }
    } finally {
      if (printer.hasBegun() && file === undefined) terminal.note(`To continue from here: --cursor ${position}`);
    }
  },
};

/** Prints the header once the service has answered. */
function createPrinter(terminal: Terminal, isJson: boolean) {
  const table = isJson ? undefined : createTable(terminal, COLUMNS, [], OMIT);
  let hasBegun = false;
  return {
    hasBegun: () => hasBegun,
    async begin() {
      if (!hasBegun && table) await terminal.print(table.header);
      hasBegun = true;
    },
    print: (change: Change) => terminal.print(table ? table.renderRow(listCells(change)) : printableJson(change)),
  };
}

function listCells(change: Change): (string | null)[] {
  const { occurredAt, cursor, countryCode, type, entityId } = change;
  return [occurredAt.slice(0, 16).replace('T', ' '), cursor, countryCode, type, entityId, describe(change)];
}

/** The name, and what changed about name and status. */
function describe({ before, after, register }: Change): string {
  const last = after ?? before;
  if (last === null) return `register ${register}`;
  if (before === null || after === null) return last.canonicalName;
  const name =
    before.canonicalName === after.canonicalName
      ? last.canonicalName
      : `${before.canonicalName} → ${after.canonicalName}`;
  return before.status === after.status ? name : `${name} (${before.status} → ${after.status})`;
}
