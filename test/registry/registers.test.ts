import assert from 'node:assert/strict';
import { globSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Db } from '../../src/base/db/db.ts';
import { entityStatuses } from '../../src/base/entity-status.ts';
import { importFiles } from '../../src/import/import.ts';
import type { ImportResult } from '../../src/import/import-result.ts';
import { findLinkedId } from '../../src/import/mapping/prepare.ts';
import { recognizeFile } from '../../src/import/reading/recognize.ts';
import { indexRegisters, type Register } from '../../src/registers/contract.ts';
import { registers } from '../../src/registers/index.ts';
import { listGenerators } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { assertClassified } from '../classifications/coverage-check.ts';
import { testClock } from '../harness/clock.ts';
import { useStore, usualEngines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { describeOn } from '../harness/describe-on.ts';
import { realSample } from '../harness/real-samples.ts';
import { parseSourceData } from '../harness/source-data.ts';
import { assertVocabulary } from './vocabulary-check.ts';

/**
 * Official sample files of each register. Each inner list is one import. A register without an official bulk file in
 * the samples is not listed.
 */
const SAMPLES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  ar: [['registro-nacional-sociedades-muestreo.csv']],
  au: [['company_202608.csv']],
  be: [
    'activity address branch code contact denomination enterprise establishment meta'
      .split(' ')
      .map((name) => `${name}.csv`),
  ],
  br: [
    // The establishment and the row of Simples are of a company that is not in Empresas0.
    'Empresas0 Estabelecimentos0 Simples Cnaes Motivos Municipios Naturezas Paises Qualificacoes'
      .split(' ')
      .map((name) => `${name}.zip`),
    'Empresas0 Estabelecimentos0 Simples Socios0 Cnaes Motivos Municipios Naturezas Paises Qualificacoes'
      .split(' ')
      .map((name) => `2026/${name}.zip`),
  ],
  ca: [['corporations-active-cbca-en.csv'], ['status-texts-probe.csv']],
  cl: [['sociedades-por-fecha-rut-constitucion.csv']],
  cz: [['res_data-one.csv', 'res_pf_nace-probe.csv'], ['res_data-nameless-probe.csv']],
  ee: [['ettevotja_rekvisiidid__lihtandmed.csv']],
  fi: [['sample_record.json'], ['all_companies.zip'], ['status-probe.json']],
  fr: [
    ['sample_unites_legales_OK.csv', 'sample_etablissements_OK.csv'],
    ['unite_legale.json'],
    ['echantillon-2026.csv'],
  ],
  gb: [['CH.csv'], ['companies-input.csv']],
  gleif: [
    ['lei-data.xml'],
    ['lei-data.xml', 'elf-codes-1.4.1.csv'],
    ['20180901-gleif-concatenated-file-lei2-Top10.xml'],
  ],
  ie: [['status-probe.csv']],
  // Two of the five records of companies in the samples were published without their names.
  il: [['ica_partnerships_records.jsonl']],
  jp: [
    ['31_tottori_all_20160229.part.csv'],
    ['99_kokugai_all_20160229.part.csv'],
    ['31_tottori_test_20240329.csv'],
    ['quoted_30col.csv'],
  ],
  lt: [['JAR_IREGISTRUOTI.csv']],
  lv: [['register.csv'], ['register-2021.csv']],
  md: [['company-example.xlsx']],
  no: [['enheter-selection.csv'], ['entity_923609016.json']],
  pe: [['padron_reducido_ruc.txt']],
  ro: [
    ['OD_FIRME.CSV', 'OD_STARE_FIRMA.CSV', 'N_STARE_FIRMA.CSV'],
    ['OD_FIRME.CSV', 'OD_STARE_FIRMA.CSV'],
  ],
  se: [['bolagsverket_bulkfil.txt']],
  sg: [['acra-live-rows.csv'], ['status-texts-probe.csv']],
  si: [['opsiprs.csv', 'DURS_zavezanci_PO.csv']],
  tw: [['BGMOPEN1.csv']],
  sk: [
    ['init_2023-04-01_part.json.gz'],
    ['api_entity_31333532.json'],
    ['api_entity_terminated_35681039.json'],
    ['api_search_slovnaft.json'],
    ['api_search_telekom.json'],
  ],
  'us-co': [['records.jsonl']],
  'us-ia': [['active_iowa_business_entities_2017.csv']],
  'us-ny': [['active_corporations_api_2017.csv'], ['active_corporations_export_2025.csv']],
  // The other sets have assumed business names, which are left out.
  'us-or': [['active_businesses_excl_abn_llc_2017.csv']],
};

