import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as takeTurn } from 'node:timers/promises';
import { createWaits } from '../../src/watch/log.ts';
import { until } from '../harness/until.ts';

const POLL_MS = 20;
const PAUSE_MS = 50;

const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

/** Waits on a store whose newest import the test sets. */
function createStore(limits: { maxPerAccount?: number; maxInTotal?: number } = {}) {
  const store = { newest: '1-a', lookups: 0, running: 0, mostRunning: 0, isDown: false };
  const findNewest = async () => {
    store.lookups++;
    store.mostRunning = Math.max(store.mostRunning, ++store.running);
    await takeTurn();
    store.running--;
    if (store.isDown) throw new Error('the database is down');
    return store.newest;
  };
  const waits = createWaits(findNewest, {
    ...{ pollMs: POLL_MS, pauseMs: PAUSE_MS, maxPerAccount: 10, maxInTotal: 1_000 },
    ...limits,
  });
  const never = new AbortController().signal;
  const wait = (ms = 30_000, accountId = 'account', gone = never) =>
    waits.untilChanged('1-a', { accountId, deadline: performance.now() + ms, gone });
  return { store, waits, wait };
}

describe('waiting for the next import', () => {
  test('one lookup at a time serves all waiting requests, and there is no lookup when no request waits', async () => {
    const { store, wait } = createStore();
    const timers = countTimers();
    const waiting = Array.from({ length: 500 }, (_, index) => wait(30_000, `account ${index}`));
    const startedAt = performance.now();
    await until('it was looked up several times', () => store.lookups >= 5);
    store.newest = '2-b';
    assert.deepEqual(new Set(await Promise.all(waiting)), new Set([true]));
    const polls = (performance.now() - startedAt) / POLL_MS;
    assert.ok(store.lookups <= polls + 1, `${store.lookups} lookups`);
    assert.equal(store.mostRunning, 1);
    await until('no lookup is due', () => countTimers() <= timers);
  });

  test('ends at the deadline, also if the database is down', async () => {
    const { store, wait } = createStore();
    store.isDown = true;
    const startedAt = performance.now();
    assert.equal(await wait(100), false);
    assert.ok(performance.now() - startedAt >= 99);
    store.isDown = false;
    store.newest = '2-b';
    assert.equal(await wait(), true);
  });

  test('ends when the client has gone, and its place is free again', async () => {
    const { wait } = createStore({ maxPerAccount: 1 });
    const controller = new AbortController();
    const waiting = wait(30_000, 'account', controller.signal);
    assert.equal(await wait(), false, 'the account has no second place');
    controller.abort();
    assert.equal(await waiting, false);
    const startedAt = performance.now();
    assert.equal(await wait(60), false);
    assert.ok(performance.now() - startedAt >= 59, 'it has waited');
    assert.equal(await wait(30_000, 'account', controller.signal), false);
  });

  test('is bounded in total: a request without a place is answered after a moment, and refused if there are too many', async () => {
    const { store, wait } = createStore({ maxInTotal: 3 });
    const waiting = ['a', 'b', 'c'].map((account) => wait(30_000, account));
    const startedAt = performance.now();
    const pausing = ['d', 'e', 'f'].map((account) => wait(30_000, account));
    await assert.rejects(wait(30_000, 'g'), { code: 'service_unavailable', headers: { 'Retry-After': '5' } });
    assert.deepEqual(await Promise.all(pausing), [false, false, false]);
    assert.ok(performance.now() - startedAt >= PAUSE_MS - 1);
    store.newest = '2-b';
    assert.deepEqual(await Promise.all(waiting), [true, true, true]);
  });

  test('an account with twice as many as it may have is refused', async () => {
    const { store, wait } = createStore({ maxPerAccount: 2 });
    const waiting = Array.from({ length: 4 }, () => wait());
    await assert.rejects(wait(), { code: 'service_unavailable' });
    await Promise.all(waiting.slice(2));
    store.newest = '2-b';
    assert.deepEqual(await Promise.all(waiting), [true, true, false, false]);
  });

  test('ends for all when the service stops, leaves no timer, and does not begin again', async () => {
    const { store, waits, wait } = createStore();
    const before = countTimers();
    const waiting = Array.from({ length: 10 }, () => wait());
    await waits.end();
    assert.deepEqual(new Set(await Promise.all(waiting)), new Set([false]));
    assert.equal(await wait(), false);
    await until('neither a lookup nor a check of deadlines is due', () => countTimers() <= before);
    assert.equal(store.lookups, 0);
  });
});
