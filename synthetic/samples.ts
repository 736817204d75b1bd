/**
 * The sample of a register: a few dozen invented companies in its own folder, as rows of its tables. `sample.json` lists the files of the
 * publisher and which rows each of them has; the rows of a table are in `<table>.tsv`, under the header of the file, and records of trees in
 * `<table>.jsonl`. How the cells are written follows from the table of the register.
 */
import { existsSync, readFileSync } from 'node:fs';
import type { Json, Register, Source } from '../src/registers/contract.ts';
import type { SyntheticCsv, SyntheticFile, SyntheticJson, SyntheticXml } from './file.ts';

/** A file that the publisher offers. */
export interface SampleFile {
  readonly name: string;
  readonly packing?: SyntheticFile['packing'];
  /** Of a file of parties: its set, or part of a set such as `psc-2`. */
  readonly set?: string;
  /** Of a file in another layout than the main one, which fills other fields. */
  readonly other?: true;
  /** The companies are in several files: this one has a part of them. */
  readonly part?: { readonly index: number; readonly of: number };
  readonly tables: readonly SampleTable[];
}

/** One table of a file. What is left out is as in most files: see `makeCsv` and `makeContent`. */
export interface SampleTable
  extends Partial<
    Pick<SyntheticCsv, 'bom' | 'quoting' | 'lineEnd'> &
      Pick<SyntheticJson, 'layout'> &
      Pick<SyntheticXml, 'start' | 'end' | 'encoding'>
  > {
  /** The name of the table in the register, and of the file with its rows, unless `rows` names another one. */
  readonly table: string;
  readonly rows?: string;
  /** Its name in an archive or workbook. */
  readonly name?: string;
  /** The lines above the header of a sheet. */
  readonly title?: readonly (readonly (string | null)[])[];
}

export type Row = readonly string[];

export interface LoadedTable extends SampleTable {
  readonly source: Source<unknown>;
  /** Of a table. */
  readonly header: Row;
  readonly lines: readonly Row[];
  /** Of a tree. */
  readonly records: readonly Json[];
}

export type LoadedFile = Omit<SampleFile, 'tables'> & { readonly tables: readonly LoadedTable[] };

export function loadSample({ id, sources }: Pick<Register, 'id' | 'sources'>): readonly LoadedFile[] {
  const folder = new URL(`../src/registers/${id}/sample/`, import.meta.url);
  const list = new URL('sample.json', folder);
  if (!existsSync(list)) throw new Error(`${id} has no sample: add src/registers/${id}/sample/sample.json`);
  const files: readonly SampleFile[] = JSON.parse(readFileSync(list, 'utf8'));
  return files.map((file) => ({
    ...file,
    tables: file.tables.map((table) => {
      const source = sources.find(({ name }) => name === table.table);
      if (source === undefined) throw new Error(`sample.json of ${id}: the register has no table "${table.table}"`);
      const path = `${table.rows ?? table.table}.${source.kind === 'table' ? 'tsv' : 'jsonl'}`;
      const lines = readFileSync(new URL(encodeURIComponent(path), folder), 'utf8')
        .replace(/\n$/, '')
        .split('\n');
      if (source.kind === 'tree') {
        return { ...table, source, header: [], lines: [], records: lines.map((line) => JSON.parse(line) as Json) };
      }
      const [header = [], ...rows] = lines.map((line) => line.split('\t').map((cell) => cell.replaceAll('\\n', '\n')));
      return { ...table, source, header, lines: rows, records: [] };
    }),
  }));
}
