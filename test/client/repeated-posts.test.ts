import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createClient, IdempotencyKeyReused } from '../../clients/typescript/src/index.ts';
import { usualEngines } from '../harness/databases.ts';
import { startService, type TestService } from '../harness/service.ts';
import { type Fault, type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { persistent } from './steps.ts';

for (const engine of usualEngines) {
  describe(`posts of the TypeScript client through faults on ${engine}`, () => {
    let proxy: FaultProxy;
    let service: TestService;
    before(async () => {
      proxy = await startFaultProxy();
      service = await startService(engine);
    });
    after(async () => {
      await proxy?.[Symbol.asyncDispose]();
      await service?.[Symbol.asyncDispose]();
    });

    test('a key is created once, although its reply was lost several times, and two calls make two keys', async () => {
      const { headers } = await service.signIn();
      let faults: Fault[] = [];
      proxy.direct(async () => ({ upstream: { url: service.url }, fault: faults.shift() ?? null }));
      const client = createClient({ url: proxy.url, ...persistent });
      for (const name of ['first', 'second']) {
        faults = ['lost', 'reset', 'cut', 'unavailable', 'short', 'gateway'];
        const { data } = await client.createApiKey({ name }, { headers });
        assert.equal(faults.length, 0);
        // The secret works.
        await createClient({ url: service.url, key: data.secret }).listCountries();
      }
      const { data: keys } = await client.listApiKeys({ headers });
      assert.deepEqual(keys.map(({ name }) => name).toSorted(), ['first', 'second']);
    });

    test('a program can choose the Idempotency-Key, to repeat a call after a restart', async () => {
      const { headers: cookie } = await service.signIn();
      const headers = { ...cookie, 'Idempotency-Key': 'b1d4c2f8-chosen-by-the-program' };
      const create = (name: string) => createClient({ url: service.url }).createApiKey({ name }, { headers });
      const [first, second] = [await create('one'), await create('one')];
      assert.equal(first.data.secret, second.data.secret);
      await assert.rejects(create('another'), IdempotencyKeyReused);
    });
  });
}
