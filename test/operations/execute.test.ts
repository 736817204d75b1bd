import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createExecutor } from '../../src/accounts/charging/execute.ts';
import type {
  BatchOperation,
  Credential,
  Exchange,
  Operation,
  PricedOperation,
  QuotedOperation,
  Reply,
} from '../../src/accounts/charging/operation.ts';
import { fail } from '../../src/base/errors.ts';
import { startDeadline } from '../../src/base/system/deadline.ts';
import { usualEngines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { describeOn } from '../harness/describe-on.ts';
import { until } from '../harness/until.ts';
import { createCaller, type Terms, useMeterStore } from '../metering/meter-store.ts';

const unit: PricedOperation<string, string, string> = {
  price: 'unit',
  read: (input) => input,
  answer: (given) => `answer to ${given}`,
};
const quoted = (units: number): QuotedOperation<string, string, string> => ({
  price: 'quoted',
  read: (input) => input,
  quote: (given, _context, sell) => sell(units, given),
});

/** A batch of `units` queries, of which `answered` succeed. */
const batch = (units: number, answered = units): BatchOperation<string, string, string> => ({
  price: 'batch',
  read: (input) => input,
  countUnits: () => units,
  waitMs: () => 0,
  answer: async (given) => ({ answer: given, units: answered }),
});

describeOn(usualEngines, 'the executor', (engine) => {
  const store = useMeterStore(engine);

  /** A caller with its executor: what an operation has answered and cost. */
  function start({ isFree = false, ...terms }: Terms & { readonly isFree?: boolean } = {}) {
    const { meter } = store.newMeter();
    const paid = createCaller(terms);
    const caller = isFree ? { ...paid, plan: { ...paid.plan, id: 'free', monthlyPriceEur: 0 } as const } : paid;
    const executor = createExecutor({ identify: (_exchange, found) => found(caller), meter });
    const credential: Credential = { kind: 'session', account: caller };
    const exchange = (): Exchange<string> => ({ input: 'x', credential, deadline: startDeadline(), caller: null });
    const used = async () => (await store.storedQuota(caller)) ?? 0;
    return { executor, exchange, used, caller };
  }

  function run(
    { executor, exchange }: ReturnType<typeof start>,
    operation: Operation<string, string, string>,
    deliver: (reply: Reply<string>) => undefined | Promise<number> = () => undefined,
  ): Promise<Reply<string>> {
    return new Promise((resolve) => {
      executor.execute(operation, exchange(), (reply) => {
        resolve(reply);
        return deliver(reply);
      });
    });
  }

  test('an answer costs one unit, a free answer and a free operation none', async () => {
    const each = start();
    assert.deepEqual(pick(await run(each, unit)), ['answered', 1]);
    assert.deepEqual(pick(await run(each, { ...unit, isFree: () => true })), ['answered', 0]);
    assert.deepEqual(pick(await run(each, { ...unit, price: 'free' })), ['answered', 0]);
    assert.equal(await each.used(), 1);
  });

  test('an answer that cannot be written is refunded, and the error is written instead', async () => {
    const each = start();
    const replies: string[] = [];
    await new Promise<void>((resolve) => {
      each.executor.execute(unit, each.exchange(), (reply) => {
        replies.push(reply.outcome);
        if (reply.outcome === 'answered') throw new Error('no socket');
        resolve();
        return undefined;
      });
    });
    assert.deepEqual(replies, ['answered', 'failed']);
    await until('the refund', async () => (await each.used()) === 0);
  });

  test('units of a quoted operation that are not delivered are refunded before `settle` resolves', async () => {
    const each = start();
    const delivery = Promise.withResolvers<number>();
    const reply = await run(each, quoted(7), () => delivery.promise);
    assert.deepEqual(pick(reply), ['answered', 7]);
    assert.equal(await each.used(), 7);
    const delivered = each.executor.whenDelivered();
    delivery.resolve(3);
    await delivered;
    assert.equal(await each.used(), 3);
  });

  test('a quoted operation whose delivery fails is refunded whole, and one that needs more than is left costs nothing', async () => {
    const each = start();
    await run(each, quoted(5), (reply) =>
      reply.outcome === 'answered' ? Promise.reject(new Error('no disk')) : undefined,
    );
    await each.executor.whenDelivered();
    assert.equal(await each.used(), 0);
    const { plan } = each.caller;
    const denied = await run(each, quoted(plan.monthlyRequests + 1));
    assert.deepEqual(
      [denied.outcome, denied.outcome === 'denied' && denied.units],
      ['denied', plan.monthlyRequests + 1],
    );
    assert.equal(await each.used(), 0);
    assert.deepEqual(pick(await run(each, quoted(0))), ['answered', 0]);
  });

  test('a batch is paid before its work starts, and its failed queries are refunded before the reply', async () => {
    const each = start({ perPeriod: 10 });
    const duringWork: number[] = [];
    const operation: BatchOperation<string, string, string> = {
      ...batch(7),
      answer: async (given, { limits }) => {
        duringWork.push(await each.used(), limits.quota.remaining);
        return { answer: given, units: 4 };
      },
    };
    const atReply = Promise.withResolvers<number>();
    const reply = await run(each, operation, () => void each.used().then(atReply.resolve, atReply.reject));
    assert.deepEqual(duringWork, [7, 3]);
    assert.deepEqual(pick(reply), ['answered', 4]);
    assert.equal(reply.limits?.quota.remaining, 6);
    assert.equal(await atReply.promise, 4);
    assert.deepEqual(pick(await run(each, batch(0))), ['answered', 0]);
    assert.equal(await each.used(), 4);
  });

  test('a batch that fails or cannot be written costs nothing; one whose reader has gone costs what was done', async () => {
    const each = start({ perPeriod: 10 });
    const failing: BatchOperation<string, string, string> = {
      ...batch(5),
      answer: () => Promise.reject(new Error('no index')),
    };
    const broken = await run(each, failing);
    assert.deepEqual([broken.outcome, broken.limits?.quota.remaining, await each.used()], ['failed', 10, 0]);
    const replies: Reply<string>[] = [];
    await run(each, batch(5, 3), (reply) => {
      replies.push(reply);
      if (reply.outcome === 'answered') throw new Error('no socket');
      return undefined;
    });
    await each.executor.whenDelivered();
    assert.deepEqual(
      replies.map(({ outcome, limits }) => [outcome, limits?.quota.remaining]),
      [
        ['answered', 7],
        ['failed', 10],
      ],
    );
    const gone = { destroyed: true, socket: null };
    const stopped: BatchOperation<string, string, string> = {
      ...batch(5),
      answer: async (given, { isGone }) => ({ answer: given, units: isGone() ? 2 : 5 }),
    };
    const unread = await each.executor.perform(stopped, { ...each.exchange(), response: gone });
    assert.deepEqual([pick(unread), unread.limits?.quota.remaining], [['answered', 2], 8]);
    assert.equal(await each.used(), 2);
  });

  test('a batch that needs more than is left does no work and costs nothing', async () => {
    const each = start({ perPeriod: 5 });
    let works = 0;
    const counted = (units: number): BatchOperation<string, string, string> => ({
      ...batch(units),
      answer: async (given) => {
        works++;
        return { answer: given, units };
      },
    });
    const denied = await run(each, counted(6));
    assert.ok(denied.outcome === 'denied' && denied.code === 'insufficient_quota' && denied.units === 6);
    assert.deepEqual([works, await each.used()], [0, 0]);
    assert.deepEqual(pick(await run(each, counted(5))), ['answered', 5]);
    const usedUp = await run(each, counted(1));
    assert.ok(usedUp.outcome === 'denied' && usedUp.code === 'monthly_quota_exceeded');
    assert.deepEqual([works, await each.used()], [1, 5]);
  });

  test('a paid operation is refused on the free plan whatever else it says', async () => {
    const each = start({ isFree: true });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('free', 'unit', 'quoted', 'batch'), fc.boolean(), async (price, isFree) => {
        const several = { quoted: quoted(1), batch: batch(isFree ? 0 : 1) };
        const base =
          price in several ? several[price as keyof typeof several] : { ...unit, price, isFree: () => isFree };
        const operation = { ...base, plan: 'paid' } as Operation<string, string, string>;
        const refused = await run(each, operation);
        assert.ok(refused.outcome === 'failed' && (refused.error as { code?: string }).code === 'plan_required');
      }),
      { numRuns: runs(10, 100) },
    );
    assert.equal(await each.used(), 0);
  });

  test('every request counts in the rate window, and an invalid one is reported only within it', async () => {
    const each = start({ perMinute: 3 });
    const { requestsPerMinute } = each.caller.plan;
    const invalid = {
      ...unit,
      read: () => {
        throw fail('invalid_request');
      },
    };
    const replies = [];
    for (let count = 0; count < requestsPerMinute + 1; count++) replies.push(await run(each, invalid));
    const codes = replies.map((reply) =>
      reply.outcome === 'failed' ? 'invalid' : reply.outcome === 'denied' && reply.code,
    );
    assert.deepEqual(codes.slice(-2), ['invalid', 'rate_limit_exceeded']);
    assert.equal(await each.used(), 0);
  });
});

function pick(reply: Reply<string>) {
  return [reply.outcome, reply.outcome === 'answered' ? reply.units : undefined];
}
