import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { hashFile, openPackage } from '../../src/formats/unpack.ts';
import { collectBytes, makeFolder, zip } from './feed.ts';

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

test('a plain file is read as it is, even if it is named .zip', async (context) => {
  const path = await put(context, 'data.zip', 'a,b\n');
  assert.deepEqual(await unpackAll(path), { kind: 'plain', files: { 'data.zip': 'a,b\n' } });
});

test('a zip yields its files, without folders and the files that macOS adds', async (context) => {
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

test('a workbook is recognized as one', async (context) => {
  const files = { '[Content_Types].xml': '<x/>', 'xl/workbook.xml': '<y/>' };
  assert.deepEqual(await unpackAll(await put(context, 'a.zip', await zip(files))), { kind: 'xlsx', files });
});

test('gzip is unpacked, including files with several members', async (context) => {
  const bytes = Buffer.concat([gzipSync('one\n'), gzipSync('two\n')]);
  const path = await put(context, 'data.json.gz', bytes);
  assert.deepEqual(await unpackAll(path), { kind: 'gzip', files: { 'data.json': 'one\ntwo\n' } });
});

test('truncated archives are reported as damaged', async (context) => {
  const text = Array.from({ length: 30_000 }, (_, index) => `${index * 7919},name\n`).join('');
  const gzip = gzipSync(text);
  const archive = await zip({ 'a.csv': text });
  for (const bytes of [gzip, archive]) {
    for (const part of [0.5, 0.9]) {
      const path = await put(context, 'data', bytes.subarray(0, bytes.length * part));
      await assert.rejects(unpackAll(path), DAMAGED);
    }
    await assert.rejects(unpackAll(await put(context, 'data', bytes.subarray(0, -1))), DAMAGED);
  }
});

test('a flipped bit in a zip is detected, in deflated and in stored entries', async (context) => {
  for (const options of [{}, { compress: false }]) {
    const bytes = await zip({ 'a.csv': 'some text that is long enough '.repeat(20) }, options);
    bytes[60] = (bytes[60] as number) ^ 1;
    await assert.rejects(unpackAll(await put(context, 'a.zip', bytes)), DAMAGED);
  }
});

test('an entry that is encrypted or packed with another method than deflate is refused', async (context) => {
  const bytes = await zip({ 'a.csv': 'some text' });
  const directory = bytes.indexOf('PK\x01\x02', 0, 'latin1');
  const encrypted = Buffer.from(bytes);
  encrypted.writeUInt16LE(1, directory + 8);
  await assert.rejects(unpackAll(await put(context, 'a.zip', encrypted)), {
    name: 'FormatError',
    message: 'a.zip: a.csv is encrypted: unpack it first',
  });
  const bzip2 = Buffer.from(bytes);
  bzip2.writeUInt16LE(12, directory + 10);
  await assert.rejects(unpackAll(await put(context, 'a.zip', bzip2)), {
    name: 'FormatError',
    message: 'a.zip: a.csv uses compression method 12, which is not supported: unpack it first',
  });
});

test('an archive of more entries than any register publishes is refused', async (context) => {
  const bytes = await zip(Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`${at}.csv`, 'x'])));
  const message = 'a.zip has 1,001 entries, more than 1,000: unpack it first';
  await assert.rejects(unpackAll(await put(context, 'a.zip', bytes)), { name: 'FormatError', message });
});

test('an entry that unpacks to more than it declares is refused there, not at its end', async (context) => {
  const bytes = await zip({ 'a.csv': 'x'.repeat(8_000_000) });
  bytes.writeUInt32LE(1_000, bytes.indexOf('PK\x01\x02', 0, 'latin1') + 24);
  const opened = await openPackage(await put(context, 'a.zip', bytes));
  let read = 0;
  await assert.rejects(async () => {
    for await (const chunk of opened.files[0]?.open() ?? []) read += chunk.length;
  }, DAMAGED);
  await opened.close();
  assert.ok(read <= 1_000, `${read} bytes of an entry that declares 1,000`);
});

test('empty files and archives are refused, a missing file stays a system error', async (context) => {
  const empty = await put(context, 'none.csv', '');
  await assert.rejects(openPackage(empty), { name: 'FormatError', message: /none\.csv is empty/ });
  await assert.rejects(openPackage(await put(context, 'a.zip', await zip({}))), {
    name: 'FormatError',
    message: /without files/,
  });
  await assert.rejects(openPackage(`${empty}.missing`), { code: 'ENOENT' });
});

test('progress counts compressed bytes up to the size of the file', async (context) => {
  const text = Array.from({ length: 50_000 }, (_, index) => String(index * 7919)).join('\n');
  const paths = [
    await put(context, 'a.zip', await zip({ 'a.csv': text })),
    await put(context, 'b.zip', await zip({ 'a.csv': text }, { compress: false })),
    await put(context, 'a.gz', gzipSync(text)),
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

test('a file can be read in part and opened again', async (context) => {
  const text = 'line\n'.repeat(300_000);
  for (const bytes of [await zip({ 'a.csv': text }), gzipSync(text), Buffer.from(text)]) {
    const opened = await openPackage(await put(context, 'data', bytes));
    for await (const _ of opened.files[0]?.open() ?? []) break;
    assert.equal((await collectBytes(opened.files[0]?.open() as AsyncIterable<Uint8Array>)).length, text.length);
    await opened.close();
  }
});

test('the hash covers the bytes on disk', async (context) => {
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
