import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { PartyModes } from '../../src/base/party-modes.ts';
import type { Json } from '../../src/base/source-files.ts';
import type { Register } from '../../src/registers/contract.ts';
import type { SyntheticCsv, SyntheticFile } from '../../synthetic/file.ts';
import { generateFile, generateParties } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';

/** The figures of one import. */
export interface ImportMeasurement {
  /** With the set, if it is an import of parties: `gb psc`. */
  readonly register: string;
  readonly engine: 'sqlite' | 'postgres';
  readonly run: 'first' | '1 % changed';
  /** Rows of all tables in the file. */
  readonly rows: number;
  /** Rows of the table with the companies, or of the files of parties. */
  readonly records: number;
  readonly megabytes: number;
  readonly seconds: number;
  readonly rowsPerSecond: number;
  /** Microseconds of processor time per row, in all threads. It says more than the seconds on a machine with other work. */
  readonly cpuMicros: number;
  /** Peak resident memory of the importing process. */
  readonly peakMegabytes: number;
  readonly written: number;
}

interface ImportBenchOptions {
  readonly registers: readonly Register[];
  readonly rows: (register: Register) => number;
  /** Where generated files are kept between runs. */
  readonly cache: string;
  readonly databaseUrl: string | undefined;
  readonly onMeasured: (measurement: ImportMeasurement) => void;
}

/** Imports a generated file into an empty store, then the same file with every hundredth company changed, then the parties. */
export async function benchImport({
  registers,
  rows,
  cache,
  databaseUrl,
  onMeasured,
}: ImportBenchOptions): Promise<void> {
  mkdirSync(cache, { recursive: true });
  for (const register of registers) {
    const count = rows(register);
    const first = await provideFile(register, count, join(cache, `${register.id}-${count}`), (file) => file);
    const changedFolder = join(cache, `${register.id}-${count}-changed`);
    const changed = await provideFile(register, count, changedFolder, (file) => renameEvery(100, file));
    for (const engine of databaseUrl === undefined ? (['sqlite'] as const) : (['sqlite', 'postgres'] as const)) {
      const dataDir = mkdtempSync(join(cache, 'store-'));
      try {
        for (const [run, path] of [
          ['first', first],
          ['1 % changed', changed],
        ] as const) {
          const url = engine === 'postgres' ? databaseUrl : undefined;
          const result = await measureImport(register, [path], dataDir, url, run === 'first');
          onMeasured({ register: register.id, engine, run, ...describeRun(result, [path]) });
        }
      } finally {
        rmSync(dataDir, { recursive: true, force: true });
      }
    }
    await benchParties(register, count, cache, onMeasured);
  }
}

