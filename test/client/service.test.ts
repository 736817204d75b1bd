import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import {
  type Change,
  type Client,
  createClient,
  EntityNotFound,
  InvalidApiKey,
  InvalidRequest,
  NotFound,
  SnapshotChanged,
  Unauthorized,
} from '../../clients/typescript/src/index.ts';
import { InvalidWebhook, verifyWebhook } from '../../clients/typescript/src/webhooks.ts';
import { createWebhookSecret, signMessage } from '../../src/watch/webhooks/secrets.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { company } from '../registry/gb-file.ts';

const COMPANIES = Array.from({ length: 25 }, (_, at) => company(`${10_000_000 + at}`, `ACME ${at} LTD`));

async function collect<T>(all: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of all) items.push(item);
  return items;
}

describe('the TypeScript client with the service', () => {
  const service = useService('sqlite');
  let client: Client;
  before(async () => {
    await importCompanies(service, COMPANIES);
    client = createClient({ url: service.url, key: await service.createKey(), backoff: 10 });
  });

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

  test('following gives every change once and in order, across restarts and whatever the page size', async () => {
    const publish = (names: readonly string[]) =>
      importCompanies(
        service,
        names.map((name, at) => company(`${30_000_000 + at}`, name)),
      );
    const start = await client.changes.now();
    const names = ['A1', 'B1', 'C1', 'D1', 'E1', 'A2', 'B2', 'C2', 'D2', 'E2'];
    await publish(names.slice(0, 5));
    await publish(names.slice(5));
    const expected = await collect(client.changes.read({ cursor: start }));
    assert.deepEqual(
      expected.map(({ after }) => after?.canonicalName),
      names,
    );
    for (const limit of [1, 3, 5, 100]) {
      const query = { country: 'GB', limit, wait: 0 };
      // Both programs stop after some changes, and start again from the last cursor that they stored.
      const handled: Change[] = [];
      while (handled.length < expected.length) {
        for await (const change of client.changes.follow({ ...query, cursor: handled.at(-1)?.cursor ?? start })) {
          if (handled.push(change) % 4 === 0 || handled.length === expected.length) break;
        }
      }
      assert.deepEqual(handled, expected, `changes by ${limit}`);
      const paged: Change[] = [];
      let cursor = start;
      for (let pages = 1; paged.length < expected.length; pages++) {
        for await (const { data, meta } of client.changes.followPages({ ...query, cursor })) {
          paged.push(...data);
          cursor = meta.nextCursor;
          if (pages % 2 === 0 || paged.length >= expected.length) break;
        }
      }
      assert.deepEqual(paged, expected, `pages of ${limit}`);
    }
    assert.deepEqual(await collect(client.changes.read({ cursor: start, country: 'NO' })), []);
  });

  test('other operations: countries, plans, health, contract, files, account', async () => {
    assert.ok((await client.listCountries()).data.some(({ code, enabled }) => code === 'GB' && enabled));
    assert.deepEqual(
      (await client.listPlans()).data.map(({ id }) => id),
      ['free', 'pro', 'business'],
    );
    assert.equal((await client.getReadiness()).status, 'ready');
    assert.equal((await client.getContract()).openapi, '3.1.1');
    const { headers } = await client.open('searchEntities', { q: 'acme' });
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

test('the client creates a monitor of any size, changes it and follows its changes', async () => {
  await using service = await startService('sqlite');
  const row = (index: number, name = 'ALPHA LTD') => company(String(index).padStart(8, '0'), name);
  const rows = Array.from({ length: 1_200 }, (_, index) => row(index));
  await importCompanies(service, rows);
  const { monitors } = createClient({ url: service.url, key: await service.createKey() });
  const entities = rows.map(({ CompanyNumber = '' }) => ({ countryCode: 'GB', registrationNumber: CompanyNumber }));
  const unknown = { countryCode: 'NO', registrationNumber: '1' };
  const { monitor, notFound } = await monitors.create({ name: 'all', entities: [...entities, unknown] });
  assert.deepEqual(notFound, [unknown]);
  assert.equal((await monitors.get(monitor.id)).entities, 1_200);
  assert.deepEqual(await monitors.list(), [await monitors.get(monitor.id)]);
  assert.equal(new Set(await Array.fromAsync(monitors.entities(monitor.id))).size, 1_200);
  const [first] = entities;
  assert.equal((await monitors.remove(monitor.id, first ? [first] : [])).monitor.entities, 1_199);
  assert.deepEqual((await monitors.update(monitor.id, { fields: ['canonicalName'] })).fields, ['canonicalName']);
  const following = monitors.changes(monitor.id).follow({ cursor: monitor.cursor });
  const next = following.next();
  await importCompanies(service, [row(0, 'OMEGA LTD'), row(1_199, 'OMEGA LTD')]);
  const { value } = await next;
  assert.deepEqual([value?.type, value?.after?.canonicalName], ['changed', 'OMEGA LTD']);
  await following.return();
  const all = await Array.fromAsync(monitors.changes(monitor.id).read());
  assert.deepEqual(all, [value]);
  await monitors.delete(monitor.id);
  await assert.rejects(monitors.get(monitor.id), { code: 'monitor_not_found' });
});

const secret = createWebhookSecret();
const body = JSON.stringify({ type: 'entity.changed', timestamp: '2026-03-15T12:00:00Z', data: { entityId: 'ä' } });

function sign(more: { id?: string; secrets?: string[]; age?: number } = {}): Record<string, string> {
  const { id = 'msg_1', secrets = [secret], age = 0 } = more;
  const timestamp = Math.floor(Date.now() / 1_000) - age;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signMessage({ id, timestamp, body }, secrets),
  };
}

test('it accepts what the official package accepts, as text, bytes and Headers, also during a rotation', async () => {
  const other = createWebhookSecret();
  for (const headers of [sign(), sign({ secrets: [other, secret] }), sign({ age: 290 }), sign({ age: -290 })]) {
    const expected = new Webhook(secret).verify(body, headers);
    assert.deepEqual(await verifyWebhook(headers, body, secret), expected);
    assert.deepEqual(await verifyWebhook(new Headers(headers), Buffer.from(body), secret), expected);
  }
  const timestamp = new Date();
  const theirs = { 'webhook-id': 'msg_2', 'webhook-timestamp': String(Math.floor(timestamp.getTime() / 1_000)) };
  const signature = new Webhook(secret).sign('msg_2', timestamp, body);
  assert.ok(await verifyWebhook({ ...theirs, 'webhook-signature': signature }, body, secret));
});

test('it refuses what is not signed, changed, too old, or signed with another secret', async () => {
  const good = sign();
  const bad: [Record<string, string>, string, string][] = [
    [{}, body, secret],
    [{ ...good, 'webhook-id': 'msg_2' }, body, secret],
    [{ ...good, 'webhook-timestamp': String(Number(good['webhook-timestamp']) + 1) }, body, secret],
    [{ ...good, 'webhook-timestamp': 'now' }, body, secret],
    [{ ...good, 'webhook-signature': '' }, body, secret],
    [{ ...good, 'webhook-signature': 'v1,' }, body, secret],
    [{ ...good, 'webhook-signature': 'v1,not base64!' }, body, secret],
    [{ ...good, 'webhook-signature': String(good['webhook-signature']).replace('v1', 'v1a') }, body, secret],
    [good, `${body} `, secret],
    [good, body, createWebhookSecret()],
    [sign({ age: 400 }), body, secret],
    [sign({ age: -400 }), body, secret],
  ];
  for (const [headers, text, key] of bad) await assert.rejects(verifyWebhook(headers, text, key), InvalidWebhook);
  await assert.rejects(verifyWebhook(good, body, ''), TypeError);
});

test('client.webhookEndpoints creates, changes, rotates, tests, replays, lists and deletes', async () => {
  await using service = await startService('sqlite');
  const { headers } = await service.signIn({ plan: 'pro' });
  const send: typeof fetch = (url, init) => fetch(url, { ...init, headers: { ...Object(init?.headers), ...headers } });
  const { webhookEndpoints } = createClient({ url: service.url, fetch: send });
  const created = await webhookEndpoints.create({ url: 'https://example.com/' });
  assert.match(created.secret, /^whsec_/);
  const { secret: _, ...endpoint } = created;
  assert.deepEqual(await webhookEndpoints.list(), [endpoint]);
  const paused = await webhookEndpoints.update(created.id, { enabled: false });
  assert.deepEqual(paused, await webhookEndpoints.get(created.id));
  assert.notEqual((await webhookEndpoints.rotate(created.id)).secret, created.secret);
  await webhookEndpoints.update(created.id, { enabled: true });
  const sent = [];
  for (let index = 0; index < 3; index++) sent.push((await webhookEndpoints.test(created.id)).id);
  const listed = [];
  for await (const { id } of webhookEndpoints.deliveries(created.id)) listed.push(id);
  assert.deepEqual(listed.toSorted(), sent.toSorted());
  assert.equal((await webhookEndpoints.replay(created.id)).id, created.id);
  await webhookEndpoints.delete(created.id);
  assert.deepEqual(await webhookEndpoints.list(), []);
});
