import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createAccounts } from '../../src/accounts/accounts.ts';
import { systemClock } from '../../src/core/clock.ts';
import { createLease } from '../../src/db/lease.ts';
import { importFiles } from '../../src/importing/import.ts';
import { gb } from '../../src/registers/gb/register.ts';
import { registers } from '../../src/registers/index.ts';
import { createWebhooks } from '../../src/webhooks/webhooks.ts';
import { writeBlocks, writeChange } from '../update/changes.ts';
import { type Parts, SILENT, watchAll } from './parts.ts';

/** How soon a change is delivered. All times are milliseconds from the start of an import with 1,000 changes. */
export interface DeliveryFigures {
  /** Until the first webhook has arrived, for each import. */
  readonly first: readonly number[];
  /** Of 100 receivers, 10 never answer: until all others have got their events. */
  readonly besideHanging: number;
  /** The processor time of that, in milliseconds: import, sending and receiving. */
  readonly besideHangingCpu: number;
}

const ROWS = 1_000;
/** A tenth of the rows are new companies, which no monitor has. */
const COMPANIES = 900;
const [RECEIVERS, HANGING] = [100, 10];
/** More than are sent to an endpoint at the same time. */
const EVENTS_EACH = 20;

/** Monitors, webhooks and imports in one process, on a small store, with the intervals and limits of a server. */
export async function benchDelivery(parts: Parts, folder: string, imports: number): Promise<DeliveryFigures> {
  const { registryDb, db, pass, events } = parts;
  const readTerms = createAccounts(db, systemClock).findTerms;
  const webhooks = createWebhooks({
    ...{ db, clock: systemClock, log: SILENT, version: '1', events, readTerms, timeoutMs: 15_000 },
    keys: [randomBytes(32).toString('base64')],
    rules: { ports: [], allowsLoopback: true },
    hasMonitors: async () => true,
    count() {},
    lease: createLease({ db, name: 'webhooks' }),
  });
  const receivers: Receiver[] = [];
  const load = (path: string) =>
    importFiles(registryDb, systemClock, { register: gb, registers, paths: [path], mode: 'partial' });
  const startReceivers = async (count: number, hangs: boolean, monitorId: string) => {
    for (let at = 0; at < count; at++) {
      const receiver = await startReceiver(hangs);
      receivers.push(receiver);
      const { url } = receiver;
      await webhooks.create(parts.account, { url, monitorIds: [monitorId] });
    }
  };
  try {
    await load((await writeBlocks(join(folder, 'base'), 1, COMPANIES)).path);
    const ids = await parts.readIds();
    const all = await watchAll(parts, 'all', ids);
    await startReceivers(1, false, all);
    const [one] = receivers as [Receiver];
    pass.start();
    webhooks.start();
    const first: number[] = [];
    for (let edition = 1; edition <= imports; edition++) {
      const { path } = await writeChange(join(folder, `change-${edition}`), edition, 0, ROWS);
      const before = one.arrived.length;
      const started = performance.now();
      await load(path);
      await waitFor(() => one.arrived.length > before);
      first.push((one.arrived[before] as number) - started);
      await waitFor(() => one.arrived.length >= before + COMPANIES);
    }
    const few = await watchAll(parts, 'few', ids.slice(0, EVENTS_EACH));
    await startReceivers(HANGING, true, few);
    await startReceivers(RECEIVERS - HANGING, false, few);
    const good = receivers.slice(1 + HANGING);
    const { path } = await writeChange(join(folder, 'last'), imports + 1, 0, ROWS);
    const [started, cpu] = [performance.now(), process.cpuUsage()];
    await load(path);
    await waitFor(() => good.every(({ arrived }) => arrived.length >= EVENTS_EACH));
    const { user, system } = process.cpuUsage(cpu);
    return { first, besideHanging: performance.now() - started, besideHangingCpu: (user + system) / 1_000 };
  } finally {
    await pass.stop();
    for (const { server } of receivers) server.closeAllConnections();
    await webhooks.stop();
    for (const { server } of receivers) server.close();
  }
}

interface Receiver {
  readonly server: Server;
  readonly url: string;
  /** When each webhook arrived. */
  readonly arrived: number[];
}

async function startReceiver(hangs: boolean): Promise<Receiver> {
  const arrived: number[] = [];
  const server = createServer((request, response) => {
    arrived.push(performance.now());
    request.resume();
    if (!hangs) response.end();
  });
  // It shares the process with imports, which block it.
  server.keepAliveTimeout = 60_000;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrived };
}

async function waitFor(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}
