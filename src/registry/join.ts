import { basename } from 'node:path';
import { BATCH } from '../formats/rows.ts';
import type { Cell, JoinedRows, MapContext, Register, TableSource } from '../registers/contract.ts';
import { type MappedBatch, nameFile } from './map-part.ts';
import { Partitions } from './partitions.ts';
import type { Problems } from './problems.ts';
import { NotThisRegister, type RecognizedTable } from './recognize.ts';
import { type PreparedRecord, prepareRecord } from './record.ts';
import { describeTables, type Layout } from './source-data.ts';
import { createRowReader, type Header } from './table.ts';

/**
 * Records made of several rows: of joined tables, or of several rows of the main one. All rows are sorted into parts by the
 * company they belong to, then every part is joined in memory; so memory is bounded whatever the size and order of the files.
 */
export interface JoinTools {
  readonly register: Register;
  readonly codes: unknown;
  readonly problems: Problems;
  readonly onBytes: (count: number) => void;
}

/** Source rows between two signs of life while nothing is mapped yet. */
const SIGN_OF_LIFE = 50_000;
const OTHER_ROWS = 'otherRows';

/** Fields of a line in a partition: table, row, key as JSON, cells as JSON. JSON has neither tabs nor line ends. */
const BETWEEN = '\t';

export async function* mapJoined(
  main: readonly RecognizedTable[],
  joined: readonly RecognizedTable[],
  tools: JoinTools,
): AsyncGenerator<MappedBatch> {
  const parts = [...joined, ...main];
  const rows = new Partitions();
  try {
    yield* sortRows(parts, rows, tools);
    const mapGroup = createGroupMapper(parts, main, tools);
    for (const text of rows.read()) {
      const batches = new Map<number, PreparedRecord[]>();
      let [taken, duplicates] = [0, 0];
      for (const group of groupLines(text, parts, tools.problems)) {
        for (const { part, record, count } of mapGroup(group)) {
          taken += count;
          duplicates += count - 1;
          if (record === null) continue;
          const batch = batches.get(part) ?? [];
          if (batches.set(part, batch).get(part)?.push(record) === BATCH) {
            yield { file: parts[part]?.file ?? '', rows: taken, duplicates, prepared: batch };
            batches.delete(part);
            [taken, duplicates] = [0, 0];
          }
        }
      }
      for (const [part, batch] of batches) {
        yield { file: parts[part]?.file ?? '', rows: taken, duplicates, prepared: batch };
        [taken, duplicates] = [0, 0];
      }
      if (taken > 0) yield { file: main[0]?.file ?? '', rows: taken, duplicates, prepared: [] };
    }
  } finally {
    rows.close();
  }
}

/** One key a table; the main one first. Tables of one name must have one header, for they share a key. */
export function describeJoined(main: readonly RecognizedTable[], joined: readonly RecognizedTable[]): Layout[] {
  return main.flatMap(({ source, header }) => {
    const joins = source.key === undefined ? [] : tablesOf(joined);
    const plain = source.key === undefined ? header.layout : describeTables([[source.name, header.texts], ...joins]);
    return source.gather === undefined
      ? [plain]
      : [plain, describeTables([['', header.texts], [OTHER_ROWS, header.texts], ...joins])];
  });
}

function tablesOf(joined: readonly RecognizedTable[]): [string, readonly string[]][] {
  const tables = new Map<string, readonly string[]>();
  for (const { source, header, file } of joined) {
    const known = tables.get(source.name) ?? header.texts;
    if (known.join('\0') !== header.texts.join('\0')) {
      throw new NotThisRegister(
        `${basename(file)}: other columns than the other files of "${source.name}": give the files of one edition.`,
      );
    }
    tables.set(source.name, header.texts);
  }
  return [...tables];
}

