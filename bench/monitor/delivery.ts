import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createAccounts } from '../../src/accounts/accounts.ts';
import { systemClock } from '../../src/base/clock.ts';
import { nameUuid } from '../../src/base/ids.ts';
import { importFiles } from '../../src/import/import.ts';
import { gb } from '../../src/registers/gb/register.ts';
import { registers } from '../../src/registers/index.ts';
import { createWebhooks } from '../../src/watch/webhooks/webhooks.ts';
import { writeBlocks, writeChange } from '../update/changes.ts';
import { type Parts, SILENT, watchAll } from './parts.ts';
import { startReceivers } from './receivers.ts';
import { insertAccount } from './store.ts';

/** How soon changes are delivered, and what that costs. All times are milliseconds from the start of an import with 1,000 changes. */
export interface DeliveryFigures {
  /** Until the first webhook has arrived, for each import. */
  readonly first: readonly number[];
  /** 100 accounts with a receiver each, of which 10 never answer: until all others have got their 20 events. */
  readonly besideHanging: number;
  /** The events that the others got, the processor time from the commit of the import on, in milliseconds, and the transactions. */
  readonly delivered: number;
  readonly deliveryCpu: number;
  readonly transactions: number;
}

const ROWS = 1_000;
/** A tenth of the rows are new companies, which no monitor has. */
const COMPANIES = 900;
const [RECEIVERS, HANGING] = [100, 10];
/** More than are sent to an endpoint at the same time. */
const EVENTS_EACH = 20;

/** Monitors, webhooks and imports in one thread, on a small store, with the intervals and limits of a server. */
export async function benchDelivery(parts: Parts, folder: string, imports: number): Promise<DeliveryFigures> {
  const { registryDb, account, pass, events } = parts;
  let transactions = 0;
  const db: typeof parts.db = {
    ...parts.db,
    transaction(...given) {
      transactions++;
      return parts.db.transaction(...given);
    },
  };
  const webhooks = createWebhooks({
    ...{ db, clock: systemClock, log: SILENT, version: '1', events, timeoutMs: 15_000 },
    readTerms: createAccounts(db, systemClock).findTerms,
    keys: [randomBytes(32).toString('base64')],
    rules: { ports: [], allowsLoopback: true },
    hasMonitors: async () => true,
    count() {},
  });
  const load = (path: string) =>
    importFiles(registryDb, systemClock, { register: gb, registers, paths: [path], mode: 'partial' });
  const now = () => performance.timeOrigin + performance.now();
  await using receivers = await startReceivers(1 + RECEIVERS, HANGING);
  const [one = [], ...others] = receivers.arrived;
  const [firstUrl = '', ...urls] = receivers.urls;
  try {
    await load((await writeBlocks(join(folder, 'base'), 1, COMPANIES)).path);
    const ids = await parts.readIds();
    await watchAll(parts, 'all', ids);
    const { id } = await webhooks.create(account, { url: firstUrl });
    parts.onEvents.push(webhooks.wake);
    pass.start();
    webhooks.start();
    const first: number[] = [];
    for (let edition = 1; edition <= imports; edition++) {
      const { path } = await writeChange(join(folder, `change-${edition}`), edition, 0, ROWS);
      const [before, started] = [one.length, now()];
      await load(path);
      await waitFor(() => one.length > before);
      first.push((one[before] as number) - started);
      await waitFor(() => one.length >= before + COMPANIES);
    }
    await webhooks.remove(account.accountId, id);
    for (const [index, url] of urls.entries()) {
      const owner = { ...account, accountId: nameUuid(`bench monitor ${index}`) };
      await insertAccount(db, owner.accountId);
      await watchAll(parts, 'few', ids.slice(0, EVENTS_EACH), owner);
      await webhooks.create(owner, { url });
    }
    const { path } = await writeChange(join(folder, 'last'), imports + 1, 0, ROWS);
    const good = others.slice(0, RECEIVERS - HANGING);
    const started = now();
    await load(path);
    transactions = 0;
    const cpu = process.threadCpuUsage();
    await waitFor(() => good.every((arrived) => arrived.length >= EVENTS_EACH));
    const { user, system } = process.threadCpuUsage(cpu);
    const last = Math.max(...good.map((arrived) => arrived[EVENTS_EACH - 1] as number));
    return {
      first,
      besideHanging: last - started,
      delivered: good.length * EVENTS_EACH,
      deliveryCpu: (user + system) / 1_000,
      transactions,
    };
  } finally {
    await pass.stop();
    await webhooks.stop();
  }
}

async function waitFor(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}
