import { mock } from 'node:test';
import { createMeter } from '../../src/accounts/metering/meter.ts';
import { createNamedSecrets } from '../../src/accounts/named-secrets.ts';
import { buildApp } from '../../src/api/app.ts';
import type { AppServices } from '../../src/api/app-services.ts';
import type { Db } from '../../src/base/db/db.ts';
import { createSite } from '../../src/base/site.ts';
import { defaultTransportLimits } from '../../src/http/connections.ts';
import { showPreview } from '../../src/portal/pages/reconcile-preview.ts';
import { registers } from '../../src/registers/index.ts';
import { createRegistry } from '../../src/registry/registry.ts';
import { readLimits } from '../harness/limits.ts';
import type { TestService } from '../harness/service.ts';

/** Where a request waits for a database: the key, the meter (charge and refund), or the data. */
export type Step = 'key' | 'meter' | 'data';

/** A second server on the stores of a service, whose databases answer when the test says so. */
export interface SlowApp {
  readonly url: string;
  /** Holds what reaches this step from now on. */
  hold(step: Step): Held;
  /** How often a request has reached this step. */
  count(step: Step): number;
  /** The lines of requests in the log so far. */
  readonly requestLines: () => RequestFields[];
  close(): Promise<void>;
}

export interface Held {
  /** Resolves when the step is reached. */
  readonly reached: Promise<void>;
  release(): void;
}

export interface RequestFields {
  readonly status: number;
  readonly address: string;
  readonly accountId: string | null;
  readonly durationMs: number;
  readonly aborted?: boolean;
}

export interface SlowAppOptions {
  /** Services that replace those of the service. */
  readonly services?: Partial<AppServices>;
}

export async function startSlowApp(service: TestService, options: SlowAppOptions = {}): Promise<SlowApp> {
  const { services, clock, logLines } = service;
  const counts = { key: 0, meter: 0, data: 0 };
  const waiting = new Map<Step, { reached: () => void; released: Promise<void> }>();

  async function pass(step: Step): Promise<void> {
    counts[step]++;
    const held = waiting.get(step);
    held?.reached();
    await held?.released;
  }
  /** Reads and writes of a store are different steps. */
  const slow = (db: Db, read: Step, write: Step): Db => ({
    ...db,
    all: (...args) => pass(read).then(() => db.all(...args)) as never,
    rows: (...args) => pass(read).then(() => db.rows(...args)),
    one: (...args) => pass(read).then(() => db.one(...args)) as never,
    transaction: (...args) => pass(write).then(() => db.transaction(...args)) as never,
    write: (...args) => pass(write).then(() => db.write(...args)) as never,
  });
  const accountsDb = slow(services.accountsDb, 'key', 'meter');
  const meter = createMeter(accountsDb, clock, readLimits());
  const apiKeys = createNamedSecrets(accountsDb, clock, 'api_key', {
    mode: 'live',
    readLastUsed: meter.findLastUsed,
  });
  const registry = createRegistry(slow(services.registryDb, 'data', 'data'), registers);
  const publicUrl = () => 'http://registry.test';
  const site = createSite({ url: publicUrl, allowedHosts: [], isClosed: false });
  const { app } = buildApp(
    {
      ...services,
      ...{ apiKeys, meter, registry, publicUrl, site, corsOrigins: [], trustedProxies: 0, showPreview },
      ...options.services,
    },
    { ...defaultTransportLimits, guessDelayMs: 0 },
  );
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const linesBefore = logLines.length;

  return {
    url,
    hold(step) {
      const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      waiting.set(step, { reached: reached.resolve, released: released.promise });
      return {
        reached: reached.promise,
        release() {
          waiting.delete(step);
          released.resolve();
        },
      };
    },
    count: (step) => counts[step],
    requestLines: () =>
      logLines
        .slice(linesBefore)
        .map((line) => JSON.parse(line))
        .filter(({ msg }) => msg === 'request'),
    async close() {
      app.server.closeAllConnections();
      await app.close();
    },
  };
}

/** The time that deadlines and durations are measured with moves only when the test moves it. */
export function freezeTime(): { advance(milliseconds: number): void } & Disposable {
  // A whole number, so that sums are exact.
  let now = Math.ceil(performance.now());
  const frozen = mock.method(performance, 'now', () => now);
  return {
    advance(milliseconds) {
      now += milliseconds;
    },
    [Symbol.dispose]: () => frozen.mock.restore(),
  };
}
