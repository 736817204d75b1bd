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

    test('a request that did not arrive is sent again; two calls make two keys', async () => {
      const { headers } = await service.signIn();
      let faults: Fault[] = [];
      proxy.direct(async () => ({ upstream: { url: service.url }, fault: faults.shift() ?? null }));
      const client = createClient({ url: proxy.url, ...persistent });
      for (const name of ['first', 'second']) {
        faults = ['reset', 'unavailable', 'gateway'];
        const { data } = await client.createApiKey({ name }, { headers });
        assert.equal(faults.length, 0);
        // The secret works.
        await createClient({ url: service.url, key: data.secret }).listCountries();
      }
      const { data: keys } = await client.listApiKeys({ headers });
      assert.deepEqual(keys.map(({ name }) => name).toSorted(), ['first', 'second']);
    });

    test('a key whose reply was lost is made once, and the error names it', async () => {
      const { headers } = await service.signIn();
      const faults: Fault[] = ['lost'];
      proxy.direct(async () => ({ upstream: { url: service.url }, fault: faults.shift() ?? null }));
      const client = createClient({ url: proxy.url, ...persistent });
      const error = await client.createApiKey({ name: 'once' }, { headers }).catch((reason: unknown) => reason);
      assert.ok(error instanceof IdempotencyKeyReused, String(error));
      const { data: keys } = await client.listApiKeys({ headers });
      assert.deepEqual(
        keys.map(({ id, name }) => [id, name]),
        [[error.resourceId, 'once']],
      );
      await client.revokeApiKey({ id: error.resourceId ?? '' }, { headers });
    });

    test('a program can choose the Idempotency-Key, to repeat a call after a restart', async () => {
      const { headers: cookie } = await service.signIn();
      const headers = { ...cookie, 'Idempotency-Key': 'b1d4c2f8-chosen-by-the-program' };
      const create = () => createClient({ url: service.url }).createApiKey({ name: 'one' }, { headers });
      const { data } = await create();
      await assert.rejects(create(), { name: 'IdempotencyKeyReused', resourceId: data.id });
    });
  });
}
