import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runs } from '../harness/depth.ts';
import { of, SEARCH, startTraffic, tally } from '../harness/load.ts';
import type { Machines } from '../harness/machines.ts';
import { until } from '../harness/until.ts';

/** While one machine restarts, at least one other serves. */
export function testRollingRestart(use: () => Machines): void {
  test('a rolling restart under load drops no request, and every answer is charged once', async (t) => {
    const machines = use();
    const { balancer, office, urls } = machines;
    const account = await office.createAccount({ keys: 10 });
    const paths = [SEARCH, '/api/v1/countries'];
    const traffic = startTraffic({
      urls: [balancer.url],
      paths,
      keys: account.keys,
      callers: 16,
      pauseMs: runs(120, 40),
    });
    await until('there is load', () => traffic.answers.length > 30);
    for (const [index] of urls.entries()) {
      await machines.restart(index);
      const before = balancer.sent.length;
      await until('there is load', () => balancer.sent.length >= before + 60);
      const its = balancer.sent.slice(before).filter(({ machine }) => machine === urls[index]);
      assert.ok(its.length > 0, 'the restarted machine gets no requests');
    }
    const answers = await traffic.stop();
    t.diagnostic(`${answers.length} requests during the restarts`);
    assert.deepEqual(balancer.dropped, []);
    assert.deepEqual(tally(answers), { 200: answers.length });
    const used = await office.settle(account.accountId);
    assert.deepEqual(used, { quota: of(200, answers).length, daily: of(200, answers).length });
  });
}