/** The golden records of a register whose files have no status, or only active companies, have a single status. */
function hasStatuses(register: string): boolean {
  const folder = join(import.meta.dirname, '../registers', register);
  const texts = globSync('*/expected.json', { cwd: folder }).map((file) => readFileSync(join(folder, file), 'utf8'));
  return new Set(texts.join().match(STATUS)).size > 1;
}

const STATUS = new RegExp(`"status": ?"(?:${entityStatuses.join('|')})"`, 'g');

/** Bad rows in samples that hold codes which no register documents. */
const REPORTED: ReadonlyMap<string, number> = new Map([['2026/Empresas0.zip', 3]]);

/** The rows of every table that becomes part of records, or the records: what must come back out of `sourceData`. */
async function readSource(paths: readonly string[], register: Register): Promise<Map<string, string[]>> {
  const rows = new Map<string, string[]>();
  for (const path of paths) {
    const opened = await recognizeFile(path, register);
    for (const part of opened.parts) {
      if (part.source.map === undefined && !('joins' in part.source && part.source.joins)) continue;
      // The records of a register without joined tables do not say which of its tables they are from.
      const table = register.sources.some((source) => 'joins' in source && source.joins) ? part.source.name : 'records';
      const kept = rows.get(table) ?? [];
      rows.set(table, kept);
      if ('header' in part) {
        const { texts, place: headerPlace, positions } = part.header;
        const keep = part.source.joins?.keep ?? (() => true);
        for await (const batch of part.read(() => undefined)) {
          for (const { place, value } of batch) {
            if (place <= headerPlace || !keep((column) => value[positions.get(column) ?? -1] ?? '')) continue;
            kept.push(JSON.stringify(texts.map((text, index) => [text, value[index] ?? ''])));
          }
        }
      } else {
        for await (const batch of part.read(() => undefined)) {
          for (const { value } of batch) kept.push(JSON.stringify(value));
        }
      }
    }
    await opened.close();
  }
  return rows;
}

/** The rows of a record, each with the name of its table; `main` if the record has only one table. */
function listRows(sourceData: Record<string, unknown>, columns: string | null, main: string): [string, string][] {
  if (columns === null) return [[main, JSON.stringify(sourceData)]];
  const write = (row: unknown) => JSON.stringify(Object.entries(row as object));
  if (columns.startsWith('[')) return [[main, write(sourceData)]];
  const { otherRows, ...first } = sourceData;
  if (columns.startsWith('{"":')) return [first, ...(otherRows as unknown[])].map((row) => [main, write(row)]);
  return Object.entries(sourceData).flatMap(([table, rows]) =>
    [rows].flat().map((row): [string, string] => [table, write(row)]),
  );
}

async function assertLossless(db: Db, paths: readonly string[], register: Register, missing: number): Promise<void> {
  const source = await readSource(paths, register);
  const stored = await db.all<{ source_data: string; columns: string | null }>(
    `SELECT source_data, columns FROM entities LEFT JOIN layouts ON layouts.id = entities.layout WHERE register = $1`,
    [register.id],
  );
  const [main = ''] = source.keys();
  const kept = stored.flatMap(({ source_data, columns }) =>
    listRows(parseSourceData(source_data, columns), columns, main),
  );
  const write = (table: string, row: string) => `${table} ${row}`;
  const left = new Map<string, number>();
  for (const [table, rows] of source) {
    for (const row of rows) left.set(write(table, row), (left.get(write(table, row)) ?? 0) + 1);
  }
  for (const [table, row] of kept) {
    const count = left.get(write(table, row));
    assert.ok(count !== undefined && count > 0, `${paths}: no such row in ${table}: ${row}`);
    left.set(write(table, row), count - 1);
  }
  const lost = [...left].filter(([, count]) => count > 0);
  const count = lost.reduce((sum, [, count]) => sum + count, 0);
  assert.equal(count, missing, `rows are missing: ${lost.slice(0, 3).map(([row]) => row)}`);
}

/** Of generated files. */
const ROWS = runs(140, 700);

function gathers({ sources }: Register): boolean {
  return sources.some((source) => source.kind === 'table' && source.gather !== undefined);
}

/** A link finds every company by its number, even if the other register writes the number with spaces. */
async function assertLinkable(db: Db, register: Register): Promise<void> {
  const stored = await db.all<{ id: string; registrations: string }>('SELECT id, registrations FROM entities');
  for (const { id, registrations } of stored) {
    const [registration] = JSON.parse(registrations);
    // A record without a number of its own may have another one.
    if (registration === undefined || registration.type === 'other') continue;
    const { number } = registration;
    for (const written of [number, number.replace(/(..)/g, '$1 ')]) {
      const found = findLinkedId({ register: register.id, number: written }, indexRegisters(registers));
      assert.equal(
        found,
        id,
        `no link finds "${number}" by "${written}": writeNumber must convert it (without spaces)`,
      );
    }
  }
}

