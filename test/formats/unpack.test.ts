import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { hashFile, openPackage } from '../../src/formats/unpack.ts';
import { collectBytes, makeFolder, zip } from './feed.ts';

/** `nimi;kood\nNäidis OÜ;1\n` and `Teine OÜ;2\n`, each a bzip2 stream; and one of no bytes. */
const BZIP2_FIRST = 'QlpoOTFBWSZTWS9CJOoAAAhdtAAQQAAgCAABhCuIAAAEBAAIACAAMUwAE0KHqYmmNIolKdWoSTDp1iLxd/F3JFOFCQL0Ik6g';
const BZIP2_SECOND = 'QlpoOTFBWSZTWfGwQfEAAALfJAAQQAAQCAAAhAACIQAECAAgACIBoZCAaaaJyyAewpeLuSKcKEh42CD4gA==';
const BZIP2_EMPTY = 'QlpoORdyRThQkAAAAAA=';

const DAMAGED = { name: 'FormatError', message: /is truncated or damaged: download it again$/ };

async function put(context: TestContext, name: string, bytes: Uint8Array | string): Promise<string> {
  const path = join(await makeFolder(context), name);
  await writeFile(path, bytes);
  return path;
}

async function unpackAll(path: string) {
  const opened = await openPackage(path);
  const files: Record<string, string> = {};
  for (const file of opened.files) files[file.name] = (await collectBytes(file.open())).toString();
  await opened.close();
  return { kind: opened.kind, files };
}

test('a plain file is itself, whatever its name', async (context) => {
  const path = await put(context, 'data.zip', 'a,b\n');
  assert.deepEqual(await unpackAll(path), { kind: 'plain', files: { 'data.zip': 'a,b\n' } });
  assert.equal((await unpackAll(await put(context, 'x.csv', 'BZh LIMITED,1\n'))).kind, 'plain');
});

test('a zip gives every file but folders and what macOS adds', async (context) => {
  const bytes = await zip({ 'in/': '', 'in/a.csv': 'one', '__MACOSX/in/._a.csv': 'x', 'b.csv': 'two'.repeat(50_000) });
  const path = await put(context, 'data.csv', bytes);
  assert.deepEqual(await unpackAll(path), {
    kind: 'zip',
    files: { 'in/a.csv': 'one', 'b.csv': 'two'.repeat(50_000) },
  });
});

test('zip64 and stored entries are read', async (context) => {
  const big = await zip({ 'a.csv': 'large'.repeat(1000) }, { forceZip64Format: true });
  assert.deepEqual((await unpackAll(await put(context, 'a.zip', big))).files, { 'a.csv': 'large'.repeat(1000) });
  const stored = await zip({ 'a.csv': 'stored' }, { compress: false });
  assert.deepEqual((await unpackAll(await put(context, 'b.zip', stored))).files, { 'a.csv': 'stored' });
});

test('a workbook is recognised as one', async (context) => {
  const path = await put(context, 'a.zip', await zip({ '[Content_Types].xml': '<x/>', 'xl/workbook.xml': '<x/>' }));
  assert.deepEqual(await unpackAll(path), { kind: 'xlsx', files: {} });
});

test('gzip is unpacked, several members too', async (context) => {
  const bytes = Buffer.concat([gzipSync('one\n'), gzipSync('two\n')]);
  const path = await put(context, 'data.json.gz', bytes);
  assert.deepEqual(await unpackAll(path), { kind: 'gzip', files: { 'data.json': 'one\ntwo\n' } });
});

test('bzip2 is unpacked, several streams too', async (context) => {
  const streams = [BZIP2_FIRST, BZIP2_EMPTY, BZIP2_SECOND].map((text) => Buffer.from(text, 'base64'));
  const path = await put(context, 'data.jsonl.bz2', Buffer.concat(streams));
  assert.deepEqual(await unpackAll(path), {
    kind: 'bzip2',
    files: { 'data.jsonl': 'nimi;kood\nNäidis OÜ;1\nTeine OÜ;2\n' },
  });
  assert.deepEqual((await unpackAll(await put(context, 'e.bz2', Buffer.from(BZIP2_EMPTY, 'base64')))).files, { e: '' });
});

