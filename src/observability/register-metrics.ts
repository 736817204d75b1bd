import { setTimeout as sleep } from 'node:timers/promises';
import { Gauge, type Registry as MetricSet } from 'prom-client';

/** How current the data of a register is. Times are epoch ms. */
export interface RegisterMetrics {
  readonly register: string;
  /** The day that the data describes. */
  readonly asOf: number | null;
  readonly importedAt: number | null;
  readonly checkedAt: number | null;
  readonly freshness: string | null;
  readonly failures: number;
}

const MAX_AGE_MS = 30_000;
/** A scrape does not wait longer than this for the database: it then reports what is known. */
const MAX_WAIT_MS = 1_000;
const FRESHNESS = ['fresh', 'due', 'overdue'];

/** `read` asks the database, so it is called at most every 30 seconds. */
export function registerRegisterMetrics(metrics: MetricSet, read: () => Promise<readonly RegisterMetrics[]>): void {
  const readRecent = keepRecent(read);
  const addGauge = (name: string, help: string, pick: (state: RegisterMetrics) => number | null) => {
    new Gauge({
      name,
      help,
      labelNames: ['register'],
      registers: [metrics],
      async collect() {
        const states = await readRecent();
        this.reset();
        for (const state of states) {
          const value = pick(state);
          if (value !== null) this.set({ register: state.register }, value);
        }
      },
    });
  };
  const toSeconds = (ms: number | null) => (ms === null ? null : ms / 1000);
  addGauge('register_data_timestamp_seconds', 'Start of the day that the data of a register describes.', ({ asOf }) =>
    toSeconds(asOf),
  );
  addGauge('register_imported_timestamp_seconds', 'When data of a register was last imported.', ({ importedAt }) =>
    toSeconds(importedAt),
  );
  addGauge(
    'register_checked_timestamp_seconds',
    'When the publisher of a register was last asked for new files successfully.',
    ({ checkedAt }) => toSeconds(checkedAt),
  );
  addGauge('register_check_failures', 'Failed updates of a register since then.', ({ failures }) => failures);
  new Gauge({
    name: 'register_freshness',
    help: 'Whether a register is fresh, due (one publishing period has passed) or overdue (two have): 1 for its state.',
    labelNames: ['register', 'state'],
    registers: [metrics],
    async collect() {
      const states = await readRecent();
      this.reset();
      for (const { register, freshness } of states) {
        if (freshness === null) continue;
        for (const state of FRESHNESS) this.set({ register, state }, state === freshness ? 1 : 0);
      }
    },
  });
}

/** Reads at most every 30 seconds. */
export function keepRecent<T>(read: () => Promise<readonly T[]>): () => Promise<readonly T[]> {
  let last: { readonly at: number; readonly values: readonly T[] } | undefined;
  let reading: Promise<void> | undefined;
  async function readNow(): Promise<void> {
    try {
      last = { values: await read(), at: performance.now() };
    } catch {
      // What is known stays; the next scrape asks again.
    } finally {
      reading = undefined;
    }
  }
  return async () => {
    if (last === undefined || performance.now() - last.at >= MAX_AGE_MS) {
      reading ??= readNow();
      await Promise.race([reading, sleep(MAX_WAIT_MS, undefined, { ref: false })]);
    }
    return last?.values ?? [];
  };
}
