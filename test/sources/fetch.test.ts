import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { makeFile, useFetching } from './fetching.ts';
import { usePublisher } from './publisher.ts';

describe('a fetch', () => {
  const publisher = usePublisher();

  test('keeps a new file with its hash, and an unchanged one costs one request', async () => {
    const { fetch, folder, state } = useFetching();
    const body = await makeFile(50);
    publisher.offer('/a/register.csv', { body });
    const addresses = [`${publisher.url}/a/register.csv`];
    const first = await fetch({ addresses });
    assert.equal(first.message, null);
    assert.equal(first.outcome, 'new');
    const [file] = first.files;
    assert.ok(file);
    assert.deepEqual(readFileSync(file.path), body);
    const hash = `sha256:${createHash('sha256').update(body).digest('hex')}`;
    assert.deepEqual([file.name, file.hash, file.size, file.url], ['register.csv', hash, body.length, addresses[0]]);

    const before = publisher.requests.length;
    const second = await fetch({ addresses });
    assert.deepEqual([second.outcome, second.files], ['unchanged', first.files]);
    assert.equal(publisher.requests.length - before, 1);
    const { snapshots, pending } = await state();
    assert.deepEqual([snapshots.length, pending], [1, null]);
    assert.deepEqual(readdirSync(join(folder, 'lv')).sort(), [snapshots[0]?.folder, 'state.json']);
  });

  test('keeps the two newest publications, and unchanged files are part of the next one', async () => {
    const { fetch, clock, folder, state } = useFetching();
    const stable = await makeFile(20, 2);
    publisher.offer('/b/stable.csv', { body: stable });
    const addresses = [`${publisher.url}/b/stable.csv`, `${publisher.url}/b/changing.csv`];
    for (const seed of [3, 4, 5]) {
      publisher.offer('/b/changing.csv', { body: await makeFile(20, seed) });
      const { outcome, files } = await fetch({ addresses });
      assert.equal(outcome, 'new');
      assert.deepEqual(
        files.map(({ name }) => name),
        ['stable.csv', 'changing.csv'],
      );
      assert.deepEqual(readFileSync(files[0]?.path ?? ''), stable);
      clock.advance(86_400_000);
    }
    const { snapshots } = await state();
    assert.equal(snapshots.length, 2);
    const folders = readdirSync(join(folder, 'lv')).filter((name) => name !== 'state.json');
    assert.deepEqual(folders.sort(), snapshots.map((snapshot) => snapshot.folder).sort());
  });

  test('the same content under a new name is not new, and the next check is cheap', async () => {
    const { fetch } = useFetching();
    const body = await makeFile(20);
    for (const name of ['old', 'new']) publisher.offer(`/c/${name}.csv`, { body });
    assert.equal((await fetch({ addresses: [`${publisher.url}/c/old.csv`] })).outcome, 'new');
    const addresses = [`${publisher.url}/c/new.csv`];
    assert.equal((await fetch({ addresses })).outcome, 'unchanged');
    const before = publisher.requests.length;
    assert.equal((await fetch({ addresses })).outcome, 'unchanged');
    assert.deepEqual(
      publisher.requests.slice(before).map(({ headers }) => headers['if-none-match'] !== undefined),
      [true],
    );
  });

  test('without an ETag the date of the last change is used, and without both the content', async () => {
    const { fetch } = useFetching();
    const body = await makeFile(20);
    const addresses = [`${publisher.url}/d/register.csv`];
    publisher.offer('/d/register.csv', { body, etag: null, lastModified: 'Mon, 16 Nov 2026 03:00:00 GMT' });
    assert.equal((await fetch({ addresses })).outcome, 'new');
    assert.equal((await fetch({ addresses })).outcome, 'unchanged');
    assert.ok(publisher.requests.at(-1)?.headers['if-modified-since']);
    publisher.offer('/d/register.csv', { body, etag: null });
    for (const _ of [1, 2]) assert.equal((await fetch({ addresses })).outcome, 'unchanged');
    assert.equal((await fetch({ addresses, checkOnly: true })).outcome, 'unknown');
  });

  test('--check downloads nothing and says what is new', async () => {
    const { fetch, folder, state } = useFetching();
    const addresses = [`${publisher.url}/e/register.csv`];
    publisher.offer('/e/register.csv', { body: await makeFile(20) });
    const check = async () => (await fetch({ addresses, checkOnly: true })).outcome;
    assert.equal(await check(), 'available');
    assert.deepEqual(readdirSync(join(folder, 'lv')), ['state.json']);
    assert.equal((await state()).checkedAt, '2026-03-15T12:00:00.000Z');
    await fetch({ addresses });
    assert.equal(await check(), 'unchanged');
    publisher.offer('/e/register.csv', { body: await makeFile(21) });
    assert.equal(await check(), 'available');
    assert.equal((await state()).snapshots.length, 1);
  });

  test('a kept file that was deleted is downloaded again, not asked for conditionally', async () => {
    const { fetch } = useFetching();
    const addresses = [`${publisher.url}/f/register.csv`];
    publisher.offer('/f/register.csv', { body: await makeFile(20) });
    const [kept] = (await fetch({ addresses })).files;
    rmSync(kept?.path ?? '');
    const again = await fetch({ addresses });
    assert.equal(again.outcome, 'new');
    assert.equal(publisher.requests.at(-1)?.headers['if-none-match'], undefined);
    assert.ok(existsSync(again.files[0]?.path ?? ''));
  });
});
