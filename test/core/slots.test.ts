import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createSlots } from '../../src/core/requests/slots.ts';
import { chooseFileLimits } from '../../src/result-files/result-files.ts';

/** Slots with a clock that the test sets, and the accounts whose downloads had to end. */
function createHouse(limits: { perAccount: number; inTotal: number }) {
  const house = { now: 1_000, ended: [] as string[] };
  const slots = createSlots({ ...limits, guaranteedMs: 30_000 }, () => house.now);
  return { house, take: (account: string) => slots.take(account, () => house.ended.push(account)) };
}

test('an account has a bounded number, and each is released once', () => {
  const { take } = createHouse({ perAccount: 2, inTotal: 3 });
  const first = take('a');
  take('a');
  assert.throws(() => take('a'), { code: 'concurrency_limit_exceeded', headers: { 'Retry-After': '5' } });
  first();
  first();
  take('a');
  assert.throws(() => take('a'), { code: 'concurrency_limit_exceeded' });
});

test('in a full house, an account without a download gets the newest one of an account with several', () => {
  const { house, take } = createHouse({ perAccount: 2, inTotal: 4 });
  for (const account of ['a', 'a', 'b', 'b']) take(account);
  take('c');
  assert.deepEqual(house.ended, ['b']);
  take('d');
  assert.deepEqual(house.ended, ['b', 'a']);
});

test('if every account has one, the oldest ends after its guaranteed time, and only for an account that has none', () => {
  const { house, take } = createHouse({ perAccount: 2, inTotal: 2 });
  take('a');
  house.now += 10_000;
  take('b');
  assert.throws(() => take('c'), { code: 'service_unavailable', headers: { 'Retry-After': '20' } });
  house.now += 20_000;
  assert.throws(() => take('b'), { code: 'service_unavailable' }, 'a second one does not end the only one of another');
  take('c');
  assert.deepEqual(house.ended, ['a']);
});

test('an account that has none gets one within the guaranteed time, whatever others do', () => {
  const accounts = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 40 });
  fc.assert(
    fc.property(accounts, fc.integer({ min: 1, max: 4 }), (takers, inTotal) => {
      const { house, take } = createHouse({ perAccount: 2, inTotal });
      for (const account of takers) {
        try {
          take(account);
        } catch {}
      }
      house.now += 30_000;
      take('newcomer');
      assert.ok(house.ended.length <= takers.length);
    }),
  );
});

test('an engine that reads few whole results at the same time leaves half of them to other accounts', () => {
  const limitsOf = (most?: number) => {
    const { perAccount, inTotal } = chooseFileLimits(most);
    return [perAccount, inTotal];
  };
  assert.deepEqual(
    [limitsOf(), limitsOf(100), limitsOf(3), limitsOf(2), limitsOf(1)],
    [
      [2, 16],
      [2, 16],
      [1, 3],
      [1, 2],
      [1, 1],
    ],
  );
});
