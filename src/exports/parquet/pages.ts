import { ByteWriter, type ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js';
import { type Compressed, compress, type LeafValue } from './sink.ts';

/** The pages of a leaf column in a row group, and how they are written. */
export interface Page extends Compressed {
  /** The number of entries, which are values and nulls. */
  readonly count: number;
  readonly rows: number;
  readonly values: number;
  readonly repetitions: Uint8Array;
  readonly definitions: Uint8Array;
}

export interface Pages {
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
  /** Long texts that are all different: without a dictionary and without bounds. */
  readonly isPlain: boolean;
  readonly maxFilterBytes: number | undefined;
}

/** A column chunk with its page index and Bloom filter, which are written after the last row group. */
export type Chunk = ParquetWriter['pendingIndexes'][number];

const NO_LEVELS = new Uint8Array();

export function encodeLevels(levels: Uint8Array, max: number): Uint8Array {
  if (max === 0) return NO_LEVELS;
  const writer = new ByteWriter();
  writeRleBitPackedHybrid(writer, levels, countBits(max));
  return writer.getBytes();
}

export function encodeIndexes(indexes: Uint32Array, size: number): Compressed {
  const writer = new ByteWriter();
  const bits = countBits(size - 1);
  writer.appendUint8(bits);
  writeRleBitPackedHybrid(writer, indexes, bits);
  return compress(writer.getBytes());
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

/** Returns the size of the page before compression. */
function writeDictionary(writer: ByteWriter, { size, body, bodyBytes }: Compressed & { size: number }): number {
  const start = writer.offset;
  writePageHeader(writer, {
    type: 'DICTIONARY_PAGE',
    uncompressed_page_size: bodyBytes,
    compressed_page_size: body.length,
    dictionary_page_header: { num_values: size, encoding: 'PLAIN' },
  });
  const header = writer.offset - start;
  writer.appendBytes(body);
  return header + bodyBytes;
}

function writePage(writer: ByteWriter, page: Page, encoding: 'PLAIN' | 'RLE' | 'RLE_DICTIONARY'): number {
  const { count, rows, values, repetitions, definitions, body, bodyBytes } = page;
  const start = writer.offset;
  const levels = repetitions.length + definitions.length;
  writePageHeader(writer, {
    type: 'DATA_PAGE_V2',
    uncompressed_page_size: levels + bodyBytes,
    compressed_page_size: levels + body.length,
    data_page_header_v2: {
      num_values: count,
      num_nulls: count - values,
      num_rows: rows,
      encoding,
      repetition_levels_byte_length: repetitions.length,
      definition_levels_byte_length: definitions.length,
      is_compressed: true,
    },
  });
  const header = writer.offset - start;
  writer.appendBytes(repetitions);
  writer.appendBytes(definitions);
  writer.appendBytes(body);
  return header + levels + bodyBytes;
}
