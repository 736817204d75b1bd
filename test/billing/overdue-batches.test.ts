import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createApplier } from '../../src/billing/apply.ts';
import { readEvent } from '../../src/billing/events.ts';
import { createExpiry } from '../../src/billing/expiry/expiry.ts';
import { insertEvent } from '../../src/billing/store.ts';
import { readSubscription } from '../../src/billing/subscription.ts';
import { openStore } from '../../src/db/open.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase, engines } from '../harness/databases.ts';
import { renderEvent, renderSubscription } from '../harness/payment-events.ts';
import { planOfPrice } from './history.ts';

const MONTH = 30 * 86_400;
const log = { info: () => undefined, warn: () => undefined };

for (const engine of engines) {
  describe(`more overdue subscriptions than one batch, on ${engine}`, () => {
    test('each is asked about once in one run, four at the same time', async () => {
      const clock = testClock();
      const database = await createDatabase(engine, { migrated: true });
      await using cleanup = new AsyncDisposableStack();
      cleanup.defer(() => database.remove());
      const db = openStore('accounts', database);
      cleanup.defer(() => db.close());
      const applier = createApplier({ db, clock, graceMs: 0, ask: async () => undefined, onChange: () => undefined });
      const start = Math.floor(clock.now() / 1_000);
      const ids = Array.from({ length: 45 }, (_, index) => `sub_${String(index).padStart(2, '0')}`);
      const render = (id: string, end: number) => renderSubscription({ id, period: [start, end] });
      for (const id of ids) {
        const object = render(id, start + MONTH);
        const text = renderEvent({ type: 'customer.subscription.updated', created: start, object });
        const event = readEvent(text, planOfPrice);
        await insertEvent(db, event, text, clock.now());
        await applier.applyEvent(event);
      }
      clock.advance((MONTH + 86_400) * 1_000);

      const asked: string[] = [];
      let [waiting, most] = [0, 0];
      const provider = {
        isConfigured: () => true,
        async readSubscription(id: string) {
          asked.push(id);
          most = Math.max(most, ++waiting);
          // Long enough for every call that may start meanwhile.
          for (let turns = 0; turns < 10; turns++) await turn();
          waiting--;
          const subscription = readSubscription(render(id, start + 3 * MONTH), planOfPrice) ?? assert.fail();
          return { subscription, asOf: Math.floor(clock.now() / 1_000) };
        },
      };
      const expiry = createExpiry({ db, clock, log, provider, applier, graceMs: 0 });
      await expiry.checkOverdue();
      assert.deepEqual(asked.toSorted(), ids);
      assert.equal(most, 4);
      await expiry.checkOverdue();
      assert.equal(asked.length, ids.length, 'they are not overdue any more');
    });
  });
}