/** Imports each set of parties of the register into an empty SQLite store, persons included. */
async function benchParties(
  register: Register,
  companies: number,
  cache: string,
  onMeasured: ImportBenchOptions['onMeasured'],
): Promise<void> {
  const folder = join(cache, `${register.id}-${companies}`);
  const sets = Map.groupBy(Object.entries(generateParties(register, companies, 7)), ([set]) =>
    set.replace(/-\d+$/, ''),
  );
  for (const [set, files] of sets) {
    const paths: string[] = [];
    for (const [, file] of files) paths.push(await provide(folder, file, (same) => same));
    const dataDir = mkdtempSync(join(cache, 'store-'));
    try {
      const names = { all: 'names', exceptions: { [`${register.id}/${set}`]: 'names' } } as const;
      const result = await measureImport(register, paths, dataDir, undefined, true, names);
      const line = { register: `${register.id} ${set}`, engine: 'sqlite', run: 'first' } as const;
      onMeasured({ ...line, ...describeRun(result, paths) });
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  }
}

function describeRun(result: Measured, paths: readonly string[]) {
  const megabytes = paths.reduce((sum, path) => sum + statSync(path).size, 0) / 1e6;
  const rowsPerSecond = Math.round(result.rows / result.seconds);
  return { megabytes, rowsPerSecond, cpuMicros: (1e6 * result.cpuSeconds) / result.rows, ...result };
}

interface Measured {
  readonly rows: number;
  readonly records: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMegabytes: number;
  readonly written: number;
}

/** Imports in a separate process, so that its peak memory is that of the import. */
export async function measureImport(
  register: Register,
  paths: readonly string[],
  dataDir: string,
  url: string | undefined,
  empty: boolean,
  parties?: PartyModes,
) {
  const worker = fileURLToPath(new URL('worker.ts', import.meta.url));
  const task = JSON.stringify({ register: register.id, paths, dataDir, databaseUrl: url, empty, parties });
  const { stdout } = await promisify(execFile)(process.execPath, [worker, task], { maxBuffer: 1e8 });
  return JSON.parse(stdout) as Measured;
}

export async function provideFile(
  register: Register,
  rows: number,
  folder: string,
  change: (file: SyntheticFile) => SyntheticFile,
): Promise<string> {
  return provide(folder, generateFile(register, rows, 7), change);
}

async function provide(
  folder: string,
  file: SyntheticFile,
  change: (file: SyntheticFile) => SyntheticFile,
): Promise<string> {
  const path = join(folder, file.name);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  return writeSynthetic(folder, change(file));
}

/** Renames every n-th company. The name is found by its column or key, so this works for every register. */
export function renameEvery(n: number, file: SyntheticFile): SyntheticFile {
  const { content } = file;
  if (content.type === 'csv') return { ...file, content: changeCsv(content, n) };
  if (content.type === 'archive') {
    const main = content.files.findIndex((entry) => findName(entry.content) >= 0);
    const files = content.files.map((entry, index) =>
      index === main ? { ...entry, content: changeCsv(entry.content, n) } : entry,
    );
    return { ...file, content: { ...content, files } };
  }
  if (content.type === 'json' || content.type === 'xml') {
    return {
      ...file,
      content: { ...content, values: changeEvery(n, content.values, (value) => renameFirst(value).value) },
    };
  }
  const [main, ...others] = content.sheets;
  if (main === undefined) return file;
  const rows = changeEvery(n, main.rows, (row) => row.with(2, `${row[2]} II`));
  return { ...file, content: { ...content, sheets: [{ ...main, rows }, ...others] } };
}

function changeCsv(csv: SyntheticCsv, n: number): SyntheticCsv {
  const column = findName(csv);
  return { ...csv, rows: changeEvery(n, csv.rows, (row) => row.with(column, `${row[column]} II`)) };
}

const NAMES =
  /^(company[_ ]?name|nimi|navn|name|ja_pavadinimas|denumire|denomination|firma|denominationunitelegale|entity_name|corporate name - form 1|#text)$/i;

/** In files without a header, the name follows the number. */
function findName({ header }: SyntheticCsv): number {
  return header.length === 0 ? 1 : header.findIndex((title) => NAMES.test(title.trim()));
}

/** Renames the first text in a tree whose key is that of a name. */
function renameFirst(value: Json, key = ''): { value: Json; found: boolean } {
  if (typeof value === 'string')
    return NAMES.test(key) ? { value: `${value} II`, found: true } : { value, found: false };
  if (typeof value !== 'object' || value === null) return { value, found: false };
  for (const [name, inner] of Object.entries(value)) {
    const renamed = renameFirst(inner, name);
    if (!renamed.found) continue;
    const changed = Array.isArray(value)
      ? value.with(Number(name), renamed.value)
      : { ...value, [name]: renamed.value };
    return { value: changed, found: true };
  }
  return { value, found: false };
}

function* changeEvery<T>(n: number, items: Iterable<T>, change: (item: T) => T): Generator<T> {
  let index = 0;
  for (const item of items) yield ++index % n === 0 ? change(item) : item;
}
