import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { partyFormats } from '../../src/base/export-formats.ts';
import { useDatabase } from '../harness/databases.ts';
import { importCompanies, importSynthetic } from '../harness/entities.ts';
import { run } from '../harness/process.ts';
import { useService } from '../harness/shared-service.ts';
import { company, writeGb } from '../registry/gb-file.ts';
import { exportAll, hashFiles } from './exporting.ts';

/** SQLite: the command itself does not depend on the database. */
describe('firmament export', () => {
  const database = useDatabase('sqlite', { migrated: true });
  let env: Record<string, string>;

  before(async () => {
    env = { DATA_DIR: database.dataDir };
    for (const [id, rows, kind] of [
      ['lv', '300', 'csv'],
      ['ro', '20', 'zip'],
    ] as const) {
      const file = join(database.dataDir, `${id}.${kind}`);
      assert.equal((await run(['generate', id, '--rows', rows, '--out', file], env)).code, 0);
      assert.equal((await run(['import', id, file], env)).code, 0);
    }
    await importGb('ALPHA LTD');
  });

  async function importGb(name: string) {
    const file = writeGb(database.dataDir, `${name}.csv`, [company('00000001', name)]);
    assert.equal((await run(['import', 'gb', file], env)).code, 0);
  }

  test('writes to EXPORT_DIR, leaves out unknown licences except of invented companies, and does nothing the second time', async () => {
    const first = await run(['export', '--format', 'csv'], env);
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stdout, /Left out, because the licence is unknown: gb\. Use --include-unknown-licences/);
    assert.match(first.stdout, /Exported 320 entities of generation 3 /);
    const folder = join(database.dataDir, 'exports', '3', 'csv');
    assert.deepEqual(readdirSync(folder).sort(), ['LICENCES.md', 'entities', 'manifest.json']);
    const { registers, includesUnknownLicences } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    assert.deepEqual(
      registers.map(({ register, synthetic }: Record<string, unknown>) => [register, synthetic]),
      [
        ['lv', true],
        ['ro', true],
      ],
    );
    assert.equal(includesUnknownLicences, false);
    assert.match(readFileSync(join(folder, 'LICENCES.md'), 'utf8'), /## ro\n\n- Publisher: Firmament \(synthetic/);
    const again = await run(['export', '--format', 'csv', '--json'], env);
    assert.deepEqual([again.code, JSON.parse(again.stdout).isNew], [0, false]);
    for (const name of ['BETA LTD', 'GAMMA LTD']) {
      await importGb(name);
      assert.equal((await run(['export', '--format', 'csv'], env)).code, 0);
    }
    assert.deepEqual(readdirSync(join(database.dataDir, 'exports')).sort(), ['4', '5'], 'two are kept');
  });

  test('wrong usage is one sentence with a suggestion', async () => {
    const full = join(database.dataDir, 'full');
    mkdirSync(full);
    writeFileSync(join(full, 'mine.txt'), 'x');
    for (const [line, code, message] of [
      ['export --format parket', 2, /^Unknown format "parket"\. Did you mean "parquet"\?\n$/],
      ['export --country latvia', 2, /^Unknown country "latvia"\. Did you mean "LV"\?\n$/],
      ['export --country XX', 2, /^Unknown country "XX"\. /],
      ['export --register latvia', 2, /^Unknown register "latvia"\. Did you mean "lv"\?\n$/],
      ['export --register gb', 1, /^There is nothing to export: the licence of gb is unknown\. --include-unknown/],
      [`export --out ${full}`, 1, /is not empty and not an export: choose another folder\.\n$/],
    ] as const) {
      const ended = await run(line.split(' '), env);
      assert.deepEqual([ended.code, ended.stdout], [code, ''], line);
      assert.match(ended.stderr, message);
    }
    assert.deepEqual(readdirSync(full), ['mine.txt']);
    for (const format of partyFormats) {
      const { code, stderr } = await run(['export', '--format', format], { ...env, PARTIES: 'off' });
      assert.equal(code, 1);
      assert.match(stderr, /nothing to export: no parties are imported, or PARTIES switches them off/);
    }
  });
});

describe('an export of a service', () => {
  const service = useService('sqlite');
  before(async () => {
    await importSynthetic(service, 'lv', 200);
    await importCompanies(service, [company('00445790', 'ALPHA LTD')]);
  });

  test('an import that is published while an export runs does not change its files', async () => {
    let importing: Promise<void> | undefined;
    const before = await exportAll(service, 'ndjson');
    const during = await exportAll(service, 'ndjson', {
      onProgress({ phase }) {
        if (phase === 'sorting') importing ??= importCompanies(service, [company('00000001', 'NEW LTD')]);
      },
    });
    await importing;
    assert.equal(during.manifest.generation, before.manifest.generation);
    assert.deepEqual(hashFiles(during), hashFiles(before));
    const later = await exportAll(service, 'ndjson');
    assert.equal(later.manifest.rows, before.manifest.rows + 1);
  });
});
