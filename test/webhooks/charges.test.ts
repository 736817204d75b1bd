import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Db } from '../../src/base/db/db.ts';
import { usualEngines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { describeOn } from '../harness/describe-on.ts';
import { until } from '../harness/until.ts';
import { answer, type Behave, close, ok, type Receiver, startReceiver } from './receiver.ts';
import { openWorld, type World } from './world.ts';

/** What happens to the endpoint of an account. The receiver reads every request before it behaves. */
type Step =
  | { readonly do: 'events'; readonly entities: readonly string[] }
  | { readonly do: 'send'; readonly mood: Mood; readonly crash: Crash | null }
  | { readonly do: 'target'; readonly target: Target }
  | { readonly do: 'enable' | 'disable' | 'recreate' | 'replay' | 'wait' | 'prune' };

type Mood = 'ok' | 'ok' | 'broken' | 'gone' | 'close' | 'removed';
/** A port that nobody listens on, and a receiver without TLS: nothing is sent to them. */
type Target = 'receiver' | 'refused' | 'no TLS';
/** The process ends in this transaction, before or after it is committed. */
interface Crash {
  readonly at: number;
  readonly isCommitted: boolean;
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant('events'), entities: entitiesOf('a', 'b') } as const) },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('send'),
        mood: fc.constantFrom<Mood>('ok', 'ok', 'broken', 'gone', 'close', 'removed'),
        crash: fc.option(fc.record({ at: fc.integer({ min: 1, max: 3 }), isCommitted: fc.boolean() }), { freq: 3 }),
      } as const),
    },
    fc.record({
      do: fc.constant('target'),
      target: fc.constantFrom<Target>('receiver', 'refused', 'no TLS'),
    } as const),
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom('enable', 'disable', 'recreate', 'replay', 'replay', 'wait', 'wait', 'prune'),
      } as const),
    },
  ),
  { minLength: 8, maxLength: 24, size: 'max' },
);

/** Whatever the random ones do, each thing that is checked happens. */
const EXAMPLE: readonly Step[] = [
  { do: 'send', mood: 'broken', crash: null },
  { do: 'wait' },
  { do: 'send', mood: 'ok', crash: null },
  { do: 'replay' },
  { do: 'send', mood: 'ok', crash: null },
  { do: 'target', target: 'refused' },
  { do: 'events', entities: ['a'] },
  { do: 'send', mood: 'ok', crash: null },
  { do: 'wait' },
  { do: 'send', mood: 'ok', crash: { at: 1, isCommitted: true } },
];

function entitiesOf(...names: readonly string[]) {
  return fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 });
}

describeOn(usualEngines, 'what webhooks cost', (engine) => {
  test('what was not sent is refunded, hidden until then, and refunded after its endpoint was deleted, too', async (t) => {
    await using world = await openWorld(engine);
    const connections: Socket[] = [];
    const silent = createServer((connection) => void connections.push(connection.on('error', () => undefined)));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    t.after(() => silent.close());
    // It never answers the greeting of TLS, so the request is not sent.
    const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    const account = await world.createAccount();
    const { accountId } = account;
    const { id } = await world.webhooks.create(account, { url });
    const readUsed = async () => (await world.meter.readUsage(account)).used;
    for (const isDeleted of [false, true]) {
      world.addEvents(account, ['a']);
      world.clock.advance(HOUR);
      const sending = world.webhooks.step();
      await until('it connects', () => connections.length > 0);
      const [{ payload } = assert.fail()] = await world.webhooks.listDeliveries(accountId, id, { limit: 1 });
      assert.deepEqual([await readUsed(), payload], [1, null]);
      if (isDeleted) await world.webhooks.remove(accountId, id);
      for (const connection of connections.splice(0)) connection.destroy();
      await sending;
      assert.equal(await readUsed(), 0);
    }
  });

  test('the events whose bytes reached a receiver are those that are charged, whatever happens', async (t) => {
    await using world = await openWorld(engine);
    await using receiver = await startReceiver();
    const seen = new Map<string, number>();
    const note = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
    await fc.assert(
      fc.asyncProperty(steps, (sequence) => run(world, receiver, sequence, note)),
      { numRuns: runs(40, 200), examples: [[EXAMPLE]] },
    );
    t.diagnostic(JSON.stringify(Object.fromEntries([...seen].sort())));
    for (const what of ['charged', 'retried', 'not sent', 'crashed', 'charged again'])
      assert.ok((seen.get(what) ?? 0) > 0, what);
  });
});

