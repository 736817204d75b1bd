/**
 * Writes records and exports that reach every branch of `src/exports/`, and reads them back. `exports.test.ts` runs it and counts
 * which branches it takes.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { mock } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { ByteWriter } from 'hyparquet-writer';
import { systemClock } from '../../src/core/clock.ts';
import { hasExport, removeAll, removeOld } from '../../src/exports/folder.ts';
import { formats } from '../../src/exports/formats.ts';
import { type EntityFormat, entityFormats, partyFormats } from '../../src/exports/manifest.ts';
import { createExports } from '../../src/exports/offered.ts';
import { writeChunk } from '../../src/exports/parquet/pages.ts';
import { createSink } from '../../src/exports/parquet/sink.ts';
import { createPartFile } from '../../src/exports/part-file.ts';
import { importFiles } from '../../src/importing/import.ts';
import { readContents } from '../../src/records/bulk/bulk.ts';
import { type EntityParts, joinParts } from '../../src/records/entity.ts';
import { registers } from '../../src/registers/index.ts';
import { takeLock } from '../../src/system/lock.ts';
import { generateFile, generateParties } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { openDuck } from '../exports/duck.ts';
import { exportAll, readLines } from '../exports/exporting.ts';
import { inventParties } from '../exports/invented-parties.ts';
import { writeExport } from '../harness/exports.ts';
import { company } from '../registry/gb-file.ts';
import { createFollowing } from '../search/following.ts';
import { FIRST_GROUP, inventRecords } from './export-records.ts';

await using following = await createFollowing('sqlite');
const { db, database } = following;
const { dataDir } = database;
/** Without a server and an index, which an export does not need. */
const service = { services: { registryDb: db }, database, clock: systemClock };

async function write(format: EntityFormat, records: readonly EntityParts[], batch = 1_000): Promise<string> {
  const path = join(dataDir, 'written', `part.${formats[format].extension}`);
  const file = createPartFile(path);
  const writer = formats[format].createWriter(file);
  for (let at = 0; at < records.length; at += batch) await writer.add(records.slice(at, at + batch));
  await writer.end();
  file.finish();
  return path;
}

const duck = await openDuck();
const records = inventRecords();
const sum = `count(*)::INTEGER AS rows, sum(length(canonicalName))::BIGINT AS names, count(registrationNumber)::INTEGER AS numbers`;
const expect = (of: readonly EntityParts[]) => [
  {
    rows: of.length,
    names: String(of.reduce((length, { summary }) => length + [...summary.canonicalName].length, 0)),
    numbers: of.filter(({ summary }) => summary.registrationNumber !== null).length,
  },
];
const parquet = await write('parquet', records, FIRST_GROUP);
assert.deepEqual(await duck.all(`SELECT ${sum} FROM '${parquet}'`), expect(records));
const others = await duck.all<{ registryOther: string | null }>(`SELECT registryOther FROM '${parquet}' LIMIT 40`);
assert.ok(
  others.some(({ registryOther }) => registryOther !== null) &&
    others.some(({ registryOther }) => registryOther === null),
);
const few = records.slice(0, 9_000);
const csv = await write('csv', few);
assert.deepEqual(
  await duck.all(`SELECT ${sum} FROM read_csv('${csv}', all_varchar = true, max_line_size = 20000000)`),
  expect(few),
);
const lines = zstdDecompressSync(readFileSync(await write('ndjson', few))).toString();
assert.equal(lines, few.map((record) => `${joinParts(record)}\n`).join(''));
assert.deepEqual(await duck.all(`SELECT ${sum} FROM '${await write('parquet', [])}'`), [
  { rows: 0, names: null, numbers: 0 },
]);
duck.close();

for (const format of partyFormats) {
  for (const known of [registers, undefined]) {
    const file = createPartFile(join(dataDir, 'written', `${format}.${formats[format].extension}`));
    const writer = formats[format].createWriter(file, known);
    await writer.add(inventParties());
    await writer.end();
    file.finish();
  }
}

// A disk that is full ends the writers with its error.
const full = { write: () => assert.fail('the disk is full'), finish: () => assert.fail() };
await assert.rejects(async () => {
  const writer = formats.ndjson.createWriter(full);
  for (let at = 0; at < 20; at++) await writer.add(records.slice(0, 5));
}, /the disk is full/);
const element = { name: 'x' };
const options96 = {
  element,
  path: ['x'],
  maxDefinition: 0,
  maxRepetition: 0,
  isPlain: true,
  maxFilterBytes: undefined,
};
assert.throws(() => createSink('INT96'), /no plain encoding/);
assert.throws(() => createSink(undefined), /no plain encoding/);
const noPages = { pages: [], dictionary: undefined, nulls: 0, least: undefined, greatest: undefined };
assert.throws(() => writeChunk(new ByteWriter(), options96, noPages), /has no type/);

