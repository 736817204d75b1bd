import { basename } from 'node:path';
import { BATCH } from '../../formats/rows.ts';
import type { Cell, JoinedRows, Rejection } from '../../registers/contract.ts';
import { describeTables, type Layout } from '../../registry/records/source-data.ts';
import { createContext, type MappedBatch, type MapTools, tryMap } from '../mapping/map-rows.ts';
import { boundRecord, type PreparedRow, prepareRecord, type StoredSource } from '../mapping/prepare.ts';
import type { ProblemSink } from '../mapping/problems.ts';
import { createRowIdentifier } from '../rejected/rejected-rows.ts';
import { parseStoredRows, partitionRows, type StoredRow } from './join-rows.ts';
import { createTracer, FileRefused, MISSING, type TablePart } from './part.ts';
import { Partitions } from './partitions.ts';

/**
 * Maps records that are made of several rows: of joined tables, or of several rows of the main table. All rows are
 * partitioned by company, then each partition is joined in memory, so memory is bounded whatever the size and order of
 * the files. Why: docs/decisions/0015.
 */
export async function* mapJoined(
  main: readonly TablePart[],
  joined: readonly TablePart[],
  tools: MapTools,
): AsyncGenerator<MappedBatch> {
  const plan = planJoin(main, joined);
  const mapGroup = createGroupMapper(plan, tools);
  const rows = new Partitions();
  try {
    yield* partitionRows(plan.parts, rows, tools);
    const batches = new Map<number, OpenBatch>();
    for (const text of rows.read()) {
      for (const group of groupRows(text, plan.parts, tools.problems)) {
        for (const mapped of mapGroup(group)) {
          const { file } = plan.parts[mapped.part] as TablePart;
          const batch = batches.getOrInsertComputed(mapped.part, () => {
            return { file, length: 0, rows: 0, duplicates: 0, prepared: [] };
          });
          addToBatch(batch, mapped);
          if (batch.prepared.length < BATCH && batch.length < MAX_BATCH_LENGTH) continue;
          yield batch;
          batches.delete(mapped.part);
        }
      }
    }
    yield* batches.values();
  } finally {
    rows.close();
  }
}

/** In characters. A batch of companies with many rows is smaller. */
const MAX_BATCH_LENGTH = 4 * 1024 * 1024;

/** A batch that is being filled: one per main file, because a batch names its file. */
interface OpenBatch extends MappedBatch {
  length: number;
  rows: number;
  duplicates: number;
  readonly prepared: PreparedRow[];
}

function addToBatch(batch: OpenBatch, { record, rows }: MappedGroup): void {
  batch.rows += rows;
  batch.duplicates += rows - 1;
  if (record === null) return;
  batch.prepared.push(record);
  batch.length += record.content.length;
}

/** The layouts that records of this join are stored in. */
export function listJoinLayouts(main: readonly TablePart[], joined: readonly TablePart[]): Layout[] {
  const { layouts } = planJoin(main, joined);
  return [...layouts.values()].flatMap(({ plain, gathered }) => (gathered === undefined ? [plain] : [plain, gathered]));
}

/** The rows of one company. */
interface Group {
  readonly main: StoredRow[];
  readonly joined: Map<string, StoredRow[]>;
}

/** Groups the rows of a partition by company. Rows of joined tables without a company are counted and skipped. */
function* groupRows(text: string, parts: readonly TablePart[], problems: ProblemSink): Generator<Group> {
  const keyed = new Map<string, Group>();
  const single: Group[] = [];
  const createGroup = (): Group => ({ main: [], joined: new Map() });
  for (const row of parseStoredRows(text)) {
    const { source } = parts[row.part] as TablePart;
    const group = row.key === null ? createGroup() : keyed.getOrInsertComputed(row.key, createGroup);
    if (row.key === null) single.push(group);
    if (source.map !== undefined) group.main.push(row);
    else group.joined.getOrInsertComputed(source.name, () => []).push(row);
  }
  for (const groups of [keyed.values(), single]) {
    for (const group of groups) {
      if (group.main.length > 0) yield group;
      else for (const [source, rows] of group.joined) problems.noteUnmatched(source, rows.length);
    }
  }
}

interface MappedGroup {
  /** Index of the part that the record's main row is in. */
  readonly part: number;
  /** Null when the row was rejected. */
  readonly record: PreparedRow | null;
  /** Number of rows of the main table that became this record. */
  readonly rows: number;
}

