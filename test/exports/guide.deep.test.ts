import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { type EntityFormat, entityFormats } from '../../src/base/export-formats.ts';
import type { ExportResult } from '../../src/exports/export.ts';
import { importCompanies, importSynthetic } from '../harness/entities.ts';
import { useService } from '../harness/shared-service.ts';
import { company } from '../registry/gb-file.ts';
import { useDuck } from './duck.ts';
import { exportAll } from './exporting.ts';

const guide = readFileSync(new URL('../../docs/guides/exports.md', import.meta.url), 'utf8');

const runFile = promisify(execFile);

/** A reason to skip a test if the machine lacks one of the commands. */
function findMissing(...names: readonly string[]): string | false {
  try {
    for (const name of names) execFileSync('sh', ['-c', `command -v ${name}`]);
    return false;
  } catch {
    return `needs ${names.join(', ')}`;
  }
}

describe('the guide to exports', () => {
  const service = useService('sqlite');
  const duck = useDuck();
  /** In the folder from which the service offers exports. */
  const exported = {} as Record<EntityFormat, ExportResult>;
  const ONE_FILE = { rowsPerFile: 1_000 };
  before(async () => {
    await importSynthetic(service, 'lv', 200);
    await importCompanies(service, [company('00445790', 'ALPHA LTD', { 'SICCode.SicText_1': '62020 - Consultancy' })]);
    for (const format of entityFormats) {
      const folderOf = (generation: number) => join(service.database.dataDir, 'exports', String(generation), format);
      exported[format] = await exportAll(service, format, { ...ONE_FILE, folderOf });
    }
  });

  test('every DuckDB example of the guide runs and finds something', async () => {
    const examples = [...guide.matchAll(/```sql\n([^`]*)```/g)]
      .map(([, sql = '']) => sql)
      .filter((sql) => sql.includes('entities/') && !sql.includes('http://'));
    assert.ok(examples.length >= 5);
    for (const sql of examples) {
      const format = entityFormats.find((name) => sql.includes(`.${name}`)) ?? assert.fail(sql);
      const { folder } = exported[format];
      const rows = await duck.all(sql.replaceAll("'entities/", `'${folder}/entities/`).replace(/;\s*$/, ''));
      assert.ok(rows.length > 0, sql);
    }
  });

  /** The shell example with this text, run in a folder. */
  async function runExample(text: string, cwd: string, env: Record<string, string>): Promise<string> {
    const script =
      [...guide.matchAll(/```sh\n([^`]*)```/g)].find(([, sh = '']) => sh.includes(text))?.[1] ?? assert.fail();
    const here = script.replaceAll('http://127.0.0.1:3000', service.url);
    const { PATH = '' } = process.env;
    const { stdout } = await runFile('bash', ['-eo', 'pipefail', '-c', here], { cwd, env: { PATH, ...env } });
    return stdout;
  }

  test('the commands of the guide download an export and check it', {
    skip: findMissing('curl', 'jq', 'sha256sum'),
  }, async () => {
    const { manifest } = exported.parquet;
    const cwd = mkdtempSync(join(service.database.dataDir, 'walk-'));
    const env = { FIRMAMENT_KEY: await service.createKey({ plan: 'pro' }) };
    const checked = await runExample('select(.format == "parquet")', cwd, env);
    assert.equal(checked.match(/: OK$/gm)?.length, manifest.files.length);
    assert.match(await runExample('--check', join(cwd, 'companies/parquet'), env), /: OK$/m);
    assert.ok(existsSync(join(cwd, 'companies/parquet/LICENCES.md')));
  });
});
