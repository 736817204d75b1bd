import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  type Client,
  createClient,
  EntityNotFound,
  InvalidApiKey,
  InvalidRequest,
  NotFound,
  QuotaExceeded,
  SnapshotChanged,
  Unauthorized,
} from '../../clients/typescript/src/index.ts';
import { engines } from '../harness/databases.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';

const COMPANIES = Array.from({ length: 25 }, (_, at) => company(`${10_000_000 + at}`, `ACME ${at} LTD`));

async function collect<T>(all: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of all) items.push(item);
  return items;
}

for (const engine of engines) {
  describe(`the TypeScript client with the service on ${engine}`, () => {
    let service: TestService;
    let client: Client;
    before(async () => {
      service = await startService(engine);
      await importCompanies(service, COMPANIES);
      client = createClient({ url: service.url, key: await service.createKey(), backoff: 10 });
    });
    after(() => service?.[Symbol.asyncDispose]());

    test('a search gives every company once, in the order of the API, whatever the page size', async () => {
      const { data } = await client.searchEntities({ q: 'acme', pageSize: 100 });
      assert.equal(data.length, COMPANIES.length);
      for (const pageSize of [1, 4, 5, 24, 25, undefined]) {
        assert.deepEqual(await collect(client.entities.search({ q: 'acme', country: 'gb', pageSize })), data);
      }
      assert.deepEqual(await collect(client.entities.search({ q: 'nothing like it' })), []);
    });

    test('a record, its types of errors, and the limits', async () => {
      const [first] = (await client.searchEntities({ q: 'acme 7' })).data;
      const record = await client.entities.get(first?.id ?? '');
      assert.equal(record.canonicalName, 'ACME 7 LTD');
      assert.equal(record.registry.legalForm?.label, 'Private Limited Company');
      const missing = await client.entities.get('00000000-0000-4000-8000-000000000000').catch((error) => error);
      assert.ok(missing instanceof EntityNotFound && missing instanceof NotFound);
      assert.deepEqual([missing.status, missing.code, missing.name], [404, 'entity_not_found', 'EntityNotFound']);
      assert.match(missing.requestId ?? '', /^[0-9a-f-]{36}$/);
      assert.match(missing.docs ?? '', /\/docs\/errors\/entity_not_found$/);
      await assert.rejects(client.entities.get('no id'), InvalidRequest);
      await assert.rejects(client.listChanges({ cursor: 'nonsense' }), InvalidRequest);
      assert.equal(client.limits?.window.limit, 3_000);
      assert.ok((client.limits?.quota.remaining ?? 0) < 1_000_000);
      assert.ok(client.limits?.quota.resetsAt instanceof Date);
    });

    test('a repeated request is revalidated and costs no quota', async () => {
      const repeating = createClient({ url: service.url, key: await service.createKey() });
      const first = await repeating.searchEntities({ q: 'acme' });
      const left = repeating.limits?.quota.remaining;
      first.data.length = 0;
      const second = await repeating.searchEntities({ q: 'acme' });
      assert.equal(second.data.length, 25);
      assert.equal(repeating.limits?.quota.remaining, left);
      assert.deepEqual((await collect(repeating.entities.search({ q: 'acme', pageSize: 10 }))).length, 25);
      const afterFirst = repeating.limits?.quota.remaining;
      assert.deepEqual((await collect(repeating.entities.search({ q: 'acme', pageSize: 10 }))).length, 25);
      assert.equal(repeating.limits?.quota.remaining, afterFirst);
    });

    test('an exhausted quota is reported at once', async () => {
      const { account } = await service.signIn({ plan: 'free' });
      const { secret: key } = await service.services.apiKeys.create(account.accountId, 'poor');
      const poor = createClient({ url: service.url, key, cache: 0 });
      await poor.searchEntities({ pageSize: 1 });
      await service.services.accountsDb.run('UPDATE quotas SET used = 1000 WHERE account_id = $1', [account.accountId]);
      service.clock.advance(60_000);
      await assert.rejects(
        poor.searchEntities({ pageSize: 1 }),
        (error) => error instanceof QuotaExceeded && (error.retryAfter ?? 0) > 60,
      );
      await assert.rejects(poor.searchEntitiesHead({ pageSize: 1 }), QuotaExceeded);
    });

    test('the cursor of a search leads to everything that changed after its first page, also after a restart', async () => {
      const companies = client.entities.search({ q: 'acme', pageSize: 5 });
      assert.equal(companies.cursor, undefined);
      const copy = new Map<string, string>();
      for await (const { id, canonicalName } of companies) {
        copy.set(id, canonicalName);
        // This company is not given again, so only the feed shows its new name.
        if (copy.size === 3) await importCompanies(service, [company('10000001', 'ACME 1 RENAMED LTD')]);
      }
      for await (const { entityId, after } of client.changes.read({ cursor: companies.cursor }))
        copy.set(entityId ?? assert.fail(), after?.canonicalName ?? assert.fail());
      const now = await collect(client.entities.search({ q: 'acme' }));
      assert.ok(now.some(({ canonicalName }) => canonicalName === 'ACME 1 RENAMED LTD'));
      assert.deepEqual(copy, new Map(now.map(({ id, canonicalName }) => [id, canonicalName])));
    });

    test('an import between two pages: restart gives the rest once, throw ends with SnapshotChanged', async () => {
      let imports = 0;
      const rename = async () => {
        imports += 1;
        // One company moves to the front and one to the end; one is new on a page that was read.
        await importCompanies(service, [
          company('10000009', `AAA ACME ${imports} LTD`),
          company('10000000', `ZZZ ACME ${imports} LTD`),
          company(`2000000${imports}`, `ABC ACME ${imports} LTD`),
        ]);
      };
      const walk = async (onChange: 'restart' | 'throw') => {
        const names: string[] = [];
        const ids = new Set<string>();
        for await (const { id, canonicalName } of client.entities.search({ q: 'acme', pageSize: 5 }, { onChange })) {
          names.push(canonicalName);
          ids.add(id);
          if (names.length === 7) await rename();
        }
        assert.equal(ids.size, names.length);
        return ids;
      };
      const given = await walk('restart');
      for (const { id, canonicalName } of await collect(client.entities.search({ q: 'acme' }))) {
        assert.ok(given.has(id), canonicalName);
      }
      assert.equal(given.size, 26);
      await assert.rejects(walk('throw'), SnapshotChanged);
    });

    test('changes: read to the present, follow from a stored cursor', async () => {
      const cursor = await client.changes.now();
      assert.deepEqual(await collect(client.changes.read({ cursor })), []);
      await importCompanies(service, [
        company('10000001', 'ACME CHANGED LTD'),
        company('10000002', 'ACME CHANGED TOO LTD'),
      ]);
      const names = (await collect(client.changes.read({ cursor }))).map(({ after }) => after?.canonicalName);
      assert.deepEqual(names.toSorted(), ['ACME CHANGED LTD', 'ACME CHANGED TOO LTD']);
      const followed: unknown[] = [];
      let stored = cursor;
      for (let restart = 0; restart < 2; restart++) {
        for await (const change of client.changes.follow({ cursor: stored })) {
          followed.push(change.after?.canonicalName);
          stored = change.cursor;
          break;
        }
      }
      assert.deepEqual(followed, names);
      assert.deepEqual(await collect(client.changes.read({ cursor: stored })), []);
    });

    test('other operations: countries, plans, health, contract, files, account', async () => {
      assert.ok((await client.listCountries()).data.some(({ code, enabled }) => code === 'GB' && enabled));
      assert.deepEqual(
        (await client.listPlans()).data.map(({ id }) => id),
        ['free', 'pro', 'business'],
      );
      assert.equal((await client.getReadiness()).status, 'ready');
      assert.equal((await client.getContract()).openapi, '3.1.1');
      const headers = await client.searchEntitiesHead({ q: 'acme' });
      assert.match(headers.get('x-data-version') ?? '', /^\d+\.\d+\.\d+\.\d+-\w+$/);
      const csv = await client.open('searchEntities', { q: 'acme', page: 'all' }, { headers: { Accept: 'text/csv' } });
      assert.match(await csv.text(), /^id,countryCode,register/);
      await assert.rejects(client.getAccount(), Unauthorized);
      await assert.rejects(
        createClient({ url: service.url, key: `${await service.createKey()}x` }).listCountries(),
        InvalidApiKey,
      );
      await assert.rejects(createClient({ url: service.url }).listCountries(), Unauthorized);
    });
  });
}
