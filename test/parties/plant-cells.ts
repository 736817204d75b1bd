import { fold } from '../../src/base/fold.ts';
import type { Json, Register, Source, TableSource } from '../../src/registers/contract.ts';
import { findMark, type Mark, type Marks, readCells } from '../../src/registers/data-files.ts';
import type { SyntheticCsv, SyntheticFile } from '../../synthetic/file.ts';
import { generateParties, listGenerators } from '../../synthetic/generators.ts';

/** Writes names of persons into every cell of generated files whose mark says that it may name one. */

export interface Planted {
  /** The files of each layout, and those of its parties. */
  readonly imports: readonly (readonly SyntheticFile[])[];
  /** The names, by the cell that has them. */
  readonly names: ReadonlyMap<string, string>;
}

const ROWS = 12;
type JsonObject = Record<string, Json>;

/** Another `edition` writes the same names in another way, so that each cell changes. */
export function plantCells(register: Register, mark: string, edition: number): Planted {
  const names = new Map<string, string>();
  const cells = readCells(register.id);
  const sources = register.sources.filter(({ refusal }) => refusal === undefined);

  function nameOf(table: string, column: string): string {
    const place = `${register.id}: ${table}: ${column}`;
    return names.getOrInsertComputed(place, () => `${mark}${String(names.size).padStart(4, '0')}${register.id} IOANA`);
  }

  function plantTable(source: TableSource<unknown>, header: readonly string[], cells: readonly string[], row: number) {
    const marks = marksOf(source);
    const cell = (column: string) => cells[header.findIndex((text) => fold(text) === fold(column))] ?? '';
    const isOrganisation = source.isOrganisation?.(cell) ?? /LEGAL|FOREIGN/.test(cell('entity_type'));
    return header.map((text, at) => {
      const column = source.columns.find((known) => fold(known) === fold(text)) ?? '';
      const found = findMark(marks, column);
      if (found === undefined || HARMLESS.has(found)) return cells[at] ?? '';
      // A name does not fit into such a column.
      if ((source.csv?.widths?.[at] ?? 42) < 42) return cells[at] ?? '';
      if (found === 'party' && (isOrganisation || DIGITS.has(column))) return cells[at] ?? '';
      return writeName(found, nameOf(source.name, column), row);
    });
  }

  const marksOf = ({ name }: Source<unknown>): Marks => cells.get(name) ?? new Map();

  function* plantRows(
    { header, rows }: Pick<SyntheticCsv, 'header' | 'rows'>,
    source: TableSource<unknown> | undefined,
  ): Generator<readonly string[]> {
    let index = 0;
    for (const row of rows)
      yield source ? plantTable(source, header.length > 0 ? header : source.columns, row, edition + index++) : row;
  }

  function findTable(header: readonly string[], name: string) {
    const known = new Set(header.map(fold));
    return sources
      .filter((source) => source.kind === 'table')
      .find(({ required, headerless, fileName }) =>
        header.length === 0
          ? headerless?.fileName.test(name)
          : headerless === undefined &&
            required.every((column) => known.has(fold(column))) &&
            (fileName?.test(name) ?? true),
      );
  }

  function plantCsv(csv: SyntheticCsv, name: string): SyntheticCsv {
    const source = findTable(csv.header, name);
    const header = csv.header.length > 0 ? addColumns(csv.header, source) : csv.header;
    return { ...csv, header, rows: [...plantRows({ ...csv, header }, source)] };
  }

  /** Those that other layouts of the file have. */
  function addColumns(header: readonly string[], source: TableSource<unknown> | undefined): readonly string[] {
    const known = new Set(header.map(fold));
    const more = source?.columns.filter((column) => ADDED.has(findMark(marksOf(source), column) ?? 'neither')) ?? [];
    return [...header, ...more.filter((column) => !known.has(fold(column)))];
  }

  function plantTree(record: JsonObject, row: number): JsonObject {
    const source = sources.find(
      (candidate) => candidate.kind === 'tree' && candidate.required.every((key) => key in record),
    );
    if (source === undefined) return record;
    const planted = structuredClone(record);
    const kind = (planted.data as JsonObject | undefined)?.kind;
    for (const [path, found] of marksOf(source)) {
      if (HARMLESS.has(found)) continue;
      // The row about an organisation keeps its name. Dates and the roles of Norway are written otherwise.
      if (found === 'party' && (/corporate|legal/.test(String(kind)) || path.includes('date_of_birth'))) continue;
      const keys = (AS_PUBLISHED[path] ?? path).split('.');
      setAt(planted, keys, (value, within) => {
        if (found === 'party' && within.isiku_tyyp === 'J') return undefined;
        return plantValue(value, found, () => nameOf(source.name, path), row);
      });
    }
    return planted;
  }

  const plantFile = (file: SyntheticFile): SyntheticFile => {
    const { content, name } = file;
    switch (content.type) {
      case 'csv':
        return { ...file, content: plantCsv(content, name) };
      case 'archive': {
        const files = content.files.map((one) => ({ ...one, content: plantCsv(one.content, one.name) }));
        return { ...file, content: { ...content, files } };
      }
      case 'xlsx': {
        const sheets = content.sheets.map((sheet) => {
          const lines = [...sheet.rows].map((row) => row.map((cell) => String(cell ?? '')));
          const at = lines.findIndex((line) => findTable(line, name)?.map);
          if (at < 0) return { ...sheet, rows: lines };
          const source = findTable(lines[at] ?? [], name);
          const header = addColumns(lines[at] ?? [], source);
          return {
            ...sheet,
            rows: [...lines.slice(0, at), header, ...plantRows({ header, rows: lines.slice(at + 1) }, source)],
          };
        });
        return { ...file, content: { ...content, sheets } };
      }
      default: {
        const values = Array.from(content.values, (value, row) => plantTree(value as JsonObject, edition + row));
        return { ...file, content: { ...content, values } };
      }
    }
  };

  const [main, ...others] = listGenerators(register).map((generate) => [generate(ROWS, 5)]);
  const imports = [[...(main ?? []), ...Object.values(generateParties(register, ROWS, 5))], ...others];
  return { imports: imports.map((files) => files.map(plantFile)), names };
}