// Exports of a store: new, again, continued, started over, and refused.
for (const [id, rows] of Object.entries({ no: 2_500, gb: 30, lv: 30, ca: 30, gleif: 30, md: 30 })) {
  const register = registers.find((one) => one.id === id) ?? assert.fail(id);
  const path = await writeSynthetic(mkdtempSync(join(dataDir, 'in-')), generateFile(register, rows, 1));
  await importFiles(db, systemClock, { register, registers, paths: [path] });
}
await following.importRows([company('09000001', 'REAL LTD')]);
const gleif = registers.find(({ id }) => id === 'gleif') ?? assert.fail();
for (const file of Object.values(generateParties(gleif, 30, 1))) {
  const path = await writeSynthetic(mkdtempSync(join(dataDir, 'in-')), file);
  await importFiles(db, systemClock, { register: gleif, registers, paths: [path] });
}
assert.ok((await exportAll(service, 'bods')).manifest.rows > 0);
const off = await exportAll(service, 'parties-csv', { parties: { all: 'off', exceptions: {} } });
assert.equal(off.manifest.rows, 0);
assert.equal((await exportAll(service, 'parties-csv', { registers: [] })).manifest.rows, 0);
mkdirSync(join(dataDir, 'old', '7'), { recursive: true });
assert.deepEqual([await removeAll(join(dataDir, 'old')), await removeAll(join(dataDir, 'none'))], [1, 0]);
const folder = join(dataDir, 'exports', '1', 'ndjson');
const options = { folderOf: () => folder, rowsPerFile: 1_000 };
for (const isNew of [true, false]) {
  const result = await exportAll(service, 'ndjson', { ...options, rowsPerFile: 100_000, check: () => undefined });
  assert.equal(result.isNew, isNew);
}
const partial = join(folder, '.partial');

/** Few rows, because each file takes milliseconds. */
const small = {
  ...options,
  wanted: { countries: undefined, registers: ['gb', 'lv', 'ca'], includeUnknownLicences: true },
};

async function stopEarly(more: Partial<Parameters<typeof exportAll>[2]> = {}): Promise<void> {
  const stop = new AbortController();
  const onProgress = ({ rows }: { rows: number }) => rows > 20 && stop.abort();
  const stopped = exportAll(service, 'ndjson', {
    ...small,
    rowsPerFile: 5,
    onProgress,
    signal: stop.signal,
    ...more,
  });
  await assert.rejects(stopped, { name: 'AbortError' });
  assert.ok(existsSync(partial));
}

const notes: string[] = [];
const onNote = (text: string) => void notes.push(text);
await stopEarly();
// One of the finished files is gone.
const [gone] = JSON.parse(readFileSync(join(partial, '.state.json'), 'utf8')).files;
rmSync(join(partial, gone.path));
await exportAll(service, 'ndjson', { ...small, rowsPerFile: 5, onNote });
await stopEarly({ program: 'other' });
await exportAll(service, 'ndjson', { ...small, rowsPerFile: 7, onNote });
await stopEarly();
await following.importRows([company('09000002', 'LATER LTD')]);
// A state that cannot be read is as good as none.
writeFileSync(join(partial, '.state.json'), '{');
await exportAll(service, 'ndjson', { ...small, rowsPerFile: 9 });
await stopEarly();
await following.importRows([company('09000003', 'LAST LTD')]);
const later = await exportAll(service, 'ndjson', { ...small, onNote });
assert.deepEqual(
  notes.map((note) => note.replaceAll(/\d+/g, 'N')),
  [
    'Continuing an unfinished export: N finished files are kept.',
    'An unfinished export with other options was found: starting over.',
    'An unfinished export of generation N was found: starting over.',
  ],
);
assert.equal(readLines(later).length, later.manifest.rows);
const known = await exportAll(service, 'csv', {
  threads: 2,
  wanted: { countries: ['GB', 'LV', 'ZZ'], registers: ['gb', 'lv'], includeUnknownLicences: false },
});
assert.deepEqual([known.manifest.leftOut, known.manifest.countries], [['gb'], ['GB', 'LV', 'ZZ']]);
const none = await exportAll(service, 'parquet', {
  wanted: { countries: ['ZZ'], registers: undefined, includeUnknownLicences: false },
});
assert.equal(none.manifest.rows, 0);
const held = join(dataDir, 'held');
mkdirSync(join(held, '.partial'), { recursive: true });
const lock = (await takeLock(join(held, '.partial', 'lock'), systemClock)) ?? assert.fail();
await assert.rejects(exportAll(service, 'csv', { folderOf: () => held }), /Another export is being written/);
await lock.release();
const nowhere = { databaseUrl: undefined, dataDir: join(dataDir, 'nowhere') };
await assert.rejects(exportAll(service, 'csv', { location: nowhere }));
// An import is published while the threads start: it starts again with the new data, and gives up if that never ends.
const store = new DatabaseSync(join(dataDir, 'registry.db'));
let published = 0;
const publish = () => {
  store.exec('UPDATE generation SET generation = generation + 1');
  published++;
};
await exportAll(service, 'csv', { rowsPerFile: 1_000, check: () => published === 0 && publish() });
await assert.rejects(exportAll(service, 'csv', { check: publish, threads: 0 }), /during every attempt/);
store.close();
mkdirSync(join(dataDir, 'foreign'));
writeFileSync(join(dataDir, 'foreign', 'notes.txt'), 'mine');
const refused = (place: string) => exportAll(service, 'csv', { folderOf: () => join(dataDir, place) });
await assert.rejects(refused('foreign'), /is not empty and not an export/);
await assert.rejects(refused('foreign/notes.txt'), /cannot be used: ENOTDIR/);
writeFileSync(join(dataDir, 'foreign', 'manifest.json'), '{}');
await assert.rejects(refused('foreign'), /is not empty and not an export/);

