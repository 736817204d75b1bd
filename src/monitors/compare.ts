import type { ChangeText } from '../journal/feed/texts.ts';
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

/**
 * Compares changes with monitors, in order. `watchers` are the monitors that have the companies before the first change, and `matching`
 * are the saved searches that each company matches now.
 */
export function compareChanges(
  changes: readonly ChangeText[],
  monitors: ReadonlyMap<number, Watching>,
  watchers: Watchers,
  matching: ReadonlyMap<string, ReadonlySet<number>>,
): Compared {
  /** Of companies that have moved. */
  const members = new Map<string, readonly number[]>();
  const events: NewEvent[] = [];
  const moves: Move[] = [];
  for (const change of changes) {
    const { entityId, generation, place } = change;
    if (entityId === null) continue;
    const before = members.get(entityId) ?? watchers.get(entityId) ?? [];
    const now = matching.get(entityId) ?? NONE;
    // Monitors that report the same type share the text.
    let [written, text] = ['', ''];
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
      const type = was === is ? (change.type as MonitorType) : is ? 'entered' : 'left';
      if (!(was || is) || !counts(monitor, type, () => change.parse())) continue;
      if (type !== written) [written, text] = [type, change.write(type)];
      events.push([number, generation, place, text]);
    }
  }
  return { events, moves };
}

const NONE: ReadonlySet<number> = new Set();

/** Nearly all companies are in at most one monitor, and match no saved search. */
function listConcerned(before: readonly number[], now: ReadonlySet<number>): readonly number[] {
  if (before.length <= 1 && now.size === 0) return before;
  return [...new Set([...before, ...now])].sort((a, b) => a - b);
}
