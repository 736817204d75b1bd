import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/core/clock.ts';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { PRICES, renderEvent, renderSubscription, sign } from '../harness/payment-events.ts';
import { startService, type TestService } from '../harness/service.ts';

/**
 * Machines on one PostgreSQL whose own clocks are wrong behave as one service, because all of them correct their clock to
 * the database's.
 */
const MINUTE = 60_000;
const SKEWS = { '5 minutes ahead': 5 * MINUTE, 'a day behind': -24 * 60 * MINUTE };

describe('machines with wrong clocks on one PostgreSQL', () => {
  let database: TestDatabase;
  let right: TestService;
  const wrong = new Map<string, TestService>();
  before(async () => {
    database = await createDatabase('postgres');
    // Every service removes the database that it was given when it is disposed; only the last call has to.
    const shared = { ...database, remove: async () => undefined };
    right = await startService('postgres', { database: shared, localClock: systemClock });
    for (const [title, skew] of Object.entries(SKEWS)) {
      const localClock = { now: () => systemClock.now() + skew };
      wrong.set(title, await startService('postgres', { database: shared, localClock }));
    }
  });
  after(async () => {
    for (const service of [...wrong.values(), right]) await service?.[Symbol.asyncDispose]();
    await database?.remove();
  });

  const find = (title: string) => wrong.get(title) ?? assert.fail(title);
  const ask = ({ url }: TestService, path: string, init: RequestInit = {}) => fetch(`${url}/api/v1${path}`, init);
  const planOn = async (service: TestService, headers: Readonly<Record<string, string>>) => {
    const reply = await ask(service, '/account', { headers });
    return ((await reply.json()) as { data?: { plan: { id: string } } }).data?.plan.id;
  };

  for (const title of Object.keys(SKEWS)) {
    describe(title, () => {
      test('a session started on one machine is valid on the other', async () => {
        for (const [from, to] of [
          [right, find(title)],
          [find(title), right],
        ] as const) {
          const { headers } = await from.signIn({ plan: 'free' });
          assert.equal((await ask(to, '/auth/me', { headers })).status, 200);
        }
      });

      test('a signed event is accepted at its time and refused when it is too old; its plan is known to all at once', async () => {
        const machine = find(title);
        const { headers, account } = await right.signIn({ plan: 'free' });
        const deliver = async (body: string, signedAt: number) => {
          const signature = { 'payment-signature': sign(body, signedAt), 'content-type': 'application/json' };
          return (await ask(machine, '/billing/webhook', { method: 'POST', body, headers: signature })).status;
        };
        const now = Math.floor(systemClock.now() / 1_000);
        const render = (price: string, created: number) =>
          renderEvent({
            type: 'customer.subscription.updated',
            created,
            object: renderSubscription({
              id: `sub_of_${account.accountId}`,
              accountId: account.accountId,
              price,
              period: [now - 86_400, now + 900],
            }),
          });
        const soon = render(PRICES.business, now - 1);
        // The corrected clock may be off by the time that the database took to answer.
        assert.equal(await deliver(soon, systemClock.now() - 450_000), 400);
        assert.equal(await deliver(soon, systemClock.now() + 450_000), 400);
        assert.equal(await deliver(soon, systemClock.now()), 200);
        for (const service of [right, machine]) assert.equal(await planOn(service, headers), 'business');
        assert.equal(await deliver(render(PRICES.pro, now), systemClock.now()), 200);
        for (const service of [right, machine]) assert.equal(await planOn(service, headers), 'pro');
      });

      test('the log says by how much the clock is wrong', () => {
        const warnings = find(title).logLines.filter((line) => line.includes('check NTP'));
        const seconds = warnings.map((line) => (JSON.parse(line) as { seconds: number }).seconds);
        assert.equal(seconds.length, 1);
        const expected = -(SKEWS[title as keyof typeof SKEWS] / 1_000);
        // The correction is off by at most the time of the question.
        assert.ok(Math.abs((seconds[0] ?? 0) - expected) < 60, `${seconds[0]} s`);
      });
    });
  }

  test('a machine with a right clock corrects nothing', () => {
    assert.ok(!right.logLines.some((line) => line.includes('check NTP')));
  });
});
