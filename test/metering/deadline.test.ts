import '../harness/impatient.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createExecutor } from '../../src/accounts/charging/execute.ts';
import type { PricedOperation } from '../../src/accounts/charging/operation.ts';
import { createMeter, type Meter } from '../../src/accounts/metering/meter.ts';
import { fail } from '../../src/base/errors.ts';
import { type Deadline, startDeadline } from '../../src/base/system/deadline.ts';
import type { Caller } from '../../src/base/usage.ts';
import { engines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { readLimits } from '../harness/limits.ts';
import { until } from '../harness/until.ts';
import { aroundTransactions, createCaller, useMeterStore } from './meter-store.ts';

const unavailable = { code: 'service_unavailable' };

/** Runs an operation that costs one unit. */
async function charge(meter: Meter, caller: Caller, work: () => Promise<string>, deadline: Deadline): Promise<string> {
  const operation: PricedOperation<undefined, undefined, string> = {
    price: 'unit',
    read: () => undefined,
    answer: work,
  };
  const executor = createExecutor({ identify: (_exchange, found) => found(caller), meter });
  const credential = { kind: 'session', account: caller } as const;
  const reply = await executor.perform(operation, { input: undefined, credential, deadline, caller: null });
  if (reply.outcome === 'answered') return reply.answer;
  throw reply.outcome === 'failed' ? reply.error : new Error(reply.code);
}

describeOn(engines, 'deadlines of charged requests', (engine) => {
  const store = useMeterStore(engine);

  test('work that is not done at the deadline is refunded once, even if it finishes later', async () => {
    const { meter } = store.newMeter();
    const caller = createCaller();
    const work = Promise.withResolvers<string>();
    await assert.rejects(
      charge(meter, caller, () => work.promise, startDeadline()),
      unavailable,
    );
    work.resolve('late');
    await until('the charge is refunded', async () => (await store.storedQuota(caller)) === 0);
    // Refunds are stored in order, so a second refund of the first charge would be stored by then.
    const { receipt } = await meter.take(caller, true);
    if (receipt !== null) await meter.refund(receipt);
    assert.equal(await store.storedQuota(caller), 0);
  });

  test('a response does not wait for a refund that hangs, and the refund is stored once', async () => {
    const { clock } = store.newMeter();
    const caller = createCaller();
    const held = Promise.withResolvers<void>();
    let transactions = 0;
    const slow = aroundTransactions(store.db, async (run) => {
      // The first one charges, the second one refunds.
      if (++transactions === 2) await held.promise;
      return run();
    });
    const work = () => Promise.reject(fail('entity_not_found'));
    const charged = charge(createMeter(slow, clock, readLimits()), caller, work, startDeadline());
    await assert.rejects(charged, { code: 'entity_not_found' });
    assert.equal(await store.storedQuota(caller), 1, 'the refund is not stored yet');
    held.resolve();
    await until('the charge is refunded', async () => (await store.storedQuota(caller)) === 0);
    assert.equal(transactions, 2);
  });

  test('a transaction that hangs does not make later requests wait; it is refunded when it commits', async () => {
    const { clock } = store.newMeter();
    const caller = createCaller();
    const held = Promise.withResolvers<void>();
    let isFirst = true;
    const hanging = aroundTransactions(store.db, async (run) => {
      const result = run();
      if (!isFirst) return result;
      isFirst = false;
      await result;
      await held.promise;
      return result;
    });
    const meter = createMeter(hanging, clock, readLimits());
    await assert.rejects(meter.take(caller, true, startDeadline()), unavailable);
    const later = createCaller();
    await until('another request is counted', async () => {
      const decision = await meter.take(later, true).catch(() => undefined);
      return decision?.outcome === 'granted';
    });
    assert.equal(await store.storedQuota(caller), 1);
    held.resolve();
    await until('the charge is refunded', async () => (await store.storedQuota(caller)) === 0);
  });
});
