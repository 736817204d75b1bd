import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../src/core/errors.ts';
import type { LargeRecord, ReadLargeRecord } from '../../src/records/large-record.ts';
import { createRecordThread, keepLargeBodies, type RecordThreadOptions } from '../../src/records/record-thread.ts';
import { until } from '../harness/until.ts';

const script = new URL('record-double-worker.ts', import.meta.url);

const record = (id: string, version = 'v'): LargeRecord => ({
  id,
  version,
  related: [],
  partyCounts: null,
  columns: undefined,
  register: undefined,
  file: undefined,
});
const BODY = { kind: 'body' } as const;

function startThread(options: RecordThreadOptions = {}) {
  const thread = createRecordThread({ databaseUrl: undefined, dataDir: '' }, { script, ...options });
  return {
    read: async (id: string) => (await thread.read(record(id), BODY))?.content,
    close: thread.close,
    [Symbol.asyncDispose]: thread.close,
  };
}

const isUnavailable = (error: unknown) => error instanceof Failure && error.code === 'service_unavailable';

describe('the thread that reads large records', () => {
  test('is reused, and replaced after it crashed or ended', async () => {
    await using thread = startThread({ timeoutMs: 60_000 });
    const first = await thread.read('a');
    assert.equal(await thread.read('b'), first);
    for (const id of ['crash', 'exit']) {
      const before = await thread.read('a');
      // What waits behind it is read by the new thread.
      const [failed, next] = await Promise.allSettled([thread.read(id), thread.read('b')]);
      assert.ok(failed.status === 'rejected' && isUnavailable(failed.reason), id);
      assert.ok(next.status === 'fulfilled' && next.value !== before, id);
    }
  });

  test('is replaced after it got stuck', async () => {
    await using thread = startThread({ timeoutMs: 500 });
    await assert.rejects(thread.read('stuck'), isUnavailable);
    await until('a new thread answers', () => thread.read('a').catch(() => false));
  });

  test('passes failures on', async () => {
    await using thread = startThread();
    await assert.rejects(thread.read('down'), isUnavailable);
    await assert.rejects(thread.read('broken'), /broken/);
    assert.ok(await thread.read('a'));
  });

  test('lets a bounded number of records wait', async () => {
    const thread = startThread({ maxWaiting: 2 });
    const waiting = [thread.read('stuck'), thread.read('a'), thread.read('b')];
    await assert.rejects(thread.read('c'), isUnavailable);
    await Promise.all([thread.close(), ...waiting.map((read) => assert.rejects(read, isUnavailable))]);
    await assert.rejects(thread.read('d'), isUnavailable);
  });

  test('ends when it was not used for a while', async () => {
    await using thread = startThread({ idleMs: 1 });
    const first = await thread.read('a');
    await until('the next record is read by a new thread', async () => {
      await sleep(20);
      return (await thread.read('a')) !== first;
    });
  });
});

describe('bodies of large records', () => {
  const reads: string[] = [];
  const read = (async ({ id, version }: LargeRecord) => {
    reads.push(`${id} ${version}`);
    return { version, content: Buffer.alloc(40, id) };
  }) as unknown as ReadLargeRecord;

  test('are shared by requests at the same time, and kept for later ones', async () => {
    reads.length = 0;
    const kept = keepLargeBodies(read, 100);
    const together = await Promise.all([1, 2, 3].map(() => kept(record('a'), BODY)));
    const later = await kept(record('a'), BODY);
    assert.deepEqual(reads, ['a v']);
    for (const found of [...together, later]) assert.equal(found?.content, together[0]?.content);
    assert.equal((await kept(record('a', 'w'), BODY))?.version, 'w');
    assert.deepEqual(reads, ['a v', 'a w'], 'another version of the data is read');
  });

  test('are forgotten when they take too much memory, the least recently used first', async () => {
    reads.length = 0;
    const kept = keepLargeBodies(read, 100);
    for (const id of ['a', 'b', 'a', 'c', 'a', 'b']) await kept(record(id), BODY);
    assert.deepEqual(reads, ['a v', 'b v', 'c v', 'b v']);
    const none = keepLargeBodies(read, 39);
    for (const id of ['d', 'd']) await none(record(id), BODY);
    assert.deepEqual(reads.slice(4), ['d v', 'd v'], 'a body above the limit is not kept');
  });

  test('are not remembered after a failure', async () => {
    let isDown = true;
    const kept = keepLargeBodies((async (...args) => {
      if (isDown) throw new Error('down');
      return read(...args);
    }) as ReadLargeRecord);
    await assert.rejects(kept(record('a'), BODY), /down/);
    isDown = false;
    assert.ok(await kept(record('a'), BODY));
  });
});
