import type { ByteWriter, ParquetWriter, SchemaElement } from 'hyparquet-writer';
import { type Compressed, compress, encodeRuns, type LeafValue, type ThriftFields, writeThrift } from './encoding.ts';

/** The pages of a leaf column in a row group, and how they are written. */
export interface Page extends Compressed {
  /** The number of entries, which are values and nulls. */
  readonly count: number;
  readonly rows: number;
  readonly values: number;
  readonly repetitions: Uint8Array;
  readonly definitions: Uint8Array;
}

interface Pages {
  readonly pages: readonly Page[];
  readonly dictionary: (Compressed & { readonly size: number }) | undefined;
  readonly nulls: number;
  readonly least: LeafValue | undefined;
  readonly greatest: LeafValue | undefined;
}

export interface LeafOptions {
  readonly element: SchemaElement;
  readonly path: readonly string[];
  readonly maxDefinition: number;
  readonly maxRepetition: number;
  /** Whether the values are long, distinct texts: they get no dictionary and no bounds. */
  readonly isPlain: boolean;
  readonly maxFilterBytes: number | undefined;
}

/** A column chunk with its page index and Bloom filter, which are written after the last row group. */
export type Chunk = ParquetWriter['pendingIndexes'][number];

const NO_LEVELS = new Uint8Array();

export function encodeLevels(levels: Uint8Array, max: number): Uint8Array {
  return max === 0 ? NO_LEVELS : encodeRuns(levels, countBits(max));
}

export function encodeIndexes(indexes: Uint32Array, size: number): Compressed {
  const bits = countBits(size - 1);
  return compress(Buffer.concat([Uint8Array.of(bits), encodeRuns(indexes, bits)]));
}

function countBits(max: number): number {
  return 32 - Math.clz32(max);
}

export function writeChunk(writer: ByteWriter, { element, path }: LeafOptions, content: Pages): Chunk {
  const { pages, dictionary, nulls } = content;
  const { type } = element;
  if (type === undefined) throw new Error(`the column ${path.join('.')} has no type`);
  const start = writer.offset;
  let rawBytes = 0;
  if (dictionary !== undefined) rawBytes += writeDictionary(writer, dictionary);
  const firstPage = writer.offset;
  const encoding = dictionary !== undefined ? 'RLE_DICTIONARY' : type === 'BOOLEAN' ? 'RLE' : 'PLAIN';
  const locations = [];
  let row = 0n;
  for (const page of pages) {
    const offset = writer.offset;
    rawBytes += writePage(writer, page, encoding);
    locations.push({ offset: BigInt(offset), compressed_page_size: writer.offset - offset, first_row_index: row });
    row += BigInt(page.rows);
  }
  const chunk: Chunk['chunk'] = {
    file_offset: BigInt(start),
    meta_data: {
      type,
      encodings: [encoding],
      path_in_schema: [...path],
      codec: 'ZSTD',
      num_values: BigInt(pages.reduce((sum, { count }) => sum + count, 0)),
      total_compressed_size: BigInt(writer.offset - start),
      total_uncompressed_size: BigInt(rawBytes),
      data_page_offset: BigInt(firstPage),
      ...(dictionary !== undefined && { dictionary_page_offset: BigInt(start) }),
      statistics: {
        null_count: BigInt(nulls),
        ...(content.least !== undefined && { min_value: toStatistic(content.least, type) }),
        ...(content.greatest !== undefined && { max_value: toStatistic(content.greatest, type) }),
      },
    },
  };
  return { chunk, ...(locations.length > 1 && { offsetIndex: { page_locations: locations } }) };
}

function toStatistic(value: LeafValue, type: string): LeafValue | bigint {
  return type === 'INT64' ? BigInt(value) : value;
}

/** The numbers of encodings in `parquet.thrift`. */
const ENCODINGS = { PLAIN: 0, RLE: 3, RLE_DICTIONARY: 8 } as const;
const DICTIONARY_PAGE = 2;
const DATA_PAGE_V2 = 3;

/** Returns the size of the page before compression. */
function writeDictionary(writer: ByteWriter, { size, body, bodyBytes }: Compressed & { size: number }): number {
  const header = { 7: { 1: size, 2: ENCODINGS.PLAIN } };
  return writeBody(writer, { 1: DICTIONARY_PAGE, 2: bodyBytes, 3: body.length, ...header }, [body]) + bodyBytes;
}

function writePage(writer: ByteWriter, page: Page, encoding: keyof typeof ENCODINGS): number {
  const { count, rows, values, repetitions, definitions, body, bodyBytes } = page;
  const levels = repetitions.length + definitions.length;
  const header = {
    1: DATA_PAGE_V2,
    2: levels + bodyBytes,
    3: levels + body.length,
    // The field that marks the values as compressed is left out, because that is its default.
    8: { 1: count, 2: count - values, 3: rows, 4: ENCODINGS[encoding], 5: definitions.length, 6: repetitions.length },
  };
  return writeBody(writer, header, [repetitions, definitions, body]) + levels + bodyBytes;
}

/** Returns the size of the header. */
function writeBody(writer: ByteWriter, header: ThriftFields, parts: readonly Uint8Array[]): number {
  const start = writer.offset;
  writeThrift(writer, header);
  const headerBytes = writer.offset - start;
  for (const part of parts) writer.appendBytes(part);
  return headerBytes;
}