/** Every row goes to the part of the company it belongs to. Rows of parts of a company take a second round. */
async function* sortRows(
  parts: readonly RecognizedTable[],
  rows: Partitions,
  { problems, onBytes }: JoinTools,
): AsyncGenerator<MappedBatch> {
  const distant = new Partitions();
  try {
    for (const [index, part] of parts.entries()) {
      const { source, header } = part;
      for (const column of header.unknown) problems.noteUnknownColumn(column);
      const file = basename(part.file);
      const sort = createSorter(part, index, linksTo(source, parts), rows, distant);
      let [rejected, since] = [0, 0];
      try {
        for await (const batch of part.read(onBytes)) {
          for (const { place, value } of batch) {
            if (place <= header.place) continue;
            const fault = sort(value, place);
            if (fault === null) continue;
            if (source.map === undefined) problems.report(file, place, source.name, '', fault);
            else {
              problems.reject(file, place, fault);
              rejected++;
            }
          }
          since += batch.length;
          if (since < SIGN_OF_LIFE && rejected === 0) continue;
          yield { file: part.file, rows: rejected, duplicates: 0, prepared: [] };
          [rejected, since] = [0, 0];
        }
      } catch (error) {
        throw nameFile(error, file);
      }
    }
    for (const text of distant.read()) bringHome(text, parts, rows, problems);
  } finally {
    distant.close();
  }
}

/** Columns of a table that other tables look companies up by. */
function linksTo(source: TableSource<unknown>, parts: readonly RecognizedTable[]): string[] {
  const columns = parts.flatMap(({ source: { joins } }) => joins?.through ?? []);
  return [...new Set(columns.filter((link) => link.source === source.name).map(({ column }) => column))];
}

/** A line of `distant` that is no row but tells whose part a number is. */
const LINK = 'link';

function createSorter(
  { source, header, kind }: RecognizedTable,
  index: number,
  links: readonly string[],
  rows: Partitions,
  distant: Partitions,
) {
  const reader = createRowReader(header, kind);
  const column = source.joins?.column ?? source.key ?? source.gather?.column ?? '';
  const through = source.joins?.through ?? [];
  const keep = source.joins?.keep;
  return (cells: readonly string[], place: number): string | null => {
    const fault = reader.use(cells);
    if (fault !== null) return fault;
    if (keep !== undefined && !keep(reader.cell)) return null;
    const key = JSON.stringify(reader.cell(column).trim());
    for (const link of links) {
      const number = JSON.stringify(reader.cell(link).trim());
      distant.add(number, LINK + BETWEEN + number + BETWEEN + key);
    }
    const line = index + BETWEEN + place + BETWEEN + key + BETWEEN + reader.sourceData();
    const isDistant = through.length > 0 && through.some(({ when }) => when(reader.cell(column).trim()));
    (isDistant ? distant : rows).add(key, line);
    return null;
  };
}

/** Rows of an establishment go to the enterprise it belongs to. */
function bringHome(text: string, parts: readonly RecognizedTable[], rows: Partitions, problems: Problems): void {
  const lines = text.split('\n');
  const owners = new Map<string, string>();
  for (const line of lines) {
    if (!line.startsWith(LINK)) continue;
    const [, number, owner] = line.split(BETWEEN) as [string, string, string];
    if (!owners.has(number)) owners.set(number, owner);
  }
  for (const line of lines) {
    if (line === '' || line.startsWith(LINK)) continue;
    const [index, place, number, cells] = line.split(BETWEEN) as [string, string, string, string];
    const owner = owners.get(number);
    if (owner === undefined) problems.noteUnmatched(parts[Number(index)]?.source.name ?? '', 1);
    else rows.add(owner, index + BETWEEN + place + BETWEEN + owner + BETWEEN + cells);
  }
}

interface Row {
  readonly part: number;
  readonly place: number;
  /** Cells as JSON. */
  readonly text: string;
}

interface Group {
  readonly main: Row[];
  /** By table. */
  readonly joined: Map<string, Row[]>;
}

