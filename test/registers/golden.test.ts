/**
 * Golden records. Each folder `<register>/<case>/` has small files in the official format, with invented companies, and `expected.json`: the
 * report of their import, and the complete records and parties as the service shows them. `<register>/refusals.json` is a table of files that
 * are refused, with the message. After a change that is meant, `npm run test:golden -- --update [register…]` writes the expectations again.
 */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Db } from '../../src/base/db/db.ts';
import { loadMigrations, migrate } from '../../src/base/db/migrate.ts';
import { openStore } from '../../src/base/db/open.ts';
import { DEFAULT_PARTY_MODES, type PartyMode } from '../../src/base/party-modes.ts';
import type { Encoding } from '../../src/base/source-files.ts';
import { importFiles } from '../../src/import/import.ts';
import type { ImportResult } from '../../src/import/import-result.ts';
import { isRefusal } from '../../src/import/mapping/problems.ts';
import type { Register } from '../../src/registers/contract.ts';
import { registers } from '../../src/registers/index.ts';
import { createBulkPartyReader, listStoredSets, streamPartyKeys } from '../../src/registry/parties/bulk/bulk.ts';
import { describeRegister, type RowKey } from '../../src/registry/records/bulk/bulk.ts';
import { createRegistry } from '../../src/registry/registry.ts';
import { testClock } from '../harness/clock.ts';
import { type Contents, readContents, writeContents } from './golden-files.ts';
import { formatTree, listDifferences, type Tree, writeAlike } from './golden-text.ts';

/** `case.json` */
interface CaseOptions {
  /** Of all files, or by the name of the file. */
  readonly encoding?: Encoding | Readonly<Record<string, Encoding>>;
  readonly parties?: PartyMode;
  readonly mode?: 'full' | 'partial';
  /** Records after the first are written as differences from it. For lists of codes. */
  readonly alike?: boolean;
}

interface Refusal extends CaseOptions {
  readonly name: string;
  /** By name. Texts are lists of lines, archives objects by name. Anything else is written as JSON. */
  readonly files: Readonly<Record<string, Tree>>;
  readonly message: string;
}

const EXPECTED = 'expected.json';
const OPTIONS = 'case.json';
const MAX_SHOWN = 40;
const here = fileURLToPath(new URL('.', import.meta.url));
const isUpdate = process.argv.includes('--update');
const chosen = process.argv.slice(2).filter((name) => registers.some(({ id }) => id === name));
let scratch: string | undefined;

after(() => scratch && rmSync(scratch, { recursive: true, force: true }));

for (const register of registers.filter(({ id }) => chosen.length === 0 || chosen.includes(id))) {
  const folder = join(here, register.id);
  const cases = listCases(folder);
  const table = join(folder, 'refusals.json');
  describe(`golden records of ${register.id}`, () => {
    for (const name of cases) test(name, () => checkCase(register, join(folder, name)));
    if (existsSync(table)) checkRefusals(register, table);
  });
}

function listCases(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return entries.map(({ name }) => name).sort();
}

async function checkCase(register: Register, folder: string): Promise<void> {
  const contents = readContents(folder, [EXPECTED, OPTIONS]);
  const options = existsSync(join(folder, OPTIONS)) ? readJson<CaseOptions>(join(folder, OPTIONS)) : {};
  const actual = await importContents(register, contents, options);
  const path = join(folder, EXPECTED);
  if (isUpdate) return writeFileSync(path, `${formatTree(actual)}\n`);
  assert.ok(existsSync(path), `there is no ${EXPECTED}: run "npm run test:golden -- --update ${register.id}"`);
  assertSame(register, readJson<Tree>(path), actual);
}

function checkRefusals(register: Register, path: string): void {
  const table = readJson<Refusal[]>(path);
  const messages = table.map(({ name, files, message, ...options }) => {
    return test(`refusal: ${name}`, async () => {
      const contents = Object.fromEntries(Object.entries(files).map(([file, tree]) => [file, writeText(file, tree)]));
      const { refused = null } = (await importContents(register, contents, options)) as { refused?: string };
      if (!isUpdate) assert.equal(refused, message);
      else Object.assign(table.find((row) => row.name === name) ?? {}, { message: refused });
    });
  });
  if (isUpdate)
    test('are written', () =>
      Promise.all(messages).then(() => writeFileSync(path, `${formatTree(table as unknown as Tree)}\n`)));
}

