/**
 * The rows that show how a register maps its files: those of its sample and of its golden cases, as its mapping gets them from the import. Cells can
 * be changed and the row mapped again.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_PARTY_MODES, listSetModes } from '../src/base/party-modes.ts';
import { describeFiles, planImport } from '../src/import/import-plan.ts';
import { mapJob } from '../src/import/jobs.ts';
import { createPrepareTools } from '../src/import/mapping/prepare.ts';
import { isRefusal, Problems } from '../src/import/mapping/problems.ts';
import { recognizeFile } from '../src/import/reading/recognize.ts';
import {
  type Cell,
  type JoinedRows,
  type Json,
  type MapContext,
  noRows,
  type Register,
  type Source,
} from '../src/registers/contract.ts';
import { registers } from '../src/registers/index.ts';
import { generateParties, listGenerators } from '../synthetic/generators.ts';
import { writeSynthetic } from '../synthetic/writers/write.ts';
import { readContents, writeContents } from '../test/registers/golden-files.ts';

/** Texts of columns, objects and lists. A row of a table has its own cells, and the rows of other tables by the name of the table. */
export type Row = Json;

/** A row of a source, and the function that maps it. */
export interface Example {
  readonly row: Row;
  readonly map: (row: Row) => object;
}

/** The first companies that a generator makes are those of the sample. No sample has more. */
const SAMPLE_ROWS = 60;
const SEED = 1;
const CASES = new URL('../test/registers/', import.meta.url).pathname;

/** The examples of each source of companies or parties. */
export async function collectExamples(register: Register): Promise<ReadonlyMap<Source<unknown>, readonly Example[]>> {
  const examples = new Map<Source<unknown>, Example[]>();
  const spy = spyOn(register, (source, example) => examples.getOrInsertComputed(source, () => []).push(example));
  const folder = mkdtempSync(join(tmpdir(), 'firmament-examples-'));
  try {
    const parties = Object.values(generateParties(register, SAMPLE_ROWS, SEED));
    for (const file of [...listGenerators(register).map((generate) => generate(SAMPLE_ROWS, SEED)), ...parties])
      await mapFiles(spy, [await writeSynthetic(folder, file)]);
    const cases = readdirSync(join(CASES, register.id), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    for (const { name } of cases) {
      const source = join(CASES, register.id, name);
      const options = existsSync(join(source, 'case.json'))
        ? JSON.parse(readFileSync(join(source, 'case.json'), 'utf8'))
        : {};
      const contents = readContents(source, ['case.json', 'expected.json']);
      await mapFiles(spy, await writeContents(join(folder, name), contents, options.encoding ?? 'utf-8'));
    }
    return examples;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Maps all rows of the files and stores nothing. A golden case may have files that are refused. */
async function mapFiles(register: Register, paths: readonly string[]): Promise<void> {
  const modes = listSetModes(DEFAULT_PARTY_MODES, register);
  const opened = [];
  try {
    for (const path of paths) opened.push(await recognizeFile(path, register));
    const { jobs, partyJobs, parts, codes } = await planImport(opened, register, await describeFiles(paths), modes);
    const problems = new Problems();
    const tools = { ...createPrepareTools(register, registers, modes, []), parts, codes, problems, onBytes() {} };
    for (const job of [...jobs, ...partyJobs]) for await (const _ of mapJob(job, tools));
  } catch (error) {
    if (!isRefusal(error)) throw error;
  } finally {
    for (const file of opened) await file.close();
  }
}

type AnyMap = (row: never, context: MapContext<unknown>, rows?: JoinedRows) => object;

/** The register, whose mappings also call `found` for every row. */
function spyOn(register: Register, found: (source: Source<unknown>, example: Example) => void): Register {
  const joined = register.sources.filter((source) => source.kind === 'table' && source.joins !== undefined);
  return {
    ...register,
    sources: register.sources.map((source) => {
      const watch = (map: AnyMap | undefined) =>
        map &&
        ((row: never, context: MapContext<unknown>, rows: JoinedRows = noRows) => {
          const quiet = { codes: context.codes, report() {}, reportUnknown() {} };
          found(
            source,
            source.kind === 'tree'
              ? { row: structuredClone(row), map: (changed) => map(changed as never, quiet) }
              : {
                  row: copyRows(row, rows, [source, ...joined]),
                  map: (changed) => map(toCell(changed) as never, quiet, toRows(changed)),
                },
          );
          return map(row, context, rows);
        });
      const parties = source.parties && { ...source.parties, map: watch(source.parties.map) };
      return { ...source, map: watch(source.map), ...(parties && { parties }) } as Source<unknown>;
    }),
  };
}

function copyRows(cell: Cell, rows: JoinedRows, tables: readonly Source<unknown>[]): Row {
  const [own] = tables;
  const others = tables.map((table) => [table.name, rows(table.name).map((other) => copyRow(other, table))] as const);
  return { ...copyRow(cell, own), ...Object.fromEntries(others.filter(([, list]) => list.length > 0)) };
}

function copyRow(cell: Cell, source: Source<unknown> | undefined): { [column: string]: string } {
  const columns = source?.kind === 'table' ? source.columns : [];
  return Object.fromEntries(columns.map((column) => [column, cell(column)]));
}

function toCell(row: Row): Cell {
  const cells = row as { readonly [column: string]: Row };
  return (column) => (typeof cells[column] === 'string' ? cells[column] : '');
}

function toRows(row: Row): JoinedRows {
  const tables = row as { readonly [table: string]: Row };
  return (table) => (Array.isArray(tables[table]) ? tables[table].map(toCell) : []);
}