/**
 * Rows that are expected to be in no record: rejected and skipped ones, duplicates, and joined rows without a company in the files.
 */
function countLeftOut({ counts, warnings }: ImportResult, register: Register): number {
  const unmatched = warnings.map((warning) =>
    Number(/^skipped ([\d,]+) rows? of/.exec(warning)?.[1]?.replaceAll(',', '') ?? 0),
  );
  return (
    counts.rejected +
    counts.skipped +
    (gathers(register) ? 0 : counts.duplicates) +
    unmatched.reduce((sum, count) => sum + count, 0)
  );
}

describeOn(usualEngines, 'registers', (engine) => {
  const store = useStore(engine, 'registry');
  const importInto = (register: Register, paths: readonly string[]) =>
    importFiles(store.db, testClock(), { register, registers, paths, mode: 'full' });

  const generators = registers.flatMap((register) =>
    listGenerators(register).map((generate, layout) => ({
      register,
      generate,
      name: layout === 0 ? 'a' : 'another',
    })),
  );
  for (const { register, generate, name } of generators) {
    test(`${register.id}: sourceData has every cell of ${name} generated file, unchanged and in order`, async () => {
      await store.db.run('DELETE FROM entities');
      const folder = join(store.database.dataDir, register.id, name);
      mkdirSync(folder, { recursive: true });
      const path = await writeSynthetic(folder, generate(ROWS, 5));
      const result = await importInto(register, [path]);
      const { counts, outcome, unreadable } = result;
      assert.deepEqual([outcome, result.synthetic], ['published', true]);
      assert.deepEqual([result.unknownColumns, result.unknownValues, result.skipped], [[], [], []]);
      // A company may have several rows.
      assert.ok(gathers(register) ? counts.rows >= ROWS : counts.rows === ROWS, JSON.stringify(counts));
      assert.equal(counts.added + counts.rejected + counts.duplicates, counts.rows);
      assert.ok(
        counts.added >= ROWS * 0.985,
        `at least 98.5 % of ${ROWS} generated companies must become records: ${JSON.stringify(counts)}`,
      );
      assert.ok(
        unreadable <= ROWS / 100,
        `the mapping reported ${unreadable} values of the generated file: ${JSON.stringify(result.problems)}`,
      );
      await assertLossless(store.db, [path], register, countLeftOut(result, register));
      await assertVocabulary(store.db, register.id);
      await assertClassified(store.db, register);
      if (register.country !== null) await assertLinkable(store.db, register);
      const statuses = await store.db.all<{ status: string }>('SELECT DISTINCT status FROM entities');
      assert.equal(statuses.length > 1, hasStatuses(register.id), 'generate companies with several statuses');
    });
  }

  for (const register of registers) {
    const files = (SAMPLES[register.id] ?? []).map((set) => set.map((file) => realSample(`${register.id}/${file}`)));
    const imports = files.filter((set): set is string[] => !set.includes(undefined));
    if (imports.length === 0) continue;
    test(`${register.id}: official samples are imported completely and without reports`, async () => {
      for (const paths of imports) {
        await store.db.run('DELETE FROM entities');
        const result = await importInto(register, paths);
        const { counts, unreadable, problems } = result;
        const reported = [...REPORTED].find(([file]) => paths[0]?.endsWith(file))?.[1] ?? 0;
        assert.deepEqual([counts.rejected, unreadable], [0, reported], JSON.stringify(problems));
        assert.ok(counts.added > 0);
        await assertLossless(store.db, paths, register, countLeftOut(result, register));
        await assertVocabulary(store.db, register.id);
      }
    });
  }
});

test('keys name known columns, and a joined table has as many key columns as the main table', () => {
  for (const { id, sources } of registers) {
    const tables = sources.filter((source) => source.kind === 'table');
    const keys = tables.flatMap(({ key }) => (key === undefined ? [] : [[key].flat()]));
    for (const { name, columns, key, joins, gather } of tables) {
      const used = [key ?? [], joins?.column ?? [], gather?.column ?? []].flat();
      for (const column of used) assert.ok(columns.includes(column), `${id}: "${name}" has no column "${column}"`);
      if (joins === undefined) continue;
      assert.ok(keys.length > 0, `${id}: "${name}" is joined, but no main table has a key`);
      for (const columns of keys) assert.equal([joins.column].flat().length, columns.length, `${id}: "${name}"`);
    }
  }
});