test('a damaged byte anywhere in bzip2 is noticed', async (context) => {
  const bytes = Buffer.from(BZIP2_FIRST, 'base64');
  for (let at = 10; at < bytes.length - 1; at += 1) {
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] as number) ^ 0x10;
    await assert.rejects(unpackAll(await put(context, 'a.bz2', damaged)), DAMAGED, `byte ${at}`);
  }
});

test('what is truncated says so', async (context) => {
  const text = Array.from({ length: 30_000 }, (_, index) => `${index * 7919},name\n`).join('');
  const gzip = gzipSync(text);
  const archive = await zip({ 'a.csv': text });
  const bzip2 = Buffer.from(BZIP2_FIRST, 'base64');
  for (const bytes of [gzip, archive, bzip2]) {
    for (const part of [0.5, 0.9]) {
      const path = await put(context, 'data', bytes.subarray(0, bytes.length * part));
      await assert.rejects(unpackAll(path), DAMAGED);
    }
    await assert.rejects(unpackAll(await put(context, 'data', bytes.subarray(0, -1))), DAMAGED);
  }
});

test('a flipped bit in a zip is noticed, packed or stored', async (context) => {
  for (const options of [{}, { compress: false }]) {
    const bytes = await zip({ 'a.csv': 'some text that is long enough '.repeat(20) }, options);
    bytes[60] = (bytes[60] as number) ^ 1;
    await assert.rejects(unpackAll(await put(context, 'a.zip', bytes)), DAMAGED);
  }
});

test('empty files and archives are refused, missing files stay a trouble of the system', async (context) => {
  const empty = await put(context, 'none.csv', '');
  await assert.rejects(openPackage(empty), { name: 'FormatError', message: /none\.csv is empty/ });
  await assert.rejects(openPackage(await put(context, 'a.zip', await zip({}))), {
    name: 'FormatError',
    message: /without files/,
  });
  await assert.rejects(openPackage(`${empty}.missing`), { code: 'ENOENT' });
});

test('progress counts packed bytes up to the size of the file', async (context) => {
  const text = Array.from({ length: 50_000 }, (_, index) => String(index * 7919)).join('\n');
  const paths = [
    await put(context, 'a.zip', await zip({ 'a.csv': text })),
    await put(context, 'b.zip', await zip({ 'a.csv': text }, { compress: false })),
    await put(context, 'a.gz', gzipSync(text)),
    await put(context, 'a.bz2', Buffer.from(BZIP2_FIRST, 'base64')),
    await put(context, 'a.csv', text),
  ];
  for (const path of paths) {
    const opened = await openPackage(path);
    const [file] = opened.files;
    assert.ok(file);
    const counts: number[] = [];
    await collectBytes(file.open((count) => counts.push(count)));
    await opened.close();
    assert.deepEqual(
      counts,
      counts.toSorted((a, b) => a - b),
    );
    assert.equal(counts.at(-1), file.size, path);
  }
});

test('a file may be left half read, and opened again', async (context) => {
  const text = 'line\n'.repeat(300_000);
  for (const bytes of [await zip({ 'a.csv': text }), gzipSync(text), Buffer.from(text)]) {
    const opened = await openPackage(await put(context, 'data', bytes));
    for await (const _ of opened.files[0]?.open() ?? []) break;
    assert.equal((await collectBytes(opened.files[0]?.open() as AsyncIterable<Uint8Array>)).length, text.length);
    await opened.close();
  }
});

test('the hash is of the bytes on disk', async (context) => {
  const path = await put(context, 'a.gz', gzipSync('x'));
  const expected = createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
  let counted = 0;
  assert.equal(
    await hashFile(path, (count) => {
      counted = count;
    }),
    `sha256:${expected}`,
  );
  assert.equal(counted, (await readFile(path)).length);
});
