import type { Change, ChangePage, ChangeQuery, Client } from '../index.ts';
import { DeadlineExceeded } from '../index.ts';
import { isTransient, sleep } from '../retries.ts';
import { type Command, FILTERS, JSON_OPTION, readLimit, type Terminal, UsageError } from './command.ts';
import { connect } from './connect.ts';
import { openCursorFile } from './cursor-file.ts';
import { createTable } from './table.ts';
import { printableJson } from './text.ts';

const DEFAULT_LIMIT = 100;
const MAX_PAGE_SIZE = 1000;
/** Between attempts while the service is away. */
const AWAY_MS = 5_000;

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
    const table = flags.has('json') ? undefined : createTable(terminal, COLUMNS, [], OMIT);
    if (start === 'now') keep(await client.changes.now({ signal: terminal.signal }));
    if (table) await terminal.print(table.header);
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
      for await (const { data, meta } of readPages(client, query, terminal, isFollowing)) {
        for (const change of data) {
          await terminal.print(table ? table.renderRow(listCells(change)) : printableJson(change));
          keep(change.cursor);
          if (++shown >= limit) return;
        }
        // Advances although nothing passes the filters.
        keep(meta.nextCursor);
        if (!isFollowing && !meta.hasMore) return;
      }
    } finally {
      if (position !== undefined && file === undefined) terminal.note(`To continue from here: --cursor ${position}`);
    }
  },
};

/** Pages up to the present, or without end: then a service that is away for a while, such as for an update, is waited for. */
async function* readPages(
  client: Client,
  query: ChangeQuery,
  { signal, note }: Terminal,
  isFollowing: boolean,
): AsyncGenerator<ChangePage, void, undefined> {
  let { cursor } = query;
  let hasReplied = false;
  let isAway = false;
  for (;;) {
    try {
      const wait = isFollowing ? undefined : 0;
      for await (const page of client.changes.followPages({ ...query, cursor, wait }, { signal })) {
        cursor = page.meta.nextCursor;
        hasReplied = true;
        isAway = false;
        yield page;
      }
    } catch (error) {
      const isTemporary = isTransient(error) || error instanceof DeadlineExceeded;
      if (!isFollowing || !hasReplied || !isTemporary) throw error;
      if (!isAway) note('The service does not answer. Waiting for it; Ctrl+C stops.');
      isAway = true;
      await sleep(AWAY_MS, signal);
    }
  }
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
