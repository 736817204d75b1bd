import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { exportFormats } from '../../src/exports/manifest.ts';
import { importCompanies, importSynthetic } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';
import { type Duck, openDuck } from './duck.ts';
import { exportAll, hashFiles } from './exporting.ts';

const guide = readFileSync(new URL('../../docs/guides/exports.md', import.meta.url), 'utf8');

describe('exports of a few companies', () => {
  let service: TestService;
  let duck: Duck;
  before(async () => {
    service = await startService('sqlite');
    duck = await openDuck();
    await importSynthetic(service, 'lv', 200);
    await importCompanies(service, [company('00445790', 'ALPHA LTD', { 'SICCode.SicText_1': '62020 - Consultancy' })]);
  });
  after(async () => {
    duck?.close();
    await service?.[Symbol.asyncDispose]();
  });

  test('every DuckDB example of the guide runs and finds something', async () => {
    const folders: string[] = [];
    for (const format of exportFormats) folders.push((await exportAll(service, format)).folder);
    const examples = [...guide.matchAll(/```sql\n([^`]*)```/g)]
      .map(([, sql = '']) => sql)
      .filter((sql) => sql.includes('entities/') && !sql.includes('http://'));
    assert.ok(examples.length >= 6);
    for (const sql of examples) {
      const format = exportFormats.findIndex((name) => sql.includes(`.${name}`));
      const rows = await duck.all(sql.replaceAll("'entities/", `'${folders[format]}/entities/`).replace(/;\s*$/, ''));
      assert.ok(rows.length > 0, sql);
    }
  });

  test('an import that is published while an export runs does not change its files', async () => {
    const before = await exportAll(service, 'ndjson');
    let importing: Promise<void> | undefined;
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
