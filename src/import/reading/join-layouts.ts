import { basename } from 'node:path';
import { describeTables, type Layout } from '../../registry/records/source-data.ts';
import type { StoredSource } from '../mapping/record.ts';
import type { StoredRow } from './join-rows.ts';
import { FileRefused, type TablePart } from './part.ts';

/** The key of `sourceData` that holds the gathered rows. */
export const OTHER_ROWS = 'otherRows';

/** The tables of a join, and how the source of its records is stored. */
export interface JoinPlan {
  /** Joined and main tables. Rows refer to them by index. */
  readonly parts: readonly TablePart[];
  readonly joinedTables: readonly string[];
  /** For each main table. */
  readonly layouts: ReadonlyMap<TablePart, RecordLayouts>;
}

interface RecordLayouts {
  readonly plain: Layout;
  /** Of a record with `otherRows`; only where the table is gathered. */
  readonly gathered?: Layout;
}

export function planJoin(main: readonly TablePart[], joined: readonly TablePart[]): JoinPlan {
  const tables = listTables(joined);
  return {
    parts: [...joined, ...main],
    joinedTables: tables.map(([name]) => name),
    layouts: new Map(main.map((part) => [part, describeRecord(part, tables)])),
  };
}

type TableColumns = readonly [name: string, columns: readonly string[]];

/** `sourceData` has one key per table, the main one first. Without a `key` nothing is joined: it is just the row. */
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
export function writeSourceData(
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
