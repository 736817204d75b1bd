import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Register } from '../../src/registers/contract.ts';
import { ADDRESSES_READ_AT } from '../../src/registers/fetch-plan.ts';
import { registers } from '../../src/registers/index.ts';
import { lv } from '../../src/registers/lv/register.ts';
import { sg } from '../../src/registers/sg/register.ts';
import { useFetching } from './fetching.ts';
import { imitatePublishers, useImitatedPublishers } from './imitated-publishers.ts';

const fetchable = registers.filter(({ fetch }) => fetch.kind !== 'manual');

/** Generated files are small. */
function withoutMinimum(register: Register): Register {
  const { fetch: plan } = register;
  return plan.kind === 'manual' ? register : { ...register, fetch: { ...plan, size: { ...plan.size, min: 1 } } };
}

describe('the manifests', () => {
  const publishers = useImitatedPublishers(fetchable);

  test('let at least 15 registers be fetched, and say for the others what a person has to do', async () => {
    assert.ok(fetchable.length >= 15);
    const { fetch } = useFetching();
    for (const register of registers) {
      const { fetch: plan } = register;
      if (plan.kind !== 'manual') continue;
      assert.ok(plan.steps.length > 0, register.id);
      const { outcome, message } = await fetch({ register });
      assert.equal(outcome, 'manual');
      for (const step of plan.steps) assert.ok(message?.includes(step));
    }
  });

  test('have https addresses, sensible bounds, and the origin of their addresses', () => {
    for (const { id, fetch: plan } of fetchable) {
      assert.ok(plan.kind !== 'manual');
      assert.ok(plan.size.min >= 1_000_000 && plan.size.max >= 3 * plan.size.min, id);
      assert.ok(plan.readIn.length > 10, id);
      assert.doesNotMatch(JSON.stringify(plan), /http:/, id);
    }
  });

  test('explain where to look when a publisher has vanished, changed its page or its list', async () => {
    const { fetch, state } = useFetching();
    const empty = await imitatePublishers([], publishers.certificate);
    const proxies = { http: '', https: empty.proxy, except: '' };
    for (const register of fetchable) {
      assert.ok(register.fetch.kind !== 'manual');
      const { outcome, message } = await fetch({ register, proxies });
      assert.equal(outcome, 'failed');
      const origin = `(the address was read in ${register.fetch.readIn} on ${ADDRESSES_READ_AT})`;
      const advice = `find its new address on ${register.sourceUrl} and name it in FETCH_SOURCES.`;
      assert.ok(message?.endsWith(`${origin}: ${advice}`), message ?? '');
      assert.deepEqual((await state(register.id)).snapshots, []);
    }
    await empty.close();
  });

  test('have bounds of the size, and files that are smaller or larger together are refused', async () => {
    const proxies = { http: '', https: publishers.proxy, except: '' };
    const small = useFetching();
    const { message } = await small.fetch({ register: lv, proxies });
    assert.match(
      message ?? '',
      /^The download has [\d,]+ bytes, but the register has at least 90,000,000 bytes\. It was/,
    );
    assert.deepEqual((await small.state()).snapshots, []);

    assert.ok(sg.fetch.kind !== 'manual');
    const sizes = (await useFetching().fetch({ register: withoutMinimum(sg), proxies })).files.map(({ size }) => size);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    assert.ok(sizes.length > 1);
    const withMaximum = (max: number) => ({ ...sg, fetch: { ...sg.fetch, size: { min: total, max } } }) as Register;
    const large = await useFetching().fetch({ register: withMaximum(total - 1), proxies });
    assert.match(large.message ?? '', /^The download has [\d,]+ bytes, but the register has at most [\d,]+ bytes/);
    assert.equal((await useFetching().fetch({ register: withMaximum(total), proxies })).outcome, 'new');
  });

  // test/registry/registers.test.ts imports these files.
  for (const register of fetchable) {
    test(`lead to the files of ${register.id}, which are kept and unchanged the next time`, async () => {
      const { fetch, state } = useFetching();
      const proxies = { http: '', https: publishers.proxy, except: '' };
      const first = await fetch({ register: withoutMinimum(register), proxies });
      assert.deepEqual([first.outcome, first.message], ['new', null]);
      const { snapshots } = await state(register.id);
      const from = publishers.requests.length;
      const second = await fetch({ register: withoutMinimum(register), proxies });
      assert.deepEqual([second.outcome, second.message], ['unchanged', null]);
      assert.deepEqual((await state(register.id)).snapshots, snapshots);
      const repeated = publishers.requests.slice(from).filter((address, index, all) => all.indexOf(address) !== index);
      assert.ok(repeated.length <= 1, 'each address is requested once, and the first of a month twice');
      assert.doesNotMatch(JSON.stringify([first, await state(register.id)]), /signature=secret/);
    });
  }
});