/** Returns a function that makes one record of a gathered group, or else one record per main row. */
function createGroupMapper(plan: JoinPlan, tools: MapTools) {
  const { codes, problems, register } = tools;
  const tracer = createTracer(plan.parts, tools.parts);
  const partOf = (row: StoredRow) => plan.parts[row.part] as TablePart;

  function toCell(row: StoredRow): Cell {
    const cells: readonly string[] = JSON.parse(row.cells);
    const { positions } = partOf(row).header;
    return (column) => cells[positions.get(column) ?? MISSING] ?? '';
  }

  function rejectRow(row: StoredRow, rejection: Rejection = TOO_MANY, rows = 1): MappedGroup {
    const part = partOf(row);
    const rejected = rejection.expected ? undefined : createRowIdentifier(part, register)(JSON.parse(row.cells));
    problems.reject(basename(part.file), row.place, rejection, rejected);
    return { part: row.part, rows, record: null };
  }

  /** `others` are the gathered rows of the same company. */
  function mapRow(row: StoredRow, others: readonly StoredRow[], { joined }: Group): MappedGroup {
    const part = partOf(row);
    const at = { file: basename(part.file), place: row.place };
    const context = createContext(codes, problems, at);
    // Several fields may need the rows of a table, and parsing the rows takes longer than reading their cells.
    const cells = new Map<string, readonly Cell[]>();
    const joinedRows: JoinedRows = (source) =>
      cells.getOrInsertComputed(source, () =>
        (joined.get(source) ?? others.filter((other) => partOf(other).source.name === source)).map(toCell),
      );
    const map = part.source.map as NonNullable<typeof part.source.map>;
    const mapped = boundRecord(
      tryMap(() => map(toCell(row), context, joinedRows)),
      context,
    );
    const rows = others.length + 1;
    if ('rejected' in mapped) return rejectRow(row, mapped, rows);
    if (mapped.number === null) problems.noteWithoutNumber(at.file, at.place);
    const source = writeSourceData(part, row, others, joined, plan);
    const origins = tracer.traceRows(row, [others, ...(part.source.key === undefined ? [] : joined.values())]);
    return { part: row.part, rows, record: prepareRecord(tools, mapped, source, at.place, origins) };
  }

  return (group: Group): MappedGroup[] => {
    const { main, joined } = group;
    const [first] = main as [StoredRow];
    const choose = partOf(first).source.gather?.choose;
    const joinedLength = [...joined.values()].reduce((length, rows) => length + measure(rows), 0);
    if (choose === undefined || main.length === 1) {
      const limit = joinedLength > MAX_COMPANY_LENGTH ? 0 : Math.ceil(MAX_REPEATED_LENGTH / (1 + joinedLength));
      return main.map((row, index) => (index < limit ? mapRow(row, [], group) : rejectRow(row)));
    }
    if (measure(main) + joinedLength > MAX_COMPANY_LENGTH) return main.map((row) => rejectRow(row));
    const chosen = main[choose(main.map(toCell))] ?? first;
    const others = main.filter((row) => row !== chosen);
    return [mapRow(chosen, others, group)];
  };
}

/**
 * In characters. The rows of one company are in memory several times. The largest official companies, with some ten
 * thousand establishments, have about 10 million.
 */
const MAX_COMPANY_LENGTH = 64 * 1024 * 1024;

/** The maximum for all records of one company, in characters. Each row of the main table becomes a record with all joined rows. */
const MAX_REPEATED_LENGTH = 16 * 1024 * 1024;

function measure(rows: readonly StoredRow[]): number {
  return rows.reduce((size, { cells }) => size + cells.length, 0);
}

const TOO_MANY: Rejection = { rejected: 'too many rows have the same company number' };

/** The key of `sourceData` that holds the gathered rows. */
export const OTHER_ROWS = 'otherRows';

/** The tables of a join, and how the source of its records is stored. */
interface JoinPlan {
  /** Joined and main tables. Rows refer to them by index. */
  readonly parts: readonly TablePart[];
  readonly joinedTables: readonly string[];
  readonly layouts: ReadonlyMap<TablePart, RecordLayouts>;
}

interface RecordLayouts {
  readonly plain: Layout;
  /** The layout of a record with `otherRows`; only where the table is gathered. */
  readonly gathered?: Layout;
}

function planJoin(main: readonly TablePart[], joined: readonly TablePart[]): JoinPlan {
  const tables = listTables(joined);
  return {
    parts: [...joined, ...main],
    joinedTables: tables.map(([name]) => name),
    layouts: new Map(main.map((part) => [part, describeRecord(part, tables)])),
  };
}

type TableColumns = readonly [name: string, columns: readonly string[]];

/** `sourceData` has one key per table, the main table first. Without a `key` nothing is joined, and `sourceData` is the row. */
function describeRecord({ source, header }: TablePart, tables: readonly TableColumns[]): RecordLayouts {
  const joined = source.key === undefined ? [] : tables;
  const plain = source.key === undefined ? header.layout : describeTables([[source.name, header.texts], ...joined]);
  if (source.gather === undefined) return { plain };
  return { plain, gathered: describeTables([['', header.texts], [OTHER_ROWS, header.texts], ...joined]) };
}

/** Files of the same table share a key of `sourceData`, so they must have the same header. */
function listTables(joined: readonly TablePart[]): TableColumns[] {
  const tables = new Map<string, readonly string[]>();
  for (const { source, header, file } of joined) {
    const known = tables.get(source.name) ?? header.texts;
    if (known.join('\0') !== header.texts.join('\0')) {
      throw new FileRefused(
        `${basename(file)}: its columns differ from those of the other "${source.name}" files. Import files of the same release.`,
      );
    }
    tables.set(source.name, header.texts);
  }
  return [...tables];
}

/** The source of a record as JSON text: its own row alone, or with the lists of its other and joined rows. */
function writeSourceData(
  part: TablePart,
  row: StoredRow,
  others: readonly StoredRow[],
  joined: ReadonlyMap<string, readonly StoredRow[]>,
  { joinedTables, layouts }: JoinPlan,
): StoredSource {
  const { plain, gathered } = layouts.get(part) as RecordLayouts;
  const layout = others.length > 0 && gathered !== undefined ? gathered : plain;
  if (layout === part.header.layout) return { layout, text: row.cells };
  const lists = [
    ...(layout === gathered ? [others] : []),
    ...(part.source.key === undefined ? [] : joinedTables.map((table) => joined.get(table) ?? [])),
  ];
  return { layout, text: `[${[row.cells, ...lists.map(writeRows)].join(',')}]` };
}

function writeRows(rows: readonly StoredRow[]): string {
  return `[${rows.map(({ cells }) => cells).join(',')}]`;
}
