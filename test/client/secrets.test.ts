import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { createClient } from '../../clients/typescript/src/index.ts';
import { createReplyCache } from '../../clients/typescript/src/reply-cache.ts';
import { sendError, sendJson, startScript } from './scripted-server.ts';

const KEY = 'frm_test_DoNotShowThisKey0123456789';
const SESSION = 'session.DoNotShow.This';
const COUNTRIES = { data: [], meta: { count: 0 } };
const options = { key: KEY, session: SESSION, attempts: 1 };

/** Everything that a program may print about a value. */
function show(value: unknown): string {
  const { stack, message } = value instanceof Error ? value : { stack: '', message: '' };
  return [
    inspect(value, { showHidden: true, depth: 20, getters: true }),
    JSON.stringify(value),
    String(value),
    stack,
    message,
  ].join('\n');
}

function assertHidden(value: unknown): void {
  const text = show(value);
  assert.ok(!text.includes('DoNotShow'), text);
}

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => assert.fail('it did not fail'),
    (error: unknown) => error,
  );

describe('the key in the TypeScript client', () => {
  test('does not appear in the client, its parts and its errors', async () => {
    await using server = await startScript((response, request) => {
      // A reply that repeats what was sent.
      if (request.url?.startsWith('/api/v1/countries'))
        return sendError(response, 400, `invalid_${request.headers.authorization}`);
      response.destroy();
    });
    const client = createClient({ url: server.url, ...options });
    assertHidden(client);
    assertHidden(client.entities);
    assertHidden(client.entities.search({ q: 'acme' }));
    assertHidden(client.changes);
    assertHidden(await failureOf(client.listCountries()));
    assertHidden(await failureOf(client.listExports()));
    assertHidden(await failureOf(client.getAccount()));
    assert.deepEqual(
      server.requests.map(({ headers }) => headers.authorization),
      [KEY, KEY, SESSION].map((credential) => `Bearer ${credential}`),
    );
  });

  test('does not appear when fetch rejects it, or throws what it was given', async () => {
    for (const key of [`${KEY}\n`, `${KEY} x`, `${KEY}é`, '']) {
      const error = await failureOf(Promise.resolve().then(() => createClient({ url: 'http://x.test', key })));
      assert.match(String(error), /"key" must have only visible ASCII characters/);
      assertHidden(error);
    }
    const careless = (async (input: unknown, init: unknown) => {
      throw Object.assign(new Error(`cannot send ${inspect(init)}`), { request: { input, init } });
    }) as typeof fetch;
    const client = createClient({ url: 'http://x.test', ...options, fetch: careless });
    const error = await failureOf(client.listCountries());
    assert.match(String(error), /ConnectionFailed: The request failed: cannot send/);
    assertHidden(error);
    assert.throws(
      () => createClient({ url: `http://user:${KEY}@x.test` }),
      (thrown) => {
        assertHidden(thrown);
        return thrown instanceof TypeError;
      },
    );
  });

  test('is sent only to the service: a redirect within it keeps the key, one to another origin does not', async () => {
    await using other = await startScript((response) => sendJson(response, COUNTRIES));
    await using server = await startScript((response, { url }) => {
      if (url === '/api/v1/countries') response.writeHead(302, { location: '/moved' }).end();
      else if (url === '/moved') response.writeHead(307, { location: `${other.url}/elsewhere` }).end();
      else if (url === '/api/v1/exports/latest/csv/a.csv')
        response.writeHead(302, { location: `${other.url}/file` }).end();
      else response.writeHead(302, { location: '/loop' }).end();
    });
    const client = createClient({ url: server.url, ...options });
    assert.deepEqual(await client.listCountries(), COUNTRIES);
    const file = await client.downloadExport(
      { generation: 'latest', path: 'csv/a.csv' },
      { headers: { Range: 'bytes=0-9', 'X-Own': KEY } },
    );
    assert.deepEqual(await file.json(), COUNTRIES);
    assert.deepEqual(
      server.requests.map(({ headers }) => headers.authorization),
      Array(3).fill(`Bearer ${KEY}`),
    );
    assert.deepEqual(
      other.requests.map(({ url, headers }) => [url, headers.range]),
      [
        ['/elsewhere', undefined],
        ['/file', 'bytes=0-9'],
      ],
    );
    for (const { headers } of other.requests) assertHidden(headers);
    await assert.rejects(client.listExports(), { status: 302 });
    await assert.rejects(client.createPortal(), { status: 302 });
  });
});

describe('addresses in the TypeScript client', () => {
  test('values cannot leave their place in the path', async () => {
    await using server = await startScript((response) => sendJson(response, { data: {} }));
    const client = createClient({ url: `${server.url}/behind/a/proxy/`, ...options });
    await client.entities.get('a/../b?c#d&e');
    await client.downloadExport({ generation: '12', path: 'csv/entities/country=LV/part 0?.csv' });
    await client.searchEntities({ q: 'a&b=c+d é', country: undefined });
    assert.deepEqual(
      server.requests.map(({ url }) => url),
      [
        '/behind/a/proxy/api/v1/entities/a%2F..%2Fb%3Fc%23d%26e',
        '/behind/a/proxy/api/v1/exports/12/csv/entities/country%3DLV/part%200%3F.csv',
        '/behind/a/proxy/api/v1/entities?q=a%26b%3Dc%2Bd+%C3%A9',
      ],
    );
    for (const id of ['', '.', '..', '%2e%2E']) await assert.rejects(client.entities.get(id), TypeError);
    for (const path of ['a/../../b', '', 'a//b'])
      await assert.rejects(client.downloadExport({ generation: '1', path }), TypeError);
  });

  test('the service needs an http address', () => {
    for (const url of ['ftp://x.test', 'x.test', '']) assert.throws(() => createClient({ url }), TypeError);
  });
});

test('the cache of the TypeScript client has the replies that were used last, and no long ones', () => {
  const cache = createReplyCache(3);
  const reply = (tag: string, text = '{}') => ({ tag, text, version: null });
  for (const name of ['a', 'b', 'c']) cache.keep(name, reply(name));
  cache.find('a');
  cache.keep('d', reply('d'));
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((name) => cache.find(name)?.tag),
    ['a', undefined, 'c', 'd'],
  );
  cache.keep('long', reply('long', 'x'.repeat(200_000)));
  assert.equal(cache.find('long'), undefined);
  assert.equal(cache.find('a')?.tag, 'a');
});

test('a kept reply is used only if the service says that it is current', async () => {
  let current = 1;
  await using server = await startScript((response, { headers }) => {
    const tag = `"${current}"`;
    if (headers['if-none-match'] === tag) response.writeHead(304, { etag: tag }).end();
    else sendJson(response, { data: [], meta: { count: current } }, { etag: tag });
  });
  const client = createClient({ url: server.url, key: 'k' });
  const read = async (by = client) => (await by.listCountries()).meta.count;
  assert.deepEqual([await read(), await read()], [1, 1]);
  current = 2;
  assert.deepEqual([await read(), await read()], [2, 2]);
  const uncached = createClient({ url: server.url, key: 'k', cache: 0 });
  assert.deepEqual([await read(uncached), await read(uncached)], [2, 2]);
  const tags = server.requests.map(({ headers }) => headers['if-none-match']);
  assert.deepEqual(tags, [undefined, '"1"', '"1"', '"2"', undefined, undefined]);
});
