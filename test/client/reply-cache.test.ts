import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '../../clients/typescript/src/index.ts';
import { createReplyCache } from '../../clients/typescript/src/reply-cache.ts';
import { sendJson, startScript } from './scripted-server.ts';

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