function writeText(name: string, tree: Tree): string | Record<string, string> {
  if (typeof tree === 'string') return tree;
  const isLines = Array.isArray(tree) && tree.every((line) => typeof line === 'string');
  if (isLines) return tree.map((line) => `${line}\n`).join('');
  if (!/\.(zip|xlsx|gz)$/.test(name)) return JSON.stringify(tree);
  return Object.fromEntries(Object.entries(tree ?? {}).map(([entry, text]) => [entry, String(writeText(entry, text))]));
}

function assertSame({ id }: Register, was: Tree, is: Tree): void {
  const differences = listDifferences(was, is);
  if (differences.length === 0) return;
  const shown = differences.slice(0, MAX_SHOWN).map(([path, before, now]) => {
    return `${path}\n  was ${JSON.stringify(before)}\n  is  ${JSON.stringify(now)}`;
  });
  const count = `${differences.length} differences, the first ${shown.length} of them`;
  assert.fail(`${count}:\n${shown.join('\n')}\nIf they are meant: npm run test:golden -- --update ${id}`);
}

/** Imports the files into an empty store, and returns what it has then. */
async function importContents(register: Register, contents: Contents, options: CaseOptions): Promise<Tree> {
  const dataDir = await createStore();
  const db = openStore('registry', { dataDir, databaseUrl: undefined });
  try {
    const paths = await writeContents(join(dataDir, 'files'), contents, options.encoding ?? 'utf-8');
    const parties = options.parties === undefined ? DEFAULT_PARTY_MODES : { all: options.parties, exceptions: {} };
    const request = { register, registers, paths, parties, ...(options.mode && { mode: options.mode }) };
    const result = await importFiles(db, testClock(), request);
    const records = await readRecords(db);
    const shown = { report: describeReport(result), records: options.alike ? writeAlike(records) : records };
    return JSON.parse(JSON.stringify({ ...shown, parties: await readParties(db, register) }));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { refused: error.message };
  } finally {
    await db.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** A copy of a migrated store, because migrations take longer than the import. */
async function createStore(): Promise<string> {
  if (scratch === undefined) {
    scratch = mkdtempSync(join(tmpdir(), 'firmament-golden-'));
    const db = openStore('registry', { dataDir: scratch, databaseUrl: undefined });
    await migrate(db, loadMigrations('registry'), testClock());
    await db.close();
  }
  const dataDir = mkdtempSync(join(scratch, 'case-'));
  copyFileSync(join(scratch, 'registry.db'), join(dataDir, 'registry.db'));
  return dataDir;
}

function describeReport({ register, outcome, generation, files, ...report }: ImportResult): object {
  return { files: files.map(({ name }) => name), ...report };
}

/** In the order of the files. What is equal in all records of a register is left out, and so are hashes. */
async function readRecords(db: Db): Promise<Tree[]> {
  const registry = createRegistry(db, registers);
  const records: Tree[] = [];
  for (const { id } of await db.all<{ id: string }>('SELECT id FROM entities ORDER BY file_id, place, id')) {
    const found = await registry.findEntity(id);
    const { data } = JSON.parse(String(found?.content));
    if (data.jurisdiction === null) delete data.jurisdiction;
    const { publisher, licence, sourceUrl, importedAt, hash, files, ...provenance } = data.provenance;
    const parts = files?.map(({ hash, url, ...part }: Record<string, Tree>) => part) ?? null;
    records.push({ ...data, provenance: { ...provenance, files: parts } });
  }
  return records;
}

const LOOKUP_SIZE = 64;

async function readParties(db: Db, register: Register): Promise<object[]> {
  const sets = (await listStoredSets(db)).map((set) => ({ ...set, withPersons: true }));
  const shown: object[] = [];
  await db.snapshot(async (view) => {
    const keys: RowKey[] = [];
    for await (const batch of streamPartyKeys(view, sets)) keys.push(...batch.map(([key]) => key));
    const read = createBulkPartyReader(view, [describeRegister(register, DEFAULT_PARTY_MODES)]);
    for (let first = 0; first < keys.length; first += LOOKUP_SIZE) {
      for (const { shown: party, link } of await read(keys.slice(first, first + LOOKUP_SIZE))) {
        const { id, register, source, ...rest } = party;
        shown.push({ ...rest, link, source: { file: source.file, row: source.row } });
      }
    }
  });
  return shown;
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8'));
}