// What servers offer.
const silent = { info: () => undefined, warn: () => undefined };
const place = join(dataDir, 'offered');
const offering = () => createExports({ folder: place, log: silent });
assert.deepEqual(await offering().list(), []);
const version = (await db.snapshot(readContents)).version;
const generation = Number(version.split('-')[0]);
for (const format of entityFormats) {
  await exportAll(service, format, { rowsPerFile: 1_000, folderOf: (number) => join(place, String(number), format) });
  assert.equal(hasExport(place, version, format), true);
}
mkdirSync(join(place, '1', 'csv', '.partial'), { recursive: true });
mkdirSync(join(place, '1', 'ndjson'), { recursive: true });
mkdirSync(join(place, '2'), { recursive: true });
for (const [at, text] of ['{}', JSON.stringify({ ...later.manifest, generation: 9 })].entries()) {
  mkdirSync(join(place, String(90 + at), 'csv'), { recursive: true });
  writeFileSync(join(place, String(90 + at), 'csv', 'manifest.json'), text);
}
await writeExport(place, { generation: 3, format: 'csv' });
await writeExport(place, { generation: 4, format: 'csv' });
await writeExport(place, {
  generation: 92,
  format: 'csv',
  manifest: { generation: 92, files: [{ path: '../x', country: 'GB', rows: 1, bytes: 1, sha256: '' }] },
});
const unfinished = join(place, '5', 'csv');
mkdirSync(unfinished, { recursive: true });
const settings = { version: '5-0' };
writeFileSync(join(unfinished, '.state.json'), JSON.stringify({ settings, createdAt: '', files: [] }));
assert.equal(hasExport(place, '5-0', 'csv'), false);
await assert.rejects(createExports({ folder: 'x'.repeat(300), log: silent }).list(), { code: 'ENAMETOOLONG' });
const exports = offering();
const offered = await exports.list();
assert.deepEqual(
  offered.map((one) => `${one.generation} ${one.format}`),
  [...entityFormats.map((format) => `${generation} ${format}`), '4 csv', '3 csv'],
);
assert.equal(await exports.list(), offered);
const elapsed = performance.now();
mock.method(performance, 'now', () => elapsed + 5_000);
assert.deepEqual(await exports.list(), offered);
mock.restoreAll();
const file = offered[0]?.files.values().next().value ?? assert.fail();
await (await exports.openFile(file)).close();
const path = join(place, String(generation), file.path);
writeFileSync(path, 'another size');
await assert.rejects(exports.openFile(file), /is not the file of the manifest/);
rmSync(path);
await assert.rejects(exports.openFile(file), { code: 'export_not_found' });
symlinkSync(csv, path);
await assert.rejects(exports.openFile(file), { code: 'export_not_found' });
assert.ok(existsSync(dirname(path)));
const removed = await removeOld(place, generation, 5);
assert.deepEqual(
  removed.map((one) => [one.generation, one.format, one.wasComplete]),
  [
    [1, 'ndjson', false],
    [5, 'csv', false],
    [3, 'csv', true],
    [1, 'csv', false],
  ],
);
assert.ok((await removeAll(place)) > 0);
assert.equal(await removeAll(place), 0);
assert.equal(await removeAll(join(place, 'missing')), 0);