/** The rows of each company; rows that belong to none are counted. */
function* groupLines(text: string, parts: readonly RecognizedTable[], problems: Problems): Generator<Group> {
  const groups = new Map<string, Group>();
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    const place = text.indexOf(BETWEEN, start) + 1;
    const key = text.indexOf(BETWEEN, place) + 1;
    const cells = text.indexOf(BETWEEN, key) + 1;
    const row = {
      part: Number(text.slice(start, place - 1)),
      place: Number(text.slice(place, key - 1)),
      text: text.slice(cells, end),
    };
    const source = (parts[row.part] as RecognizedTable).source;
    const written = text.slice(key, cells - 1);
    // Rows without a key are nobody's but their own.
    const name = written === '""' ? `${start}` : written;
    const group = groups.get(name) ?? { main: [], joined: new Map<string, Row[]>() };
    groups.set(name, group);
    if (source.map !== undefined) group.main.push(row);
    else {
      const rows = group.joined.get(source.name);
      if (rows === undefined) group.joined.set(source.name, [row]);
      else rows.push(row);
    }
    start = end + 1;
  }
  for (const group of groups.values()) {
    if (group.main.length > 0) yield group;
    else for (const [source, rows] of group.joined) problems.noteUnmatched(source, rows.length);
  }
}

interface MappedGroup {
  readonly part: number;
  /** Null when it was rejected. */
  readonly record: PreparedRecord | null;
  /** Rows of the main table it was made of. */
  readonly count: number;
}

function createGroupMapper(
  parts: readonly RecognizedTable[],
  main: readonly RecognizedTable[],
  { register, codes, problems }: JoinTools,
) {
  const joined = parts.filter((part) => !main.includes(part));
  const tables = [...new Set(joined.map(({ source }) => source.name))];
  const layouts = new Map(main.map((part) => [part, describeJoined([part], joined)]));
  let [file, place] = ['', 0];
  let group: Group = { main: [], joined: new Map() };
  let others: readonly Row[] = [];
  const context: MapContext<unknown> = {
    codes,
    report: (column, value, problem) => problems.report(file, place, column, value, problem),
  };
  const rows: JoinedRows = (source) =>
    (group.joined.get(source) ?? others.filter((row) => nameOf(row) === source)).map(toCell);
  const partOf = (row: Row) => parts[row.part] as RecognizedTable;
  const nameOf = (row: Row) => partOf(row).source.name;
  const toCell = (row: Row) => readCells(row, partOf(row).header);

  function mapRow(row: Row): MappedGroup {
    const part = partOf(row);
    const { source } = part;
    file = basename(part.file);
    place = row.place;
    const mapped = (source.map as NonNullable<typeof source.map>)(toCell(row), context, rows);
    const made = { part: row.part, count: others.length + 1 };
    if ('rejected' in mapped) {
      problems.reject(file, place, mapped.rejected);
      return { ...made, record: null };
    }
    if (mapped.number === null) problems.noteWithoutNumber(file, place);
    const [plain, gathered] = layouts.get(part) as [Layout, Layout?];
    const layout = others.length > 0 && gathered !== undefined ? gathered : plain;
    const lists = source.key === undefined ? [] : tables.map((table) => listTexts(group.joined.get(table) ?? []));
    if (layout === gathered) lists.unshift(listTexts(others));
    const text = layout === part.header.layout ? row.text : `[${[row.text, ...lists].join(',')}]`;
    return { ...made, record: prepareRecord(register, mapped, { layout: layout.id, text }, place) };
  }

  return (next: Group): MappedGroup[] => {
    group = next;
    const [first] = group.main as [Row];
    const choose = partOf(first).source.gather?.choose;
    if (choose === undefined || group.main.length === 1) {
      others = [];
      return group.main.map(mapRow);
    }
    const chosen = group.main[choose(group.main.map(toCell))] ?? first;
    others = group.main.filter((row) => row !== chosen);
    return [mapRow(chosen)];
  };
}

function listTexts(rows: readonly Row[]): string {
  return `[${rows.map(({ text }) => text).join(',')}]`;
}

function readCells({ text }: Row, { positions }: Header): Cell {
  const cells: readonly string[] = JSON.parse(text);
  return (column) => cells[positions.get(column) ?? -1] ?? '';
}
