import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { before, describe, test } from 'node:test';
import { ZipFile } from 'yazl';
import { findOriginals } from '../../src/import/fetch/originals.ts';
import { checkFile, reuseFile } from '../../src/import/fetch/snapshot.ts';
import { useFolder } from '../harness/use.ts';
import { makeFile, useFetching } from './fetching.ts';
import { serveFile, usePublisher } from './publisher.ts';

describe('the folder of a register', () => {
  const publisher = usePublisher();
  let body: Buffer;
  before(async () => {
    body = await makeFile(200);
  });
  const list = (folder: string) => readdirSync(join(folder, 'lv')).filter((name) => /^\d/.test(name));

  test('has no files of a fetch that was interrupted, once the publisher offers others', async () => {
    const { fetch, folder, state, clock } = useFetching();
    publisher.offer('/old.csv', serveFile({ body }, 1_000));
    assert.equal((await fetch({ addresses: [`${publisher.url}/old.csv`] })).outcome, 'failed');
    assert.equal(list(folder).length, 1);
    clock.advance(86_400_000);
    publisher.offer('/new.csv', { body });
    assert.equal((await fetch({ addresses: [`${publisher.url}/new.csv`] })).outcome, 'new');
    assert.deepEqual(list(folder), [(await state()).snapshots[0]?.folder]);
  });

  test('has the two newest refused publications', async () => {
    const { fetch, folder, clock } = useFetching();
    for (const day of [1, 2, 3]) {
      publisher.offer(`/refused.csv?${day}`, { body: Buffer.from(`<html>${day}`) });
      assert.equal((await fetch({ addresses: [`${publisher.url}/refused.csv?${day}`] })).outcome, 'failed');
      clock.advance(86_400_000);
    }
    const days = readdirSync(join(folder, 'lv', 'quarantine')).map((name) => name.slice(0, 8));
    assert.deepEqual(days, ['20260316', '20260317']);
  });

  test('has the address of each of two equal files', async () => {
    const { fetch, state } = useFetching();
    const addresses = ['one', 'two'].map((name) => `${publisher.url}/${name}.csv`);
    for (const name of ['one', 'two']) publisher.offer(`/${name}.csv`, { body, etag: null });
    assert.deepEqual(
      [(await fetch({ addresses })).outcome, (await fetch({ addresses })).outcome],
      ['new', 'unchanged'],
    );
    assert.deepEqual(
      (await state()).snapshots[0]?.files.map(({ url }) => url),
      addresses,
    );
  });

  test('has no part of a version that the publisher took back', async () => {
    const { fetch, clock } = useFetching();
    const addresses = ['stable', 'changing'].map((name) => `${publisher.url}/${name}.csv`);
    publisher.offer('/stable.csv', { body });
    publisher.offer('/changing.csv', { body: await makeFile(200, 2) });
    await fetch({ addresses });
    clock.advance(86_400_000);
    publisher.offer('/stable.csv', serveFile({ body: await makeFile(200, 3), etag: null }, 1_000));
    assert.equal((await fetch({ addresses })).outcome, 'failed');
    publisher.offer('/stable.csv', { body });
    publisher.offer('/changing.csv', { body: await makeFile(200, 4) });
    const { outcome, files } = await fetch({ addresses });
    assert.equal(outcome, 'new');
    assert.deepEqual(readdirSync(join(files[0]?.path ?? '', '..')).sort(), ['changing.csv', 'stable.csv']);
  });
});

describe('a kept file', () => {
  const folder = useFolder();
  const hash = `sha256:${createHash('sha256').update('register').digest('hex')}`;
  const find = () =>
    findOriginals(new Set([hash]), {
      folder,
      samples: join(folder, 'samples'),
      given: [],
      onProgress: () => {},
      signal: new AbortController().signal,
    });

  test('is copied where the file system has no links', async (context) => {
    context.mock.method(promises, 'link', () =>
      Promise.reject(Object.assign(new Error('no links'), { code: 'EPERM' })),
    );
    syncBuiltinESMExports();
    try {
      writeFileSync(join(folder, 'from'), 'register');
      await reuseFile(join(folder, 'from'), join(folder, 'to'));
    } finally {
      context.mock.restoreAll();
      syncBuiltinESMExports();
    }
    assert.deepEqual(readdirSync(folder), ['from', 'to']);
  });

  test('is an original, but the part of one is not, and of two altered ones the newest is named', async () => {
    const names = ['20260101T000000Z', '20260102T000000Z'];
    for (const name of names) mkdirSync(join(folder, name));
    writeFileSync(join(folder, '20260101T000000Z', 'a.csv.part'), 'register');
    assert.equal((await find()).found.size, 0);
    const file = {
      url: 'https://publisher.example/a.csv',
      name: 'a.csv',
      etag: null,
      lastModified: null,
      hash,
      size: 8,
    };
    const snapshots = names.map((name) => ({ folder: name, fetchedAt: '', files: [file] }));
    writeFileSync(join(folder, 'state.json'), JSON.stringify({ checkedAt: null, pending: null, snapshots }));
    for (const name of names) writeFileSync(join(folder, name, 'a.csv'), 'altered!');
    const original = (await find()).found.get(hash);
    assert.deepEqual([original?.state, original?.path], ['altered', join(folder, '20260102T000000Z', 'a.csv')]);
    writeFileSync(join(folder, '20260101T000000Z', 'a.csv'), 'register');
    assert.equal((await find()).found.get(hash)?.state, 'intact');
  });

  test('that is a workbook is unpacked to its end', async () => {
    const archive = new ZipFile();
    for (const name of ['[Content_Types].xml', 'xl/workbook.xml', 'xl/sheet.xml']) {
      archive.addBuffer(Buffer.from(`content of ${name}`), name, { compress: false });
    }
    archive.end();
    const bytes = await buffer(archive.outputStream);
    const path = join(folder, 'register.xlsx');
    writeFileSync(path, bytes);
    assert.equal(await checkFile(path, async () => {}), null);
    const at = bytes.indexOf('content of xl/sheet.xml');
    bytes[at] = 0;
    writeFileSync(path, bytes);
    assert.match((await checkFile(path, async () => {})) ?? '', /truncated or damaged/);
  });
});
