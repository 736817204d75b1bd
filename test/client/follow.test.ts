import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '../../clients/typescript/src/index.ts';
import { sendJson, startScript } from './scripted-server.ts';

test('following from now misses no change when the reply with it is lost', async () => {
  const page = (ids: readonly string[], nextCursor: string) => ({
    data: ids.map((entityId) => ({ entityId, cursor: nextCursor })),
    meta: { nextCursor, hasMore: false, oldest: 'c0' },
  });
  await using server = await startScript((response, { url }, count) => {
    const { searchParams } = new URL(url ?? '', 'http://x.test');
    const cursor = searchParams.get('cursor');
    if (cursor === 'now') sendJson(response, page([], `c${count}`));
    else if (count === 2) response.destroy();
    else sendJson(response, page(cursor === 'c1' ? ['first'] : [], 'c9'));
  });
  const { changes } = createClient({ url: server.url, key: 'k', backoff: 1 });
  for await (const { entityId } of changes.follow({ cursor: 'now' })) {
    assert.equal(entityId, 'first');
    break;
  }
  assert.deepEqual(
    server.requests.map(({ url }) => new URL(url, server.url).searchParams.get('cursor')),
    ['now', 'c1', 'c1'],
  );
});

test('an idle feed that does not wait is asked again only after a pause', async () => {
  await using server = await startScript((response) =>
    sendJson(response, { data: [], meta: { nextCursor: 'c1', hasMore: false, oldest: 'c0' } }),
  );
  const { changes } = createClient({ url: server.url, key: 'k', backoff: 50 });
  const startedAt = performance.now();
  let pages = 0;
  for await (const { data } of changes.followPages({ cursor: 'c1' })) {
    assert.equal(data.length, 0);
    if (++pages === 3) break;
  }
  // Two pauses of four times `backoff`; timers may be early by a millisecond.
  assert.ok(performance.now() - startedAt >= 395);
  assert.equal(server.requests.length, 3);
});
