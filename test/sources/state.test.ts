import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { loadState } from '../../src/import/fetch/state.ts';
import { makeFile, useFetching } from './fetching.ts';
import { usePublisher } from './publisher.ts';

const HASH = `sha256:${'0'.repeat(64)}`;
const FOLDER = '20260101T000000Z';
const file = {
  url: 'https://publisher.example/a.csv',
  name: 'a.csv',
  hash: HASH,
  size: 1,
  etag: null,
  lastModified: null,
};
const started = { url: file.url, name: file.name, etag: null, lastModified: null };
const snapshot = { folder: FOLDER, fetchedAt: '2026-01-01T00:00:00.000Z', files: [file] };
const EMPTY = { checkedAt: null, snapshots: [], pending: null };
const valid = { checkedAt: null, snapshots: [snapshot], pending: null };

/** A state whose snapshot, file or fetch in progress has these values. */
const withSnapshot = (change: object) => ({ ...valid, snapshots: [{ ...snapshot, ...change }] });
const withFile = (change: object) => withSnapshot({ files: [{ ...file, ...change }] });
const withPending = (pending: unknown) => ({ ...valid, snapshots: [], pending });

const DAMAGED: Readonly<Record<string, unknown>> = {
  'an empty file': '',
  'cut text': '{"snap',
  null: null,
  'a list': [],
  'no snapshots': { checkedAt: null, pending: null },
  'a snapshot that is null': { ...valid, snapshots: [null] },
  'snapshots that are not a list': { ...valid, snapshots: { length: 1 } },
  'no pending': { checkedAt: null, snapshots: [] },
  'a time that is not text': { ...valid, checkedAt: 1 },
  'a time of a snapshot that is not text': withSnapshot({ fetchedAt: 1 }),
  'a folder that is a path': withSnapshot({ folder: '../../../x' }),
  'a folder below another one': withSnapshot({ folder: `${FOLDER}/..` }),
  'an empty folder': withSnapshot({ folder: '' }),
  'the folder itself': withSnapshot({ folder: '.' }),
  'a folder that is not a text': withSnapshot({ folder: [FOLDER] }),
  'files that are not a list': withSnapshot({ files: null }),
  'a file that is null': withSnapshot({ files: [null] }),
  'a name that is a path': withFile({ name: '../a.csv' }),
  'a name that is a path of Windows': withFile({ name: 'x\\a.csv' }),
  'a name that is absolute': withFile({ name: '/etc/passwd' }),
  'a name that is a folder': withFile({ name: '..' }),
  'a name with a control character': withFile({ name: 'a\u0000.csv' }),
  'no name': withFile({ name: '' }),
  'an address that is not text': withFile({ url: 1 }),
  'another hash': withFile({ hash: 'md5:0' }),
  'a hash that is not text': withFile({ hash: 0 }),
  'a negative size': withFile({ size: -1 }),
  'a fraction of a size': withFile({ size: 0.5 }),
  'a size that is text': withFile({ size: '1' }),
  'a validator that is not text': withFile({ etag: 1 }),
  'a validator that breaks a header': withFile({ lastModified: 'a\r\nX: 1' }),
  'a fetch in a path': withPending({ folder: '../x', files: [started] }),
  'a fetch that is text': withPending('x'),
  'a file of a fetch with a path': withPending({ folder: FOLDER, files: [{ ...started, name: '../../x' }] }),
  'a file of a fetch with a hash only': withPending({ folder: FOLDER, files: [{ ...started, hash: HASH }] }),
  'a file of a fetch with a size only': withPending({ folder: FOLDER, files: [{ ...started, size: 1 }] }),
};

describe('a state file', () => {
  const publisher = usePublisher();
  before(async () => {
    publisher.offer('/register.csv', { body: await makeFile(20) });
  });

  test('is read as it was written', async () => {
    const { folder } = useFetching();
    for (const state of [
      valid,
      // As Node reads the bytes of a header.
      withFile({ etag: '"\x85\xe9\t"' }),
      { ...valid, checkedAt: snapshot.fetchedAt, pending: { folder: `${FOLDER}-1`, files: [started] } },
      { ...valid, snapshots: [], pending: { folder: FOLDER, files: [file, { ...started, name: 'Būves (2026).csv' }] } },
    ]) {
      writeFileSync(join(folder, 'state.json'), JSON.stringify(state));
      assert.deepEqual(await loadState(folder), state);
    }
  });

  for (const [what, content] of Object.entries(DAMAGED)) {
    test(`with ${what} is damaged`, async () => {
      const { folder } = useFetching();
      const text = typeof content === 'string' ? content : JSON.stringify(content);
      writeFileSync(join(folder, 'state.json'), text);
      assert.deepEqual(await loadState(folder), EMPTY);
    });
  }

  test('that is damaged counts as empty, nothing is removed, and the fetch succeeds', async () => {
    const { fetch, folder, state } = useFetching();
    const own = join(folder, 'lv');
    const text = JSON.stringify(DAMAGED['a folder that is a path']);
    const bystanders = ['x', join('lv', FOLDER), join('lv', 'x')].map((name) => join(folder, name, 'kept.csv'));
    for (const path of bystanders) {
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, 'kept');
    }
    writeFileSync(join(own, 'state.json'), text);
    const { outcome, files } = await fetch({ addresses: [`${publisher.url}/register.csv`] });
    assert.equal(outcome, 'new');
    assert.ok(existsSync(files[0]?.path ?? ''));
    // The next one works with the new state, and removes nothing either.
    const next = await fetch({ addresses: [`${publisher.url}/register.csv`] });
    assert.deepEqual([next.outcome, next.message], ['unchanged', null]);
    assert.equal((await state()).snapshots.length, 1);
    for (const path of bystanders) assert.equal(readFileSync(path, 'utf8'), 'kept');
  });

  test('that is damaged does not let a fetch write into a folder that is there', async () => {
    const { fetch, folder } = useFetching();
    const addresses = [`${publisher.url}/register.csv`];
    const [first] = (await fetch({ addresses })).files;
    writeFileSync(join(folder, 'lv', 'state.json'), '');
    // The clock has not advanced, so the name of the first folder would be used again.
    const [second] = (await fetch({ addresses })).files;
    assert.notEqual(first?.path, second?.path);
    const expected = [join(first?.path ?? '', '..'), join(second?.path ?? '', '..')].map((path) =>
      path.split('/').at(-1),
    );
    assert.deepEqual(readdirSync(join(folder, 'lv')), [...expected, 'state.json']);
  });
});
