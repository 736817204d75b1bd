import { basename } from 'node:path';
import type { Cell, JoinedRows, MapContext } from '../registers/contract.ts';
import { type JoinPlan, writeSourceData } from './join-layouts.ts';
import { readStoredRows, type StoredRow } from './join-rows.ts';
import type { MapTools } from './map-part.ts';
import type { Tracer } from './origins.ts';
import type { TablePart } from './part.ts';
import type { ProblemSink } from './problems.ts';
import { type PreparedRecord, prepareRecord } from './record.ts';

/** The rows of one company. */
export interface Group {
  readonly main: StoredRow[];
  /** By table. */
  readonly joined: Map<string, StoredRow[]>;
}

/** Groups the rows of a partition by company. Rows of joined tables without a company are counted and skipped. */
export function* groupRows(text: string, parts: readonly TablePart[], problems: ProblemSink): Generator<Group> {
  const keyed = new Map<string, Group>();
  const single: Group[] = [];
  for (const row of readStoredRows(text)) {
    const { source } = parts[row.part] as TablePart;
    let group = row.key === null ? undefined : keyed.get(row.key);
    if (group === undefined) {
      group = { main: [], joined: new Map() };
      if (row.key === null) single.push(group);
      else keyed.set(row.key, group);
    }
    if (source.map !== undefined) group.main.push(row);
    else {
      const rows = group.joined.get(source.name);
      if (rows === undefined) group.joined.set(source.name, [row]);
      else rows.push(row);
    }
  }
  for (const groups of [keyed.values(), single]) {
    for (const group of groups) {
      if (group.main.length > 0) yield group;
      else for (const [source, rows] of group.joined) problems.noteUnmatched(source, rows.length);
    }
  }
}

export interface MappedGroup {
  /** Index of the part that the record's main row is in. */
  readonly part: number;
  /** Null when the row was rejected. */
  readonly record: PreparedRecord | null;
  /** Number of rows of the main table that became this record. */
  readonly rows: number;
}

export interface JoinTools extends MapTools {
  /** Of the parts of the join. */
  readonly tracer: Tracer;
}

/** Makes one record of a gathered group, else one per main row. */
export function mapGroup(group: Group, plan: JoinPlan, tools: JoinTools): MappedGroup[] {
  const [first] = group.main as [StoredRow];
  const choose = partOf(first, plan).source.gather?.choose;
  if (choose === undefined || group.main.length === 1)
    return group.main.map((row) => mapRow(row, [], group, plan, tools));
  const chosen = group.main[choose(group.main.map((row) => toCell(row, plan)))] ?? first;
  const others = group.main.filter((row) => row !== chosen);
  return [mapRow(chosen, others, group, plan, tools)];
}

/** `others` are the gathered rows of the same company. */
function mapRow(
  row: StoredRow,
  others: readonly StoredRow[],
  group: Group,
  plan: JoinPlan,
  { register, registers, codes, problems, tracer }: JoinTools,
): MappedGroup {
  const part = partOf(row, plan);
  const file = basename(part.file);
  const { place } = row;
  const context: MapContext<unknown> = {
    codes,
    report: (column, value, problem) => problems.report(file, place, column, value, problem),
    reportUnknown: (kind, column, value) => problems.reportUnknown(file, place, kind, column, value),
  };
  const joinedRows: JoinedRows = (source) => {
    const rows = group.joined.get(source) ?? others.filter((other) => partOf(other, plan).source.name === source);
    return rows.map((other) => toCell(other, plan));
  };
  const map = part.source.map as NonNullable<typeof part.source.map>;
  const mapped = map(toCell(row, plan), context, joinedRows);
  const result = { part: row.part, rows: others.length + 1 };
  if ('rejected' in mapped) {
    problems.reject(file, place, mapped);
    return { ...result, record: null };
  }
  if (mapped.number === null) problems.noteWithoutNumber(file, place);
  const source = writeSourceData(part, row, others, group.joined, plan);
  const joined = part.source.key === undefined ? [] : group.joined.values();
  const origins = tracer.traceRows(row, [others, ...joined]);
  return { ...result, record: prepareRecord(register, mapped, source, place, registers, origins) };
}

function partOf(row: StoredRow, { parts }: JoinPlan): TablePart {
  return parts[row.part] as TablePart;
}

function toCell(row: StoredRow, plan: JoinPlan): Cell {
  const cells: readonly string[] = JSON.parse(row.cells);
  const { positions } = partOf(row, plan).header;
  return (column) => cells[positions.get(column) ?? -1] ?? '';
}
