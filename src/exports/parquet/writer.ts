import { constants, zstdCompressSync } from 'node:zlib';
import { ByteWriter, type ColumnSource, ParquetWriter } from 'hyparquet-writer';
import type { EntityParts } from '../../registry/entity.ts';
import type { PartFile, PartWriter } from '../part-file.ts';
import { columns, otherColumns, registryColumns, summaryColumns } from './columns.ts';
import { writeSchema } from './schema.ts';
import { compileShape, type Losses, type ToColumn } from './shapes.ts';

/** A row group ends at the first of these. The bytes are those of the JSON texts, which bound the memory of a thread. */
const MAX_GROUP_ROWS = 100_000;
const MAX_GROUP_BYTES = 48 << 20;

const schema = writeSchema(columns);
const params = { [constants.ZSTD_c_compressionLevel]: 3 };
const compressors = { ZSTD: (bytes: Uint8Array) => zstdCompressSync(bytes, { params }) };

export function createParquetWriter(file: PartFile): PartWriter {
  const writer = new ParquetWriter({ writer: createFileWriter(file), schema, codec: 'ZSTD', compressors });
  const group = createGroup();
  const flush = () => {
    if (group.rows() > 0) writer.write({ columnData: group.take(), rowGroupSize: MAX_GROUP_ROWS });
  };
  return {
    add(records) {
      for (const record of records) group.add(record);
      if (group.rows() > MAX_GROUP_ROWS - records.length || group.bytes() >= MAX_GROUP_BYTES) flush();
    },
    end() {
      flush();
      writer.finish();
    },
  };
}

const FLUSH_BYTES = 1 << 20;

/** The library calls `ensure` before each write, and counts in `offset` what was written in total. */
function createFileWriter(file: PartFile): ByteWriter {
  const writer = new ByteWriter(2 * FLUSH_BYTES);
  const flush = () => {
    file.write(new Uint8Array(writer.buffer, 0, writer.index));
    writer.index = 0;
  };
  const grow = writer.ensure.bind(writer);
  writer.ensure = (size) => {
    if (writer.index >= FLUSH_BYTES) flush();
    grow(size);
  };
  writer.finish = flush;
  return writer;
}

interface Group {
  add(record: EntityParts): void;
  rows(): number;
  bytes(): number;
  /** Returns its columns and starts a new one. */
  take(): ColumnSource[];
}

function createGroup(): Group {
  const losses: Losses = { isLost: false };
  const compile = (column: (typeof columns)[number]): ToColumn => compileShape(column.shape, losses);
  const summary = summaryColumns.map((column) => [column.name, compile(column)] as const);
  const common = new Map([...registryColumns].map(([name, column]) => [name, { column, convert: compile(column) }]));
  const toRegistrations = compile(otherColumns.registrations);
  const toRelated = compile(otherColumns.related);
  const toProvenance = compile(otherColumns.provenance);

  let values = emptyColumns();
  let rows = 0;
  let bytes = 0;
  let hasSurrogates = false;
  const push = (name: string, value: unknown) => values.get(name)?.push(value);

  function addText(name: string, text: string): void {
    const encoded = Buffer.from(text);
    bytes += encoded.length;
    push(name, encoded);
  }

  function addRegistry(text: string): void {
    const registry: Readonly<Record<string, unknown>> = JSON.parse(text);
    let other: Record<string, unknown> | undefined;
    for (const name in registry) {
      const known = common.get(name);
      losses.isLost = known === undefined;
      if (known !== undefined) push(known.column.name, known.convert(registry[name]));
      if (losses.isLost) {
        other ??= {};
        other[name] = registry[name];
      }
    }
    for (const { name } of registryColumns.values()) {
      const column = values.get(name) as unknown[];
      if (column.length === rows) column.push(null);
    }
    if (other === undefined) push(otherColumns.registryOther.name, null);
    else addText(otherColumns.registryOther.name, JSON.stringify(other));
  }

  return {
    add(record) {
      for (const [name, convert] of summary) push(name, convert(Reflect.get(record.summary, name)));
      addRegistry(record.registry);
      push(otherColumns.registrations.name, toRegistrations(JSON.parse(record.registrations)));
      push(otherColumns.related.name, toRelated(JSON.parse(record.related)));
      push(otherColumns.provenance.name, toProvenance(JSON.parse(record.provenance)));
      addText(otherColumns.sourceData.name, record.sourceData);
      bytes += record.registry.length;
      hasSurrogates ||= SURROGATE.test(record.registry) || SURROGATE.test(record.summary.canonicalName);
      hasSurrogates ||= SURROGATE.test(record.registrations) || SURROGATE.test(record.related);
      hasSurrogates ||= SURROGATE.test(record.provenance);
      rows++;
    },
    rows: () => rows,
    bytes: () => bytes,
    take() {
      const data = columns.map(({ name, shape, bloomFilter }): ColumnSource => {
        const column = values.get(name) as unknown[];
        return {
          name,
          data: hasSurrogates ? column.map(encodeTexts) : column,
          ...(shape === 'json' && { encoding: 'PLAIN' as const }),
          ...(bloomFilter && { bloomFilter: { maxBytes: MAX_FILTER_BYTES } }),
        };
      });
      values = emptyColumns();
      rows = 0;
      bytes = 0;
      hasSurrogates = false;
      return data;
    },
  };
}

const MAX_FILTER_BYTES = 1 << 20;

function emptyColumns(): Map<string, unknown[]> {
  return new Map(columns.map(({ name }) => [name, []]));
}

const SURROGATE = /[\ud800-\udfff]/;

/**
 * The library compares strings by UTF-16 code unit for its statistics, but readers compare UTF-8 bytes, and would skip row groups
 * that have a match. The two orders differ only with characters beyond U+FFFF, so such a group is given as bytes.
 */
function encodeTexts(value: unknown): unknown {
  if (typeof value === 'string') return Buffer.from(value);
  if (Array.isArray(value)) return value.map(encodeTexts);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, encodeTexts(item)]));
}
