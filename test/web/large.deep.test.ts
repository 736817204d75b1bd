import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { registers } from '../../src/registers/index.ts';
import { createRegistry } from '../../src/registry/registry.ts';
import { importLargeCompany } from '../abuse/large-company.ts';
import { usualEngines } from '../harness/databases.ts';
import type { TestSession } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { pageOpener } from './pages.ts';

const BRANCHES = 1_203;
/** Every page stays below this, whatever the record contains. */
const MAX_PAGE_LENGTH = 400_000;

for (const engine of usualEngines) {
  describe(`a record with ${BRANCHES} establishments on ${engine}`, () => {
    const service = useService(engine);
    const open = pageOpener(service);
    let session: TestSession;
    let id: string;
    const countUsed = async () => (await service.services.meter.readUsage(session.account)).used;

    before(async () => {
      id = await importLargeCompany(service, 'br', BRANCHES);
      session = await service.signIn();
    });

    test('its page is bounded and leads to the rest of every list', async () => {
      const { status, html, text } = await open(`/entities/${id}`, session);
      assert.equal(status, 200);
      assert.ok(html.length < MAX_PAGE_LENGTH, `${html.length} characters`);
      assert.match(text, /The first 20 of 1,203\. Show all 1,203/);
      assert.match(text, /The first 20 of 1,204\. Show all 1,204/, 'registrations');
      assert.match(text, /1,204 in total: show all/, 'rows of the source');
      assert.match(text, /too large to be shown here/);
      const lists = new Set(Array.from(html.matchAll(/\?list=([^"]+)"/g), ([, list = '']) => decodeURIComponent(list)));
      assert.deepEqual([...lists].sort(), [
        '/registrations',
        '/registry/establishments',
        '/sourceData/estabelecimentos',
      ]);
      for (const list of lists) {
        const page = await open(`/entities/${id}?list=${encodeURIComponent(list)}&page=2`, session);
        assert.equal(page.status, 200);
        assert.ok(page.html.length < MAX_PAGE_LENGTH, `${page.html.length} characters`);
        assert.match(page.text, /51 to 100 of 1,20[34]/);
      }
    });

    test('the pages of a list show every item once', async () => {
      const seen: string[] = [];
      for (let page = 1; page <= 25; page++) {
        const { text } = await open(`/entities/${id}?list=/registry/establishments&page=${page}`, session);
        seen.push(...Array.from(text.matchAll(/ LOJA (\d+) /g), ([, number = '']) => number));
      }
      assert.deepEqual(
        seen,
        Array.from({ length: BRANCHES }, (_, index) => String(index + 1)),
      );
      const beyond = await open(`/entities/${id}?list=/registry/establishments&page=26`, session);
      assert.match(beyond.text, /Page 26 does not exist\. The last page is 25\./);
      const far = await open(`/entities/${id}?list=/registry/establishments&page=${'9'.repeat(400)}`, session);
      assert.match(far.text, /Page 9,007,199,254,740,991 does not exist\. The last page is 25\./);
    });

    test('the complete JSON is a link, which is charged like the record', async () => {
      const before = await countUsed();
      const reply = await fetch(`${service.url}/entities/${id}/json`, { headers: session.headers });
      assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8');
      const { content } = (await createRegistry(service.services.registryDb, registers).findEntity(id)) ?? {};
      assert.equal(await reply.text(), String(content));
      assert.equal(await countUsed(), before + 1);
      assert.equal((await fetch(`${service.url}/entities/${id}/json`)).status, 401);
    });

    test('an invalid page, a list that does not exist and an unknown record cost nothing', async () => {
      const before = await countUsed();
      for (const [address, status] of [
        [`/entities/${id}?list=/registrations&page=0`, 400],
        [`/entities/${id}?list=/registrations&page=1e3`, 400],
        [`/entities/${id}?list=/registry`, 404],
        [`/entities/${id}?list=/registry/toString`, 404],
        [`/entities/${id}?list=/registrations/5000/x`, 404],
        [`/entities/${id}?list=nonsense`, 404],
        ['/entities/00000000-0000-4000-8000-000000000000?list=/registrations', 404],
        ['/entities/00000000-0000-4000-8000-000000000000/json', 404],
      ] as const) {
        assert.equal((await open(address, session)).status, status, address);
      }
      assert.equal(await countUsed(), before);
    });
  });
}