/** Numbers and days, of which the mapping makes something. */
const DIGITS = new Set(['CUI']);

/** The paths in files that differ from those in rows. */
const AS_PUBLISHED: Readonly<Record<string, string>> = {
  'rolle.person': 'rollegrupper.roller.person.navn.etternavn',
  rollegrupper: '',
  'data.name_elements': 'data.name_elements.surname',
};

const ADDED: ReadonlySet<Mark> = new Set(['owner', 'mixed', 'person']);

const HARMLESS: ReadonlySet<Mark> = new Set(['neither', 'organisation']);

function writeName(mark: Mark, name: string, row: number): string {
  if (mark === 'address') return row % 2 === 0 ? `C/O ${name}` : `Yard 2, Attn. ${name}`;
  if (mark === 'party' || mark === 'person') return row % 2 === 0 ? name : name.toLowerCase();
  const texts = [
    name,
    `${name}, "COMPANY" S.R.L. (60,00%)`,
    `${name}, ТОВ "РОГИ", 12345678`,
    `ТОВ "РОГИ", 12345678, ${name.toLowerCase()}`,
    `${name}, "BETA" SRL, IDNO 1003600012345 (40,00%)`,
  ];
  return texts[row % texts.length] as string;
}

function plantValue(value: Json | undefined, mark: Mark, name: () => string, row: number): Json | undefined {
  if (mark !== 'address')
    return plantLeaf(value ?? null, () => name(), /formatedName$/) ?? writeName(mark, name(), row);
  if (typeof value !== 'object' || value === null)
    return value === undefined ? undefined : writeName(mark, name(), row);
  return plantLeaf(value, () => writeName(mark, name(), row), STREET);
}

const STREET = /(?:street|adresse|FirstAddressLine|address_line_1|tanav_maja_korter)$/;

/** Writes the first text under a key that matches. */
function plantLeaf(value: Json, write: () => string, wanted: RegExp): Json | undefined {
  if (Array.isArray(value)) {
    if (typeof value[0] === 'string') return wanted === STREET ? [write(), ...value] : undefined;
    const [first, ...rest] = value;
    const planted = first === undefined ? undefined : plantLeaf(first, write, wanted);
    return planted === undefined ? undefined : [planted, ...rest];
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    if (wanted.test(key) && !isObject(item)) return { ...value, [key]: Array.isArray(item) ? [write()] : write() };
    const planted = isObject(item) ? plantLeaf(item, write, wanted) : undefined;
    if (planted !== undefined) return { ...value, [key]: planted };
  }
  return undefined;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Sets what is at the path, in every item of lists. Objects that are missing are made. Returns whether anything was set. */
function setAt(
  value: unknown,
  [key = '', ...rest]: readonly string[],
  plant: (value: Json | undefined, within: JsonObject) => Json | undefined,
): boolean {
  if (Array.isArray(value)) return value.map((item) => setAt(item, [key, ...rest], plant)).some(Boolean);
  if (!isObject(value) || key === '') return false;
  const found = Object.keys(value).find((name) => name === key || name.endsWith(`:${key}`));
  const prefix = Object.keys(value)[0]?.startsWith('lei:') ? 'lei:' : '';
  const name = found ?? prefix + key;
  if (rest.length === 0) {
    const planted = plant(value[name], value);
    if (planted === undefined) return false;
    value[name] = planted;
    return true;
  }
  const inner = value[name];
  if (inner === undefined || inner === '' || inner === null || (Array.isArray(inner) && inner.length === 0)) {
    if (LISTS.has(key)) value[name] = [{}];
    else if (found !== undefined) value[name] = {};
    else return false;
  }
  return setAt(value[name], rest, plant);
}

const LISTS = new Set(['esindusoiguse_eritingimused', 'esindusoiguse_normaalregulatsioonid']);
