import { readFile } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../base/db/db.ts';
import type { Log } from '../../base/log.ts';
import { type Incident, parseIncidents, type StatusDay } from '../../base/status.ts';
import { createBackgroundWork, logFailures } from '../../base/system/background-work.ts';
import type { Registry } from '../../registry/registry.ts';
import { addToDay, deleteDays, readDays, type StoredDay } from './store.ts';

interface HistoryOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly registry: Pick<Registry, 'listRegisters' | 'listImportDays'>;
  readonly isReady: () => Promise<boolean>;
  /** A text file that the operator writes. */
  readonly incidentsFile: string;
}

const DAY = 86_400_000;
const SHOWN_DAYS = 90;
const INTERVAL_MS = 60_000;
/** How long the list of days is kept: anyone may open the page that shows it. */
const KEEP_MS = 10_000;

/**
 * The last 90 days of this installation: starts, readiness, imports, and how current the data was. Each server checks itself once per minute, and
 * keeps its results in memory while the database cannot be written. A server that does not run records nothing.
 */
export function createStatusHistory({ db, clock, log, registry, isReady, incidentsFile }: HistoryOptions) {
  const unstored: StoredDay[] = [];
  let starts = 1;
  let kept: { readonly at: number; readonly days: Promise<StatusDay[]> } | undefined;

  async function check(): Promise<void> {
    const now = clock.now();
    const day = Math.floor(now / DAY);
    const registers = await registry.listRegisters(now).catch(() => []);
    const overdue = registers.filter((each) => !each.synthetic && each.freshness === 'overdue').length;
    unstored.push({ day, starts, checks: 1, ready: (await isReady()) ? 1 : 0, overdue });
    starts = 0;
    for (let first = unstored[0]; first !== undefined; first = unstored[0]) {
      await addToDay(db, first);
      unstored.shift();
    }
    await deleteDays(db, day - SHOWN_DAYS);
  }

  async function load(): Promise<StatusDay[]> {
    const today = Math.floor(clock.now() / DAY);
    const since = today - SHOWN_DAYS + 1;
    const [stored, imports] = await Promise.all([readDays(db, since), registry.listImportDays(since)]);
    return Array.from({ length: SHOWN_DAYS }, (_, index) => {
      const day = since + index;
      const own = stored.find((each) => each.day === day) ?? { starts: 0, checks: 0, ready: 0, overdue: 0 };
      const imported = imports.find((each) => each.day === day) ?? { imports: 0, changes: 0 };
      return { ...own, ...imported, date: new Date(day * DAY).toISOString().slice(0, 10) };
    });
  }

  const work = createBackgroundWork(INTERVAL_MS, logFailures(log, 'the status could not be recorded', check), {
    atOnce: true,
  });

  return {
    /** Lists the days, the oldest first. Days without a server or an import contain zeros. */
    listDays(): Promise<StatusDay[]> {
      if (kept === undefined || clock.now() - kept.at > KEEP_MS) kept = { at: clock.now(), days: load() };
      return kept.days;
    },
    /** Lists the incidents, the newest first. Works without the databases. */
    listIncidents: async (): Promise<Incident[]> =>
      parseIncidents(await readFile(incidentsFile, 'utf8').catch(() => '')),
    check,
    start: work.start,
    stop: work.stop,
  };
}
