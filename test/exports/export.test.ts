import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { summaryNames } from '../../src/base/entity-summary.ts';
import { type EntityFormat, entityFormats } from '../../src/base/export-formats.ts';
import type { ExportResult } from '../../src/exports/export.ts';
import { registers } from '../../src/registers/index.ts';
import { usualEngines } from '../harness/databases.ts';
import { importCompanies, importSyntheticAll } from '../harness/entities.ts';
import { useService } from '../harness/shared-service.ts';
import { company } from '../registry/gb-file.ts';
import { useDuck } from './duck.ts';
import { exportAll, hashFiles, readLines } from './exporting.ts';

/** The last two sort differently as UTF-16 and as UTF-8. */
const HOSTILE = ['=cmd|"/c calc"!A1', 'LINE\nTWO, "QUOTED"', '@SUM(A1)', "O'BRIEN; DROP", '\uff21 WIDE', '𠮷野 LTD'];

for (const engine of usualEngines) {
  describe(`exports on ${engine}`, () => {
    const service = useService(engine);
    const duck = useDuck();
    const exported = {} as Record<EntityFormat, ExportResult>;
    const parquet = (country = '*') =>
      `read_parquet('${exported.parquet.folder}/entities/country=${country}/*.parquet')`;

    before(async () => {
      await importSyntheticAll(service, 45);
      await importCompanies(
        service,
        HOSTILE.map((name, index) => company(`0900000${index}`, name)),
      );
      for (const format of entityFormats)
        exported[format] = await exportAll(service, format, { threads: format === 'ndjson' ? 2 : 1 });
    });

    test('the manifest is true: generation, files, rows, bytes, hashes and registers', async () => {
      const total = (await service.client.get('/api/v1/entities?pageSize=1')).body.meta.total;
      for (const format of entityFormats) {
        const { folder, manifest } = exported[format];
        assert.deepEqual(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')), manifest);
        assert.equal(manifest.format, format);
        const version = await service.services.registry.version();
        assert.equal(manifest.generation, Number(version.split('-')[0]));
        assert.equal(manifest.dataVersion, `${manifest.program}.${version}`);
        assert.equal(manifest.rows, total);
        assert.deepEqual(
          hashFiles(exported[format]),
          Object.fromEntries(manifest.files.map((f) => [f.path, f.sha256])),
        );
        for (const { path, bytes, rows, country } of manifest.files) {
          assert.equal(statSync(join(folder, path)).size, bytes);
          assert.ok(rows > 0 && rows <= 40);
          assert.match(path, new RegExp(`^entities/country=${country}/part-\\d{4}\\.`));
        }
        assert.ok(
          manifest.files.some(({ path }) => path.includes('part-0001')),
          'some country has several files',
        );
        assert.equal(existsSync(join(folder, '.partial')), false);
        const licences = readFileSync(join(folder, 'LICENCES.md'), 'utf8');
        for (const { id, publisher, licence } of registers) {
          const listed = manifest.registers.find(({ register }) => register === id);
          // Of gb, a file of the publisher was imported as well.
          const isReal = id === 'gb';
          assert.deepEqual([listed?.synthetic, listed?.licenceKnown], [!isReal, !isReal]);
          assert.deepEqual([listed?.publisher, listed?.licence].join() === [publisher, licence].join(), isReal);
          assert.ok((listed?.rows ?? 0) > 0, id);
          const terms = isReal ? '**unknown**: ask the publisher' : listed?.licence;
          assert.ok(licences.includes(`## ${id}\n\n- Publisher: ${listed?.publisher}\n- Licence: ${terms}`), id);
        }
        assert.equal(manifest.includesUnknownLicences, true);
      }
    });

    test('NDJSON has every record, byte for byte as the API replies, in the order of search', async () => {
      const lines = readLines(exported.ndjson);
      assert.equal(lines.length, exported.ndjson.manifest.rows);
      // What the API replies, without its limits.
      const bodies = await Promise.all(lines.map((line) => service.services.registry.findEntity(JSON.parse(line).id)));
      for (const [index, line] of lines.entries()) assert.equal(`{"data":${line}}`, String(bodies[index]?.content));
      const { text } = await service.client.get(`/api/v1/entities/${JSON.parse(lines[0] ?? '').id}`);
      assert.equal(`{"data":${lines[0]}}`, text);
      const british = lines.map((line) => JSON.parse(line)).filter(({ countryCode }) => countryCode === 'GB');
      const { data } = (await service.client.get('/api/v1/entities?country=GB&pageSize=100')).body;
      assert.deepEqual(
        british.slice(0, data.length).map(({ id }) => id),
        data.map(({ id }: { id: string }) => id),
      );
    });

    test('DuckDB reads the same records from Parquet, with typed columns', async () => {
      const records = new Map(readLines(exported.ndjson).map((line) => [JSON.parse(line).id, JSON.parse(line)]));
      const rows = await duck.all<Record<string, string | null>>(`SELECT * FROM ${parquet()}`);
      assert.equal(rows.length, records.size);
      for (const row of rows) assert.deepEqual(normalize(restore(row)), normalize(records.get(row.id)), String(row.id));
      const types = await duck.all<{ column_name: string; column_type: string }>(`DESCRIBE SELECT * FROM ${parquet()}`);
      const schema = exported.parquet.manifest.schema.map(({ name, type }) => [name, type.replaceAll(/"/g, '')]);
      const described = types.map(({ column_name, column_type }) => [column_name, column_type.replaceAll(/"/g, '')]);
      assert.deepEqual(described.slice(0, schema.length), schema);
    });

    test('statistics and Bloom filters find every name and number, also beyond the basic plane', async () => {
      for (const [index, name] of HOSTILE.entries()) {
        const found = await duck.all(
          `SELECT registrationNumber AS number FROM ${parquet('GB')} WHERE canonicalName = ${quote(name.replace('\n', ' '))} OR canonicalName = ${quote(name)}`,
        );
        assert.deepEqual(found, [{ number: `0900000${index}` }], name);
        const byNumber = await duck.all(`SELECT id FROM ${parquet('GB')} WHERE registrationNumber = '0900000${index}'`);
        assert.equal(byNumber.length, 1);
      }
      const filters = await duck.all(
        `SELECT DISTINCT path_in_schema AS name FROM parquet_metadata('${exported.parquet.folder}/entities/*/*.parquet') WHERE bloom_filter_offset IS NOT NULL ORDER BY 1`,
      );
      assert.deepEqual(filters, [{ name: 'id' }, { name: 'registrationNumber' }]);
    });

    test('CSV has one row per entity, no formulas, and the documented header', async () => {
      const { folder, manifest } = exported.csv;
      const files = `'${folder}/entities/*/*.csv'`;
      const options = "all_varchar = true, header = true, delim = ',', quote = '\"', escape = '\"', strict_mode = true";
      const csv = `read_csv(${files}, ${options}, hive_partitioning = false)`;
      const rows = await duck.all<Record<string, string | null>>(`SELECT * FROM ${csv}`);
      assert.equal(rows.length, manifest.rows);
      assert.deepEqual(
        Object.keys(rows[0] ?? {}),
        manifest.schema.map(({ name }) => name),
      );
      const names = new Map(readLines(exported.ndjson).map((line) => [JSON.parse(line).id, JSON.parse(line)]));
      for (const row of rows) {
        for (const cell of Object.values(row)) assert.doesNotMatch(cell ?? '', /^\s*[=+\-@]/);
        const record = names.get(row.id);
        assert.equal(row.canonicalName?.replace(/^'(?=\s*[=+\-@])/, ''), record.canonicalName);
        assert.equal(row.address?.replace(/^'(?=\s*[=+\-@])/, '') ?? null, record.registry.address?.text ?? null);
      }
    });

    test('only the chosen countries and registers are exported, and unknown licences only on request', async () => {
      const some = await exportAll(service, 'csv', {
        wanted: { countries: ['GB', 'LV'], registers: undefined, includeUnknownLicences: false },
      });
      assert.deepEqual(some.manifest.countries, ['GB', 'LV']);
      assert.deepEqual(some.manifest.leftOut, ['gb']);
      assert.equal(some.manifest.includesUnknownLicences, false);
      assert.ok(some.manifest.registers.every(({ register }) => register !== 'gb'));
      assert.deepEqual([...new Set(some.manifest.files.map(({ country }) => country))], ['GB', 'LV']);
      assert.match(readFileSync(join(some.folder, 'LICENCES.md'), 'utf8'), /licence is unknown: gb\./);
    });
  });
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

const RECORD_NAMES: ReadonlySet<string> = new Set([
  ...[...summaryNames, 'registrations', 'related', 'partyCounts', 'provenance'],
]);
const RENAMED: Readonly<Record<string, string>> = {
  legalFormDetails: 'legalForm',
  statusDetails: 'status',
  jurisdictionText: 'jurisdiction',
};

/** A row of the Parquet file as a record of the API. */
function restore(row: Readonly<Record<string, string | null>>): unknown {
  const { registryOther, sourceData, country: _, ...typed } = row;
  const record: Record<string, unknown> = {};
  const registry: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(typed)) {
    if (RECORD_NAMES.has(name)) record[name] = value;
    else registry[RENAMED[name] ?? name] = value;
  }
  Object.assign(registry, JSON.parse(registryOther ?? '{}'));
  return { ...record, registry, sourceData: JSON.parse(sourceData ?? '') };
}

/** Without fields that are null, because a struct has all its fields, and with numbers and times as texts, as DuckDB returns them. */
function normalize(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalize);
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?(\+00)?$/.test(value)) {
    return new Date(`${value.replace(' ', 'T').replace('+00', '')}Z`).toISOString();
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  // Labels by language are JSON text in their column.
  const read = (name: string, item: unknown) =>
    name === 'labels' && typeof item === 'string' ? JSON.parse(item) : item;
  return Object.fromEntries(entries.map(([name, item]) => [name, normalize(read(name, item))]));
}
