import type { Change } from '../journal/feed/change.ts';
import type { ChangeHead } from '../journal/feed/heads.ts';
import type { NewEvent } from './events/store.ts';
import { counts, type MonitorType, type Watching } from './monitor.ts';
import type { Watchers } from './store.ts';

/** What a change means for monitors. */
export interface Compared {
  readonly events: readonly NewEvent[];
  /** The companies that begin or cease to match a saved search. */
  readonly moves: readonly Move[];
}

export interface Move {
  readonly entityId: string;
  readonly monitor: number;
  readonly isMember: boolean;
}

/** Which monitors may report a change. */
export interface Concerned {
  readonly monitors: ReadonlyMap<number, Watching>;
  /** The monitors that have the companies before the first change. */
  readonly watchers: Watchers;
  /** The saved searches that each company matches now. */
  readonly matching: ReadonlyMap<string, ReadonlySet<number>>;
}

/** Compares changes with monitors, in order. `details` are the changes of which monitors need more than the head. */
export function compareChanges(
  changes: readonly ChangeHead[],
  { monitors, watchers, matching }: Concerned,
  details: ReadonlyMap<ChangeHead, Change>,
): Compared {
  /** Of companies that have moved. */
  const members = new Map<string, readonly number[]>();
  const events: NewEvent[] = [];
  const moves: Move[] = [];
  for (const change of changes) {
    const { entityId, source, position } = change;
    const { generation, publishedAt } = source;
    if (entityId === null) continue;
    const before = members.get(entityId) ?? watchers.get(entityId) ?? [];
    const now = matching.get(entityId) ?? NONE;
    for (const number of listConcerned(before, now)) {
      const monitor = monitors.get(number);
      if (monitor === undefined || generation <= monitor.since) continue;
      const was = before.includes(number);
      const is = monitor.search === null ? was : now.has(number);
      if (was !== is) {
        moves.push({ entityId, monitor: number, isMember: is });
        const others = (members.get(entityId) ?? before).filter((each) => each !== number);
        members.set(entityId, is ? [...others, number] : others);
      }
      const type = was === is ? null : is ? 'entered' : 'left';
      if (!(was || is) || !counts(monitor, type ?? (change.type as MonitorType), details.get(change))) continue;
      events.push([0, number, generation, publishedAt, position + 1, type]);
    }
  }
  return { events, moves };
}

/** Those of which a monitor that may report them needs more than the head. */
export function listDetailed(
  changes: readonly ChangeHead[],
  { monitors, watchers, matching }: Concerned,
): ChangeHead[] {
  const isDetailed = (number: number) => monitors.get(number)?.fields !== null;
  return changes.filter(({ type, entityId }) => {
    if (type !== 'changed' || entityId === null) return false;
    return (
      (watchers.get(entityId) ?? []).some(isDetailed) || (matching.get(entityId) ?? NONE).values().some(isDetailed)
    );
  });
}

const NONE: ReadonlySet<number> = new Set();

/** Nearly all companies are in at most one monitor, and match no saved search. */
function listConcerned(before: readonly number[], now: ReadonlySet<number>): readonly number[] {
  if (before.length <= 1 && now.size === 0) return before;
  return [...new Set([...before, ...now])].sort((a, b) => a - b);
}