async function run(world: World, receiver: Receiver, sequence: readonly Step[], note: (what: string) => void) {
  const { db, clock } = world;
  const account = await world.createAccount();
  const { accountId } = account;
  /** Deliveries that are paid for, until they were delivered and are replayed. */
  const paid = new Set<string>();
  let charged = 0;
  let id = await create();

  async function create(): Promise<string> {
    return (await world.webhooks.create(account, { url: receiver.url })).id;
  }

  function pay(delivery: string, what: string): void {
    if (paid.has(delivery)) return;
    paid.add(delivery);
    charged++;
    note(what);
  }

  const listRows = (condition: string) =>
    db.all<{ id: string }>(`SELECT id FROM webhook_deliveries WHERE ${condition}`);

  /** Creates deliveries without sending them. What was delivered and is sent again is charged again. */
  async function addDeliveries(): Promise<void> {
    const delivered = await listRows(`state = 'delivered'`);
    await world.open({ readTerms: async () => undefined }).step();
    const waiting = new Set((await listRows(`state = 'waiting'`)).map((row) => row.id));
    for (const row of delivered) if (waiting.has(row.id) && paid.delete(row.id)) note('charged again');
  }

  /** What a process has charged and may have sent when it ended stays charged. */
  async function payDoubtful(): Promise<void> {
    note('crashed');
    const own = `endpoint_id IN (SELECT id FROM webhook_endpoints WHERE account_id = '${accountId}')`;
    for (const row of await listRows(`charged_period IS NOT NULL AND ${own}`)) pay(row.id, 'doubtful');
  }

  const moods: Readonly<Record<Mood, Behave>> = {
    ok,
    broken: answer(500),
    gone: answer(410),
    close,
    removed: async (...given) => {
      await world.webhooks.remove(accountId, id).catch(() => undefined);
      answer(500)(...given);
    },
  };

  async function take(step: Step): Promise<void> {
    switch (step.do) {
      case 'events':
        world.addEvents(account, step.entities);
        break;
      case 'send': {
        await addDeliveries();
        receiver.behave = (received, ...given) => {
          const delivery = String(received.headers['webhook-id']);
          if (paid.has(delivery)) note('retried');
          pay(delivery, 'charged');
          moods[step.mood](received, ...given);
        };
        receiver.received.length = 0;
        const server = world.open({ db: step.crash === null ? db : crashing(db, step.crash) });
        await server.step().catch(async (error) => {
          if (error !== CRASH) throw error;
          await payDoubtful();
        });
        if (world.outcomes.splice(0).includes('retry') && receiver.received.length === 0) note('not sent');
        break;
      }
      case 'target': {
        const [port, scheme] = [step.target === 'refused' ? 1 : new URL(receiver.url).port, 'no TLS'];
        const url = `http${step.target === scheme ? 's' : ''}://127.0.0.1:${port}/`;
        await world.webhooks.update(accountId, id, { url }).catch(ignoreRemoved);
        break;
      }
      case 'enable':
      case 'disable':
        await world.webhooks.update(accountId, id, { enabled: step.do === 'enable' }).catch(ignoreRemoved);
        break;
      case 'recreate':
        await world.webhooks.remove(accountId, id).catch(ignoreRemoved);
        id = await create();
        await world.webhooks.replay(accountId, id, undefined);
        break;
      case 'replay':
        await world.webhooks.replay(accountId, id, undefined).catch(ignoreRemoved);
        break;
      case 'wait':
        clock.advance(86_400_000);
        break;
      case 'prune':
        await world.webhooks.prune();
        break;
    }
    const used = await db.one<{ sum: number }>(
      'SELECT CAST(coalesce(sum(used), 0) AS BIGINT) AS sum FROM quotas WHERE account_id = $1',
      [accountId],
    );
    assert.equal(used?.sum, charged, `after ${JSON.stringify(step)}`);
  }

  world.addEvents(account, ['a', 'b']);
  try {
    for (const step of sequence) await take(step);
  } finally {
    await world.webhooks.remove(accountId, id).catch(ignoreRemoved);
  }
}

const HOUR = 3_600_000;
const CRASH = new Error('the process has crashed');

function ignoreRemoved(error: unknown): void {
  assert.equal(Reflect.get(Object(error), 'code'), 'webhook_endpoint_not_found');
}

function crashing(db: Db, { at, isCommitted }: Crash): Db {
  let transactions = 0;
  return {
    ...db,
    async transaction(work, options) {
      transactions++;
      if (transactions < at) return db.transaction(work, options);
      if (transactions === at && isCommitted) await db.transaction(work, options);
      throw CRASH;
    },
  };
}
