import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { PartyModes } from '../../src/core/party-modes.ts';
import type { ExportResult } from '../../src/exports/export.ts';
import { type PartyFormat, partyFormats } from '../../src/exports/manifest.ts';
import { engines } from '../harness/databases.ts';
import { parseCsv } from '../harness/parse-csv.ts';
import { ORGANISATIONS } from '../harness/register-files.ts';
import { startService, type TestService } from '../harness/service.ts';
import {
  importGleif,
  lei,
  readIds,
  writeCompanies,
  writeExceptions,
  writeRelationships,
} from '../parties/level2-files.ts';
import { openDuck } from './duck.ts';
import { exportAll, hashFiles, readLines } from './exporting.ts';
import { plantPerson } from './store.ts';

const OFF: PartyModes = { all: 'organisations', exceptions: { gleif: 'off' } };

for (const engine of engines) {
  describe(`exports of parties on ${engine}`, () => {
    let service: TestService;
    let ids: Readonly<Record<string, string>>;
    const exported = {} as Record<PartyFormat, ExportResult>;
    before(async () => {
      service = await startService(engine);
      await importGleif(service, {
        'lei2.csv': writeCompanies([['Child'], ['Parent', 'FR'], ['Top']]),
        'rr.csv': writeRelationships([
          { child: 'Child', parent: 'Parent', from: '2015-03-01' },
          { child: 'Child', parent: 'Former', status: 'INACTIVE', from: '2010-01-01', until: '2015-02-28' },
          { child: 'Parent', parent: 'Top' },
        ]),
        'repex.csv': writeExceptions([['Top', 'NATURAL_PERSONS']]),
      });
      ids = await readIds(service);
      for (const format of partyFormats) exported[format] = await exportAll(service, format, { rowsPerFile: 3 });
    });
    after(() => service?.[Symbol.asyncDispose]());

    test('the manifest is true, and files are by register', () => {
      for (const format of partyFormats) {
        const { manifest } = exported[format];
        assert.deepEqual([manifest.format, manifest.rows], [format, 4]);
        assert.deepEqual(
          manifest.files.map(({ path, rows, country }) => [path.replace(/\..*/, ''), rows, country]),
          [
            ['parties/register=gleif/part-0000', 3, 'ZZ'],
            ['parties/register=gleif/part-0001', 1, 'ZZ'],
          ],
        );
        const hashes = Object.fromEntries(manifest.files.map(({ path, sha256 }) => [path, sha256]));
        assert.deepEqual(hashFiles(exported[format]), hashes);
        assert.deepEqual(
          manifest.registers.map(({ register, rows }) => [register, rows]),
          [['gleif', 4]],
        );
        const licences = readFileSync(join(exported[format].folder, 'LICENCES.md'), 'utf8');
        assert.match(licences, /## gleif[\s\S]*- Parties: 4/);
      }
    });

    test('NDJSON has every party as the API shows it, and whose party it is', async () => {
      const lines = readLines(exported['parties-ndjson']).map((line) => JSON.parse(line));
      const { body } = await service.client.get(`/api/v1/entities/${ids.Child}/parties`);
      const [parent] = body.data;
      const found = lines.find(({ entityId }) => entityId === ids.Parent);
      const { id, register, companyNumber, companyId, ...shown } = found;
      assert.deepEqual(shown, parent);
      assert.deepEqual([register, companyNumber, companyId], ['gleif', lei('Child'), ids.Child]);
      assert.match(id, /^[\w-]{24}$/);
      assert.deepEqual(
        lines.map((line) => line.companyNumber),
        [lei('Child'), lei('Child'), lei('Parent'), lei('Top')],
      );
      assert.equal(lines.filter(({ current }) => !current).length, 1);
    });

    test('DuckDB reads typed columns from Parquet, and CSV has one row per party', async () => {
      const duck = await openDuck();
      const { folder } = exported['parties-parquet'];
      const rows = await duck.all(
        `SELECT role, name, "from"::VARCHAR AS since, current, interests[1].type AS interest, absence.reason AS reason, source.row::INTEGER AS row,
          json_extract_string(sourceData, '$."Relationship.EndNode.NodeID"') AS cell, typeof("from") AS type, register
          FROM read_parquet('${folder}/parties/*/*.parquet', hive_partitioning = false) WHERE companyNumber IN ('${lei('Child')}', '${lei('Top')}') ORDER BY name NULLS LAST, row`,
      );
      const guide = readFileSync(new URL('../../docs/guides/exports.md', import.meta.url), 'utf8');
      const [, example = ''] = /```sql\n([^`]*parties\/\*[^`]*);\n```/.exec(guide) ?? [];
      assert.deepEqual(
        (await duck.all(example.replace("'parties/", `'${folder}/parties/`))).map(({ name }) => name),
        ['Parent', 'Top'],
      );
      duck.close();
      const parent = { role: 'parent', current: true, reason: null, type: 'DATE', register: 'gleif' };
      const byRow = (a: { row: number }, b: { row: number }) => a.row - b.row;
      const linked = rows.filter(({ cell }) => cell !== null) as { row: number }[];
      assert.deepEqual(linked.sort(byRow), [
        { ...parent, name: 'Parent', since: '2015-03-01', interest: 'consolidation', row: 2, cell: lei('Parent') },
        {
          ...parent,
          name: null,
          since: '2010-01-01',
          interest: 'consolidation',
          row: 3,
          cell: lei('Former'),
          current: false,
        },
      ]);
      assert.deepEqual(
        rows.filter(({ cell }) => cell === null).map(({ reason }) => reason),
        ['persons'],
      );

      const { folder: csv, manifest } = exported['parties-csv'];
      const [header = [], ...cells] = parseCsv(readFileSync(join(csv, manifest.files[0]?.path ?? ''), 'utf8'));
      assert.deepEqual(
        header,
        manifest.schema.map(({ name }) => name),
      );
      assert.equal(cells.length, 3);
      const first = Object.fromEntries(
        header.map((name, at) => [name, cells.find((row) => row.includes('Parent'))?.[at]]),
      );
      assert.deepEqual(
        [first.companyId, first.interestTypes, first.shares, first.from, first.row, first.absenceReason],
        [ids.Child, 'consolidation', '', '2015-03-01', '2', ''],
      );
    });

    test('PARTIES is respected: persons only in the mode names, and nothing of a register that is off', async () => {
      await plantPerson(service.services.registryDb, lei('Child'));
      const namesIn = (result: ExportResult) => readLines(result).map((line) => JSON.parse(line).name);
      const folderOf = () => exported['parties-ndjson'].folder;
      const organisations = await exportAll(service, 'parties-ndjson', { parties: ORGANISATIONS });
      assert.equal(namesIn(organisations).includes('Anna Example'), false);
      const names = await exportAll(service, 'parties-ndjson', { folderOf });
      // Another mode is another export, also in the same folder.
      assert.equal(names.isNew, true);
      assert.ok(namesIn(names).includes('Anna Example'));
      assert.equal(names.manifest.rows, organisations.manifest.rows + 1);
      const off = await exportAll(service, 'parties-ndjson', { parties: OFF });
      assert.deepEqual([off.manifest.rows, off.manifest.files, off.manifest.registers], [0, [], []]);
    });
  });
}
