import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { usualEngines } from '../harness/databases.ts';
import { importSynthetic } from '../harness/entities.ts';
import { pageOpener } from '../harness/pages.ts';
import { startService, type TestService, type TestSession } from '../harness/service.ts';

/** An earlier release may have stored records that are hard to show. A request that fails is not charged. */
for (const engine of usualEngines) {
  describe(`records that are hard to show on ${engine}`, () => {
    let service: TestService;
    let session: TestSession;
    let ids: string[];
    let id: string;
    const countUsed = async () => (await service.services.meter.readUsage(session.account)).used;
    const store = (columns: { registry?: string; sourceData?: string; layout?: number | null }) =>
      service.services.registryDb.run(
        `UPDATE entities SET registry = $1, source_data = $2, layout = $3 WHERE id = $4`,
        [columns.registry ?? '{}', columns.sourceData ?? '{}', columns.layout ?? null, id],
      );

    before(async () => {
      service = await startService(engine);
      await importSynthetic(service, 'gb', 6);
      const found = await service.services.registryDb.all<{ id: string }>('SELECT id FROM entities ORDER BY id');
      ids = found.map((row) => row.id);
    });
    beforeEach(async () => {
      session = await service.signIn();
      id = ids.at(-1) ?? '';
    });
    after(() => service[Symbol.asyncDispose]());

    for (const [index, depth] of [50, 5_000, 20_000, 200_000].entries()) {
      test(`nested ${depth} levels deep: the page says where it stops, the API sends all of it`, async () => {
        id = ids[index] ?? '';
        const registry = `{"deep":${'['.repeat(depth)}${']'.repeat(depth)}}`;
        const sourceData = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
        await store({ registry, sourceData });
        const page = await pageOpener(service)(`/entities/${id}`, session);
        assert.equal(page.status, 200);
        assert.match(page.text, /nested more than 16 levels deep: see the JSON/);
        assert.ok(page.html.length < 400_000, `${page.html.length} characters`);
        assert.equal(await countUsed(), 1);
        const reply = await fetch(`${service.url}/api/v1/entities/${id}`, {
          headers: { 'x-api-key': await service.findKey() },
        });
        assert.equal(reply.status, 200);
        assert.ok((await reply.text()).includes(`"registry":${registry},"sourceData":${sourceData}`));
      });
    }

    test('a page that cannot be rendered is not charged, however often it is opened', async () => {
      await store({ registry: '{"status":' });
      for (let round = 0; round < 5; round++) {
        const page = await pageOpener(service)(`/entities/${id}`, session);
        assert.equal(page.status, 500);
      }
      assert.equal(await countUsed(), 0);
    });

    test('a record that the API cannot serialize is not charged', async () => {
      // The cells of a row whose columns are known, but not as a list.
      const { layout = null } =
        (await service.services.registryDb.one<{ layout: number }>(
          'SELECT layout FROM entities WHERE layout IS NOT NULL',
        )) ?? {};
      await store({ sourceData: '["cut', layout });
      const key = await service.createKey({ plan: 'free' });
      const read = () => fetch(`${service.url}/api/v1/entities/${id}`, { headers: { 'x-api-key': key } });
      for (let round = 0; round < 5; round++) {
        const reply = await read();
        assert.equal(reply.status, 500);
        assert.equal(reply.headers.get('x-monthly-quota-remaining'), '1000');
      }
    });

    test('a search whose page cannot be rendered is not charged', async () => {
      const { search } = service.services;
      const { find } = search;
      search.find = async (query) => {
        const { version, total } = await find(query);
        return { version, total, body: Buffer.from('{"data":null,"meta":null}') };
      };
      try {
        assert.equal((await pageOpener(service)('/explore?q=a', session)).status, 500);
        assert.equal(await countUsed(), 0);
      } finally {
        search.find = find;
      }
    });
  });
}
