import { randomUUID } from 'node:crypto';
import { createAccounts } from '../../src/accounts/accounts.ts';
import { createMeter, type Meter } from '../../src/accounts/metering/meter.ts';
import type { Db } from '../../src/base/db/db.ts';
import { createLease } from '../../src/base/db/lease.ts';
import { loadMigrations, migrate } from '../../src/base/db/migrate.ts';
import { openStore } from '../../src/base/db/open.ts';
import type { AccountTerms } from '../../src/base/usage.ts';
import type { MonitorEvent } from '../../src/watch/monitors/events.ts';
import type { DeliveryOutcome } from '../../src/watch/webhooks/delivery/sender.ts';
import type { EventSource } from '../../src/watch/webhooks/events.ts';
import { createWebhooks, type WebhookOptions, type Webhooks } from '../../src/watch/webhooks/webhooks.ts';
import { type TestClock, testClock } from '../harness/clock.ts';
import { createDatabase, type Engine } from '../harness/databases.ts';
import { type Behave, startReceiver } from './receiver.ts';

/** Webhooks on a real database, with events that the test adds and a clock that it moves. */
export interface World extends AsyncDisposable {
  readonly db: Db;
  readonly clock: TestClock;
  readonly webhooks: Webhooks;
  readonly meter: Meter;
  readonly outcomes: DeliveryOutcome['kind'][];
  readonly warnings: string[];
  createAccount(): Promise<AccountTerms>;
  /** Adds events of the account's monitor, one per entity id, and returns their positions. */
  addEvents(account: AccountTerms, entityIds: readonly string[], monitorId?: string): number[];
  /** Another server on the same database. */
  open(options?: Partial<WebhookOptions>): Webhooks;
}

export const KEY = Buffer.alloc(32, 7).toString('base64');
/** Real receivers may be slow to answer on a busy machine. */
const PATIENT_MS = 100_000;

type AccountEvent = MonitorEvent & { readonly accountId: string };

export async function openWorld(engine: Engine, options: Partial<WebhookOptions> = {}): Promise<World> {
  const database = await createDatabase(engine, { migrated: true });
  const db = openStore('accounts', database);
  const clock = testClock();
  await migrate(db, loadMigrations('accounts'), clock);
  const accounts = createAccounts(db, clock);
  const list: AccountEvent[] = [];
  const events: EventSource = {
    ofAccount: async (accountId, monitorIds, position, limit) => {
      const isWanted = ({ monitorId }: AccountEvent) => monitorIds?.includes(JSON.stringify(monitorId)) ?? true;
      const found = list
        .filter((each) => each.accountId === accountId && each.position > position && isWanted(each))
        .slice(0, limit);
      return { events: found, position: found.at(-1)?.position ?? position, hasMore: found.length === limit };
    },
    last: async () => list.length,
    findPosition: async (cursor) => Number(cursor),
  };
  const [outcomes, warnings]: [DeliveryOutcome['kind'][], string[]] = [[], []];
  const log = { info: () => undefined, warn: (...args: unknown[]) => void warnings.push(String(args.at(-1))) };
  const opened: Webhooks[] = [];
  const open = (more: Partial<WebhookOptions> = {}) => {
    const webhooks = createWebhooks({
      db,
      clock,
      log,
      version: 'test',
      keys: [KEY],
      rules: { ports: [443, 8443], allowsLoopback: true },
      timeoutMs: PATIENT_MS,
      events,
      readTerms: accounts.findTerms,
      hasMonitors: async (_accountId, ids) => ids.every((id) => id.startsWith('monitor')),
      count: (kind) => void outcomes.push(kind),
      lease: createLease({ db, name: 'webhooks', renewMs: 5 }),
      ...options,
      ...more,
    });
    opened.push(webhooks);
    return webhooks;
  };
  return {
    db,
    clock,
    webhooks: open(),
    meter: createMeter(db, clock),
    outcomes,
    warnings,
    async createAccount() {
      const identity = { issuer: 'https://login.test', subject: randomUUID(), email: null, name: null };
      return (await accounts.signIn(identity)).account;
    },
    addEvents({ accountId }, entityIds, monitorId = 'monitor 1') {
      const positions = entityIds.map((entityId) => {
        const position = list.length + 1;
        const timestamp = new Date(clock.now()).toISOString();
        const data = { monitorId, cursor: String(position), entityId, number: position };
        list.push({ position, accountId, monitorId, type: 'entity.changed', timestamp, data });
        return position;
      });
      for (const webhooks of opened) webhooks.wake();
      return positions;
    },
    open,
    async [Symbol.asyncDispose]() {
      for (const webhooks of opened) await webhooks.stop();
      await db.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** A world with a receiver, and an account that has an endpoint there. */
export async function openScene(engine: Engine, behave?: Behave) {
  const world = await openWorld(engine);
  const receiver = await startReceiver(behave);
  const account = await world.createAccount();
  const { id, secret } = await world.webhooks.create(account, { url: receiver.url });
  return {
    world,
    receiver,
    account,
    accountId: account.accountId,
    id,
    secret,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
    },
  };
}

/** The numbers of the events that a receiver got, in order. */
export function numbersOf(received: readonly { readonly body: string }[]): number[] {
  return received.map(({ body }) => JSON.parse(body).data.number);
}
