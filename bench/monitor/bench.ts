import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gb } from '../../src/registers/gb/register.ts';
import { measureImport, provideFile, renameEvery } from '../import/bench.ts';
import type { BenchOptions } from '../reporting.ts';
import { isTrial } from '../search/timing.ts';
import { benchDelivery, type DeliveryFigures } from './delivery.ts';
import { openParts, type Parts, watchAll } from './parts.ts';
import { emptyMonitors } from './store.ts';

/**
 * `bench monitor`: how long it takes to compare an import with many monitors and to write an event for each match, what that adds to
 * an import that runs at the same time, and how soon webhooks arrive. Every company is changed, so this is the most that an import
 * can cause.
 */
interface MonitorBenchOptions extends BenchOptions {
  /** Companies of the imports, all of which change. */
  readonly rows: number;
}

export interface MonitorFigures extends Measured {
  readonly changes: number;
  readonly monitors: number;
  readonly watched: number;
  readonly events: number;
  /** An import alone, and one while the changes of the import before it are compared. The first is the mean of one before and one after. */
  readonly importSeconds: number;
  readonly besideSeconds: number;
  /** Processor time of comparing an import of which no company is watched. */
  readonly unwatchedCpuSeconds: number;
  readonly delivery: DeliveryFigures;
}

interface Measured {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Resident memory at its peak, and how much of it is added meanwhile. */
  readonly peakMegabytes: number;
  readonly extraMegabytes: number;
  readonly longestTurnMs: number;
}

/** Each has a thousandth of the companies, so that every company is in one of them. */
const MONITORS = 1_000;
const IMPORTS = 20;
const TRIAL = { monitors: 10, imports: 2 };

export async function benchMonitor({ rows, cache, databaseUrl, onStep }: MonitorBenchOptions): Promise<MonitorFigures> {
  const { monitors, imports } = isTrial(rows) ? TRIAL : { monitors: MONITORS, imports: IMPORTS };
  mkdirSync(cache, { recursive: true });
  const first = await provideFile(gb, rows, join(cache, `gb-${rows}`), (file) => file);
  const changed = await provideFile(gb, rows, join(cache, `gb-${rows}-all-changed`), (file) => renameEvery(1, file));
  const dataDir = mkdtempSync(join(cache, 'monitor-'));
  const use = async <T>(name: string, work: (parts: Parts, folder: string) => Promise<T>): Promise<T> => {
    const folder = join(dataDir, name);
    const parts = await openParts({ dataDir: folder, databaseUrl });
    try {
      return await work(parts, folder);
    } finally {
      await parts.close();
    }
  };
  try {
    const compared = await use('large', async (parts, folder) => {
      const load = async (path: string) => {
        onStep(`importing ${rows} companies`);
        return (await measureImport(gb, [path], folder, databaseUrl, false)).seconds;
      };
      await load(first);
      onStep(`${monitors} monitors`);
      await createAll(parts, monitors);
      await load(changed);
      onStep('comparing');
      const measured = await measure(() => parts.pass.run());
      const events = await parts.events.last();
      const before = await load(first);
      const comparing = parts.pass.run();
      const besideSeconds = await load(changed);
      await comparing;
      await emptyMonitors(parts.db);
      await watchAll(parts, 'nothing', [parts.account.accountId]);
      const importSeconds = (before + (await load(first))) / 2;
      onStep('comparing what nobody watches');
      const { cpuSeconds: unwatchedCpuSeconds } = await measure(() => parts.pass.run());
      return { ...measured, events, importSeconds, besideSeconds, unwatchedCpuSeconds };
    });
    onStep('delivering');
    const delivery = await use('small', (parts, folder) => benchDelivery(parts, folder, imports));
    return { changes: rows, monitors, watched: rows, ...compared, delivery };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function createAll(parts: Parts, monitors: number): Promise<void> {
  const ids = await parts.readIds();
  for (let number = 0; number < monitors; number++) {
    const watch = ids.filter((_, index) => index % monitors === number);
    await watchAll(parts, `monitor ${number}`, watch);
  }
}

async function measure(work: () => Promise<unknown>): Promise<Measured> {
  const before = process.memoryUsage.rss();
  const cpu = process.cpuUsage();
  const started = performance.now();
  let [peak, last, longest] = [before, started, 0];
  const look = () => {
    peak = Math.max(peak, process.memoryUsage.rss());
    longest = Math.max(longest, performance.now() - last - 1);
    last = performance.now();
  };
  const timer = setInterval(look, 1);
  await work();
  clearInterval(timer);
  look();
  const { user, system } = process.cpuUsage(cpu);
  return {
    seconds: (performance.now() - started) / 1_000,
    cpuSeconds: (user + system) / 1e6,
    peakMegabytes: peak / 1e6,
    extraMegabytes: (peak - before) / 1e6,
    longestTurnMs: longest,
  };
}
