import type { Json, Register } from '../src/registers/contract.ts';
import { type Company, createCompanies } from './company.ts';
import type { SyntheticCsv, SyntheticFile, SyntheticJson, SyntheticXml } from './file.ts';
import { fixCheckDigits, fixTotals } from './fixes.ts';
import { type LoadedFile, type LoadedTable, loadSample, type Row } from './samples.ts';
import { createTemplates, NONE, type Templates } from './templates.ts';

/**
 * Files with invented companies in the formats of the registers, for the demo, tests, benchmarks and `firmament generate`. They are copies of
 * the companies in the folder `sample/` of the register (`samples.ts`) with values of their own (`templates.ts`). Nothing that serves users
 * imports this folder.
 */
type Generate = (rows: number, seed: number) => SyntheticFile;

interface Sample {
  readonly files: readonly LoadedFile[];
  readonly templates: Templates;
}

interface Samples {
  readonly main: Sample;
  readonly other: Sample | null;
}

const samples = new Map<string, Samples>();

function findSamples(register: Register): Samples {
  return samples.getOrInsertComputed(register.id, () => {
    const files = loadSample(register);
    const make = (chosen: readonly LoadedFile[]): Sample => {
      return {
        files: chosen,
        templates: createTemplates(register, [...new Set(chosen.flatMap((file) => file.tables))]),
      };
    };
    const other = files.filter((file) => file.other);
    return { main: make(files.filter((file) => !file.other)), other: other.length === 0 ? null : make(other) };
  });
}

/** Generates a file with so many companies. The same arguments give the same bytes on every machine. */
export function generateFile(register: Register, rows: number, seed: number): SyntheticFile {
  return generateMain(register, findSamples(register).main, rows, seed);
}

function generateMain({ id }: Register, sample: Sample, rows: number, seed: number): SyntheticFile {
  const file = sample.files.find(({ set }) => set === undefined);
  if (file === undefined) throw new Error(`sample.json of ${id} has no file of companies`);
  return makeFile(id, file, sample, rows, seed);
}

/** The files of the parties of the companies in the generated file, by set or part of a set. */
export function generateParties(
  register: Register,
  rows: number,
  seed: number,
): Readonly<Record<string, SyntheticFile>> {
  const { main } = findSamples(register);
  return Object.fromEntries(
    main.files.flatMap((file) =>
      file.set === undefined ? [] : [[file.set, makeFile(register.id, file, main, rows, seed)]],
    ),
  );
}

/** The generators of all layouts of a register, the main layout first. */
export function listGenerators(register: Register): readonly Generate[] {
  const { main, other } = findSamples(register);
  return [main, ...(other === null ? [] : [other])].map(
    (sample) => (rows: number, seed: number) => generateMain(register, sample, rows, seed),
  );
}

function makeFile(register: string, file: LoadedFile, sample: Sample, rows: number, seed: number): SyntheticFile {
  const { name, packing = 'none', tables, part } = file;
  const { templates } = sample;
  const make = createCompanies(templates.count, rows, seed);
  const [from, to] =
    part === undefined ? [0, rows] : [split(rows, part.index, part.of), split(rows, part.index + 1, part.of)];

  /** What is about no company comes last, once. */
  function* write<Item>(of: (company: number) => readonly ((company: Company) => Item)[], first: number, end: number) {
    for (let index = first; index < end; index++) {
      const company = make(index);
      for (const item of of(index % templates.count)) yield item(company);
    }
  }
  function* writeRows(table: LoadedTable): Generator<Row> {
    for (const row of write((company) => templates.rowsOf(table, company), from, to))
      yield fixCheckDigits(register, table, row);
    for (const row of templates.rowsOf(table, NONE)) yield row(make(0));
  }
  function* writeRecords(table: LoadedTable): Generator<Json> {
    const of = (company: number) => templates.recordsOf(table, company);
    yield* write(of, from, to);
    if (to < rows) return;
    for (const record of templates.recordsOf(table, NONE)) yield fixTotals(record(make(0)), () => write(of, 0, rows));
  }

  const makeContent = (table: LoadedTable) =>
    makeTable(
      table,
      () => writeRows(table),
      () => writeRecords(table),
    );
  const [first] = tables;
  if (first === undefined) throw new Error(`sample.json of ${register}: ${name} has no tables`);
  if (name.endsWith('.xlsx')) {
    const sheets = tables.map((table) => ({
      name: table.name ?? table.table,
      rows: { [Symbol.iterator]: () => writeSheet(table, () => writeRows(table)) },
    }));
    return { name, packing, content: { type: 'xlsx', sheets } };
  }
  if (first.name === undefined) return { name, packing, content: makeContent(first) };
  const files = tables.map((table) => ({
    name: table.name ?? table.table,
    content: makeContent(table) as SyntheticCsv,
  }));
  return { name, packing, content: { type: 'archive', files } };
}

function split(rows: number, index: number, of: number): number {
  return Math.ceil((rows * index) / of);
}

function makeTable(
  {
    source,
    header,
    bom = false,
    quoting = 'needed',
    lineEnd = '\n',
    layout = 'array',
    start = '',
    end = '',
    encoding = 'utf-8',
  }: LoadedTable,
  writeRows: () => Iterator<Row>,
  writeRecords: () => Iterator<Json>,
): SyntheticCsv | SyntheticJson | SyntheticXml {
  if (source.kind === 'tree') {
    const values = { [Symbol.iterator]: writeRecords };
    if (source.format.type === 'json') return { type: 'json', layout, values };
    return { type: 'xml', encoding, start, end, element: source.format.element, values };
  }
  if (source.csv === undefined) throw new Error(`"${source.name}" is not published as CSV`);
  const hasHeader = source.headerless === undefined && source.csv.widths === undefined;
  const rows = { [Symbol.iterator]: writeRows };
  return { type: 'csv', dialect: source.csv, bom, quoting, lineEnd, header: hasHeader ? header : [], rows };
}

/** In the sample, a cell with `=` before a number is a number. */
function* writeSheet(
  { title = [], header }: LoadedTable,
  writeRows: () => Iterable<Row>,
): Generator<(string | number | null)[]> {
  for (const line of title) yield [...line];
  yield [...header];
  for (const row of writeRows())
    yield row.map((cell) => (cell === '' ? null : /^=-?[\d.]+$/.test(cell) ? Number(cell.slice(1)) : cell));
}
