import type { Change } from '../../src/journal/feed/change.ts';
import { readGeneration, readStart } from '../../src/journal/feed/cursor.ts';
import type { ChangeFeed } from '../../src/journal/feed/feed.ts';
import { isReported, type MonitorType, type Scope } from '../../src/monitors/monitor.ts';

/** What a list of companies must report, computed from the journal. */

/** What a monitor was after a place of the journal, by the replies to the requests that changed it. */
export interface MonitorState {
  readonly from: string;
  readonly entities: ReadonlySet<string>;
  readonly scope: Scope;
}

export function isAfter(a: string, b: string): boolean {
  const [first, second] = [readStart(a), readStart(b)];
  return (readGeneration(first.version) - readGeneration(second.version) || first.seen - second.seen) > 0;
}

export function expectChanges(states: readonly MonitorState[], journal: readonly Change[]): Change[] {
  return journal.filter((change) => {
    const state = states.findLast(({ from }) => isAfter(change.cursor, from));
    if (state === undefined || !state.entities.has(change.entityId ?? '')) return false;
    return isReported(state.scope, change.type as MonitorType, change);
  });
}

const ALL = { country: null, register: null, type: null };

export async function readJournal(feed: Pick<ChangeFeed, 'readPage'>): Promise<Change[]> {
  const all: Change[] = [];
  for (let cursor: string | undefined, more = true; more; ) {
    const { data, meta } = await feed.readPage({ cursor, filter: ALL, limit: 1_000 });
    all.push(...data);
    [cursor, more] = [meta.nextCursor, meta.hasMore];
  }
  return all;
}
