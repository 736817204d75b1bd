import type { ChangeText } from '../journal/feed/change.ts';
import type { NewEvent } from './events/store.ts';
import { counts, type MonitorType, type Watching } from './monitor.ts';
import type { Watcher } from './store.ts';

/** What a change means for monitors. */
export interface Compared {
  readonly events: readonly NewEvent[];
  /** The companies that begin or cease to match a saved search. */
  readonly moves: readonly Move[];
}

export interface Move extends Watcher {
  readonly isMember: boolean;
}

/**
 * Compares changes with monitors, in order. `watchers` are the monitors that have the companies before the first change, and `matching`
 * are the saved searches that each company matches now.
 */
export function compareChanges(
  changes: readonly ChangeText[],
  monitors: ReadonlyMap<number, Watching>,
  watchers: readonly Watcher[],
  matching: ReadonlyMap<string, ReadonlySet<number>>,
): Compared {
  const members = new Map<string, Set<number>>();
  for (const { entityId, monitor } of watchers) {
    const known = members.get(entityId);
    if (known === undefined) members.set(entityId, new Set([monitor]));
    else known.add(monitor);
  }
  const events: NewEvent[] = [];
  const moves: Move[] = [];
  for (const change of changes) {
    const { entityId, generation, place } = change;
    if (entityId === null) continue;
    const [before, now] = [members.get(entityId) ?? NONE, matching.get(entityId) ?? NONE];
    if (before.size === 0 && now.size === 0) continue;
    const texts = new Map<string, string>();
    const after = new Set(before);
    members.set(entityId, after);
    for (const number of [...new Set([...before, ...now])].sort((a, b) => a - b)) {
      const monitor = monitors.get(number);
      if (monitor === undefined || generation <= monitor.since) continue;
      const [was, is] = [before.has(number), monitor.search === null ? before.has(number) : now.has(number)];
      if (was !== is) moves.push({ entityId, monitor: number, isMember: is });
      if (is) after.add(number);
      else after.delete(number);
      const type = was === is ? (change.type as MonitorType) : is ? 'entered' : 'left';
      if (!(was || is) || !counts(monitor, type, change)) continue;
      const text = texts.get(type) ?? change.write(type);
      texts.set(type, text);
      events.push([number, generation, place, type, text]);
    }
  }
  return { events, moves };
}

const NONE: ReadonlySet<number> = new Set();
