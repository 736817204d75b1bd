import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import type { Db, Transaction } from '../../src/base/db/db.ts';
import { claimDeliveries, parseAttempts } from '../../src/watch/webhooks/delivery/exchange.ts';
import { judgeAnswer, PAUSES } from '../../src/watch/webhooks/delivery/sender.ts';
import { messageId, renderPayload } from '../../src/watch/webhooks/events.ts';
import { engines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { answer, close, hang, ok, type Received, startReceiver } from './receiver.ts';
import { numbersOf, openScene, openWorld } from './world.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;

/** Verifies with the official package, at the time of the test's clock. */
function verify(secret: string, { headers, body }: Received, now: number): unknown {
  const timestamp = Number(headers['webhook-timestamp']);
  assert.ok(Math.abs(timestamp - now / 1_000) < 10, 'the time of sending');
  // The package compares the timestamp with the clock of the machine.
  const realNow = Date.now;
  Date.now = () => timestamp * 1_000;
  try {
    return new Webhook(secret).verify(body, headers as Record<string, string>);
  } finally {
    Date.now = realNow;
  }
}

describeOn(engines, 'webhooks', (engine) => {
  test('events arrive once, signed, thin, and only those after the endpoint was created', async () => {
    await using world = await openWorld(engine);
    await using receiver = await startReceiver();
    const [account, other] = [await world.createAccount(), await world.createAccount()];
    world.addEvents(account, ['before']);
    const { id, secret } = await world.webhooks.create(account, { url: `${receiver.url}/hooks?a=b` });
    world.addEvents(account, ['a', 'b', 'a']);
    world.addEvents(other, ['c']);
    await world.webhooks.step();
    await world.webhooks.step();
    assert.deepEqual(numbersOf(receiver.received).toSorted(), [2, 3, 4]);
    for (const received of receiver.received) {
      assert.equal(received.path, '/hooks?a=b');
      assert.deepEqual(verify(secret, received, world.clock.now()), JSON.parse(received.body));
      assert.deepEqual(Object.keys(JSON.parse(received.body)), ['type', 'timestamp', 'data']);
      assert.match(String(received.headers['webhook-id']), /^msg_[0-9a-f]{32}$/);
      assert.equal(received.headers['content-type'], 'application/json');
      assert.match(String(received.headers['user-agent']), /^Firmament-Webhooks\//);
    }
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 3);
    const deliveries = await world.webhooks.listDeliveries(account.accountId, id, { limit: 10 });
    assert.deepEqual(
      deliveries.map(({ state }) => state),
      ['delivered', 'delivered', 'delivered'],
    );
    const [attempt] = parseAttempts(deliveries[0]?.attemptLog ?? '');
    assert.deepEqual([attempt?.status, attempt?.body, attempt?.at], [200, 'thanks', world.clock.now()]);
    assert.equal((await world.meter.readUsage(account)).used, 3);
  });

  test('a choice of monitors that changes while events are read counts for all of them', async () => {
    await using world = await openWorld(engine);
    await using receiver = await startReceiver();
    const account = await world.createAccount();
    const { id } = await world.webhooks.create(account, { url: receiver.url, monitorIds: ['monitor 1'] });
    world.addEvents(account, ['a'], 'monitor 1');
    world.addEvents(account, ['b'], 'monitor 2');
    let transactions = 0;
    const db: Db = {
      ...world.db,
      async transaction(...given) {
        // The events were read, and are about to become deliveries.
        if (++transactions === 1) await world.webhooks.update(account.accountId, id, { monitorIds: ['monitor 2'] });
        return world.db.transaction(...given);
      },
    };
    const server = world.open({ db });
    for (let steps = 0; steps < 2; steps++) await server.step();
    assert.deepEqual(numbersOf(receiver.received), [2]);
  });

  test('a monitor that is chosen later sends its events from then on, and no earlier ones', async () => {
    await using world = await openWorld(engine);
    await using receiver = await startReceiver();
    const account = await world.createAccount();
    const { id } = await world.webhooks.create(account, { url: receiver.url, monitorIds: ['monitor 1'] });
    world.addEvents(account, ['a'], 'monitor 1');
    world.addEvents(account, ['a', 'b'], 'monitor 2');
    await world.webhooks.step();
    await world.webhooks.update(account.accountId, id, { monitorIds: ['monitor 2'] });
    await world.webhooks.step();
    world.addEvents(account, ['c'], 'monitor 1');
    world.addEvents(account, ['a'], 'monitor 2');
    await world.webhooks.step();
    assert.deepEqual(numbersOf(receiver.received), [1, 5]);
    const foreign = world.webhooks.create(account, { url: receiver.url, monitorIds: ['foreign'] });
    await assert.rejects(foreign, { code: 'invalid_request' });
    await assert.rejects(world.webhooks.create(account, { url: receiver.url }), {
      code: 'webhook_endpoint_limit_reached',
    });
  });

  test('for 24 hours after a rotation both secrets verify, then only the new one', async () => {
    await using world = await openWorld(engine);
    await using receiver = await startReceiver();
    const account = await world.createAccount();
    const { id, secret: first } = await world.webhooks.create(account, { url: receiver.url });
    const { secret: second, previousEndsAt } = await world.webhooks.rotate(account.accountId, id);
    assert.equal(previousEndsAt, world.clock.now() + 24 * HOUR);
    world.addEvents(account, ['a']);
    await world.webhooks.step();
    const now = () => world.clock.now();
    const [both] = receiver.received.splice(0);
    assert.ok(both !== undefined);
    assert.match(String(both.headers['webhook-signature']), /^v1,\S+ v1,\S+$/);
    for (const secret of [first, second]) assert.ok(verify(secret, both, now()));
    world.clock.advance(24 * HOUR);
    world.addEvents(account, ['a']);
    await world.webhooks.step();
    const [one] = receiver.received;
    assert.ok(one !== undefined && verify(second, one, now()));
    assert.throws(() => verify(first, one, now()));
  });

  test('a failed delivery delays later ones of the same entity, and no others', async () => {
    await using scene = await openScene(engine);
    const { world, receiver, account, id } = scene;
    receiver.behave = (received, response, count) => {
      const { data } = JSON.parse(received.body);
      (data.entityId === 'a' && count < 5 ? answer(500, {}, 'broken') : ok)(received, response, count);
    };
    world.addEvents(account, ['a', 'a', 'b', 'b']);
    await world.webhooks.step();
    assert.deepEqual(numbersOf(receiver.received), [1, 3, 4]);
    assert.equal((await world.meter.readUsage(account)).used, 3, 'the failed one has arrived, so it is charged');
    world.clock.advance(4 * SECOND);
    await world.webhooks.step();
    assert.equal(receiver.received.length, 3);
    world.clock.advance(SECOND);
    await world.webhooks.step();
    world.clock.advance(300 * SECOND);
    await world.webhooks.step();
    assert.deepEqual(numbersOf(receiver.received), [1, 3, 4, 1, 1, 2]);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    assert.equal(ids[0], ids[3], 'an attempt has the id of the first one');
    const [delivery] = (await world.webhooks.listDeliveries(account.accountId, id, { limit: 10 })).filter(
      ({ position }) => position === 1,
    );
    const attempts = parseAttempts(delivery?.attemptLog ?? '');
    assert.deepEqual(
      attempts.map(({ status, body }) => [status, body]),
      [
        [500, 'broken'],
        [500, 'broken'],
        [200, 'thanks'],
      ],
    );
    assert.equal((await world.meter.readUsage(account)).used, 4);
    assert.deepEqual(world.outcomes.toSorted(), ['delivered', 'delivered', 'delivered', 'delivered', 'retry', 'retry']);
  });

  test('410 disables the endpoint; enabled again, it gets everything', async () => {
    await using scene = await openScene(engine, answer(410));
    const { world, receiver, account, id } = scene;
    world.addEvents(account, ['a']);
    await world.webhooks.step();
    const found = await world.webhooks.find(account.accountId, id);
    assert.deepEqual([found.disabledReason, found.disabledAt], ['gone', world.clock.now()]);
    world.addEvents(account, ['a', 'b']);
    world.clock.advance(HOUR);
    await world.webhooks.step();
    assert.equal(receiver.received.length, 1);
    receiver.behave = ok;
    await world.webhooks.update(account.accountId, id, { enabled: true });
    await world.webhooks.step();
    assert.deepEqual(numbersOf(receiver.received.slice(1)).toSorted(), [1, 2, 3]);
    assert.equal((await world.meter.readUsage(account)).used, 3);
  });

  test('Retry-After pauses the whole endpoint', async () => {
    await using scene = await openScene(engine, answer(429, { 'retry-after': '600' }));
    const { world, receiver, account } = scene;
    world.addEvents(account, ['a']);
    await world.webhooks.step();
    world.addEvents(account, ['b']);
    world.clock.advance(599 * SECOND);
    await world.webhooks.step();
    assert.equal(receiver.received.length, 1);
    receiver.behave = ok;
    world.clock.advance(SECOND);
    await world.webhooks.step();
    assert.deepEqual(numbersOf(receiver.received), [1, 1, 2]);
  });

  test('after ten attempts the endpoint is disabled; enabled again, all arrives in order', async () => {
    await using scene = await openScene(engine, answer(500));
    const { world, receiver, account, id } = scene;
    world.addEvents(account, ['a', 'a']);
    for (let attempt = 1; attempt <= 12; attempt++) {
      await world.webhooks.step();
      const { disabledReason } = await world.webhooks.find(account.accountId, id);
      assert.equal(disabledReason, attempt < 10 ? null : 'failing', `attempt ${attempt}`);
      world.clock.advance(24 * HOUR);
    }
    assert.deepEqual(numbersOf(receiver.received), Array(10).fill(1));
    assert.equal((await world.webhooks.findFigures()).failed, 1);
    assert.equal((await world.meter.readUsage(account)).used, 1, 'ten attempts are charged once');
    // A server that has found it before it was disabled claims nothing: a later event would overtake the one that failed.
    const ready = { id, terms: account, inFlight: new Set<string>() };
    const claim = (tx: Transaction) => claimDeliveries(tx, [ready], () => 8, world.clock.now());
    assert.deepEqual((await world.db.transaction(claim)).claims, []);
    receiver.behave = ok;
    await world.webhooks.update(account.accountId, id, { enabled: true });
    await world.webhooks.step();
    assert.deepEqual(numbersOf(receiver.received.slice(10)), [1, 2]);
  });

  test('what is not an answer is a failed attempt with its reason', async () => {
    await using world = await openWorld(engine, { timeoutMs: 300 });
    await using receiver = await startReceiver();
    await using trap = await startReceiver();
    const account = await world.createAccount();
    const { id } = await world.webhooks.create(account, { url: receiver.url });
    const behaviours = [hang, close, answer(302, { location: trap.url }), answer(307, { location: trap.url })];
    for (const behave of behaviours) {
      receiver.behave = behave;
      world.addEvents(account, [`entity ${behaviours.indexOf(behave)}`]);
      await world.webhooks.step();
    }
    const deliveries = (await world.webhooks.listDeliveries(account.accountId, id, { limit: 10 })).toReversed();
    const reasons = deliveries
      .toSorted((a, b) => a.position - b.position)
      .map(({ attemptLog, state }) => {
        const [{ status, reason } = assert.fail()] = parseAttempts(attemptLog);
        return [state, status ?? reason];
      });
    assert.deepEqual(reasons, [
      ['waiting', 'no response within 0.3 seconds'],
      ['waiting', 'the connection was closed before the response'],
      ['waiting', 302],
      ['waiting', 307],
    ]);
    assert.deepEqual(trap.received, [], 'redirects are not followed');
    assert.equal((await world.meter.readUsage(account)).used, 4, 'the receiver has read each of them');
  });

  test('a replay sends again what follows the cursor, with the same ids, and a test is free', async () => {
    await using scene = await openScene(engine);
    const { world, receiver, account, accountId, id, secret } = scene;
    world.addEvents(account, ['a', 'b', 'a']);
    await world.webhooks.step();
    const first = receiver.received.splice(0);
    await world.webhooks.replay(accountId, id, '1');
    await world.webhooks.step();
    const again = receiver.received.splice(0);
    assert.deepEqual(numbersOf(again).toSorted(), [2, 3]);
    const idsOf = (list: readonly Received[]) => new Set(list.map(({ headers }) => headers['webhook-id']));
    assert.ok(idsOf(again).isSubsetOf(idsOf(first)));
    assert.equal((await world.meter.readUsage(account)).used, 5);
    const { id: testId, state } = await world.webhooks.sendTest(accountId, id);
    assert.equal(state, 'waiting');
    await world.webhooks.step();
    const [test] = receiver.received;
    assert.ok(test !== undefined && verify(secret, test, world.clock.now()));
    assert.deepEqual([test.headers['webhook-id'], JSON.parse(test.body).type], [testId, 'webhook.test']);
    assert.equal((await world.meter.readUsage(account)).used, 5);
  });
});

test('a payload is always below 20 kB: the longest fields are left out', () => {
  const event = { type: 'entity.changed', timestamp: '2026-03-15T12:00:00Z' };
  const data = { entityId: 'a', after: { canonicalName: 'ü'.repeat(200) }, details: 'x'.repeat(15_000) };
  assert.deepEqual(JSON.parse(renderPayload({ ...event, data })), { ...event, data });
  const { details: _, ...rest } = data;
  const large = renderPayload({ ...event, data: { ...data, details: 'ü'.repeat(10_000) } });
  assert.deepEqual(JSON.parse(large), { ...event, data: { ...rest, isShortened: true } });
  const huge = renderPayload({ ...event, data: { ...data, after: 'x'.repeat(20_000), more: 'x'.repeat(30_000) } });
  assert.deepEqual(JSON.parse(huge).data, { entityId: 'a', details: data.details, isShortened: true });
});

test('the id of a delivery follows from endpoint, monitor and change, not from its position, which a restored store gives again', () => {
  const event = (monitorId: string, cursor: string) => ({ monitorId, data: { cursor, entityId: 'a' } });
  const first = messageId('endpoint 1', event('m', 'c1'));
  assert.equal(first, messageId('endpoint 1', event('m', 'c1')));
  const others = [
    messageId('endpoint 2', event('m', 'c1')),
    messageId('endpoint 1', event('n', 'c1')),
    messageId('endpoint 1', event('m', 'c2')),
  ];
  assert.equal(new Set([first, ...others]).size, 4);
});

const NOW = Date.parse('2026-03-15T12:00:00Z');
const answerWith = (status: number | null, retryAfter: string | null = null) => {
  return { isSent: true, status, retryAfter, reason: null, body: '', tookMs: 1 };
};

test('2xx is success, 410 the end, everything else is tried again', () => {
  for (const status of [200, 201, 202, 204, 299]) {
    assert.equal(judgeAnswer(answerWith(status), 1, NOW).kind, 'delivered', String(status));
  }
  assert.equal(judgeAnswer(answerWith(410), 1, NOW).kind, 'gone');
  for (const status of [null, 100, 199, 300, 301, 302, 304, 307, 308, 400, 401, 404, 409, 429, 500, 502, 503]) {
    const expected = { kind: 'retry', nextAt: NOW + 5_000, pausedUntil: 0 };
    assert.deepEqual(judgeAnswer(answerWith(status), 1, NOW), expected, String(status));
  }
});

test('ten attempts within a little more than three days', () => {
  const pauses = PAUSES.map((_, index) => {
    const outcome = judgeAnswer(answerWith(500), index + 1, NOW);
    assert.ok(outcome.kind === 'retry');
    return (outcome.nextAt - NOW) / 1_000;
  });
  assert.deepEqual(pauses, [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
  assert.equal(judgeAnswer(answerWith(500), 10, NOW).kind, 'exhausted');
});

test('Retry-After of 429 and 503 is honoured up to a day. It pauses the endpoint, and never shortens the pause of the delivery', () => {
  const pausesOf = (status: number, header: string, attempts = 1) => {
    const outcome = judgeAnswer(answerWith(status, header), attempts, NOW);
    assert.ok(outcome.kind === 'retry');
    return [(outcome.nextAt - NOW) / 1_000, Math.max(0, outcome.pausedUntil - NOW) / 1_000];
  };
  for (const status of [429, 503]) {
    assert.deepEqual(pausesOf(status, '120'), [120, 120]);
    assert.deepEqual(pausesOf(status, 'Sun, 15 Mar 2026 12:10:00 GMT'), [600, 600]);
    assert.deepEqual(pausesOf(status, '1'), [5, 1]);
    assert.deepEqual(pausesOf(status, '999999999'), [86_400, 86_400]);
    // Other deliveries do not wait as long as one that has failed often.
    assert.deepEqual(pausesOf(status, '60', 4), [7_200, 60]);
    assert.deepEqual(pausesOf(status, 'soon'), [5, 0]);
  }
  assert.deepEqual(pausesOf(500, '120'), [5, 0]);
});
