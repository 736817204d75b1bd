import { constants, zstdCompressSync } from 'node:zlib';
import { ByteWriter, type ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { createBloomFilter, sbbfInsert } from 'hyparquet-writer/src/bloom.js';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js';
import { writePlain } from 'hyparquet-writer/src/plain.js';
import xxhash from 'xxhash-wasm';

const { h64 } = await xxhash();

export type LeafValue = string | number | bigint | boolean;

export interface LeafOptions {
  /** The elements of the schema from the root to this leaf. */
  readonly path: readonly SchemaElement[];
  readonly maxDefinition: number;
  readonly maxRepetition: number;
  /** Whether the values are long, distinct texts: they get no dictionary and no bounds. */
  readonly isPlain: boolean;
  readonly hasFilter: boolean;
}

/** A column chunk with its page index and Bloom filter, which are written after the last row group. */
export type Chunk = ParquetWriter['pendingIndexes'][number];

interface Compressed {
  readonly body: Uint8Array;
  /** The size of the body before compression. */
  readonly bodyBytes: number;
}

/** The numbers of entries, which are values and nulls, and of rows and values; the encoded levels; and the encoded values. */
interface Page extends Compressed {
  readonly count: number;
  readonly rows: number;
  readonly values: number;
  readonly repetitions: Uint8Array;
  readonly definitions: Uint8Array;
}

/** A page ends with the row in which it reaches this size. */
const PAGE_BYTES = 1 << 20;
/** A dictionary is given up only after this many distinct values. */
const MIN_DISTINCT = 1_024;

/**
 * Collects the values of one leaf column of a row group, with their levels, and compresses them page by page. The library writes pages only from
 * complete columns: it would keep all values of a row group, which takes twice the memory and the processor time of an export.
 */
export class Leaf {
  readonly #options: LeafOptions;
  readonly #type: NonNullable<SchemaElement['type']>;
  readonly #sink: Sink;
  /** A level that was never written stays 0, which means that the row has no value. */
  #definitions = new Uint8Array(1_024);
  #repetitions = new Uint8Array(1_024);
  #indexes = new Uint32Array(1_024);
  /** Entries, rows and values of the current page. */
  #count = 0;
  #rows = 0;
  #values = 0;
  /** Undefined if the values are written without a dictionary. */
  #dictionary: Map<LeafValue, number> | undefined;
  #pages: Page[] = [];
  #nulls = 0n;
  #least: LeafValue | undefined;
  #greatest: LeafValue | undefined;
  #hashes: bigint[] = [];

  constructor(options: LeafOptions) {
    this.#options = options;
    const { type } = options.path.at(-1) as SchemaElement;
    if (type === undefined) throw new Error('the column has no type');
    this.#type = type;
    this.#sink = type === 'BYTE_ARRAY' ? createTextSink() : createValueSink(type);
    this.#start();
  }

  #start(): void {
    this.#dictionary = this.#options.isPlain || this.#type === 'BOOLEAN' ? undefined : new Map();
    this.#pages = [];
    this.#nulls = 0n;
    this.#least = undefined;
    this.#greatest = undefined;
    this.#hashes = [];
  }

  /** Adds rows without a value. */
  skip(rows: number): void {
    this.#reserve(rows);
    this.#count += rows;
    this.#rows += rows;
  }

  /** Adds a value. A missing value has the level up to which its path is defined. */
  add(value: LeafValue | undefined, definition: number, repetition: number): void {
    if (repetition === 0) {
      if (this.#sink.bytes() >= PAGE_BYTES && value !== undefined) this.#endPage();
      this.#rows++;
    }
    this.#reserve(1);
    this.#definitions[this.#count] = value === undefined ? definition : this.#options.maxDefinition;
    this.#repetitions[this.#count] = repetition;
    this.#count++;
    if (value === undefined) return;
    if (this.#dictionary !== undefined) this.#addIndex(value, this.#dictionary);
    else {
      this.#see(value);
      this.#sink.add(value);
    }
    this.#values++;
  }

  #addIndex(value: LeafValue, dictionary: Map<LeafValue, number>): void {
    if (this.#values === this.#indexes.length)
      this.#indexes = enlarge(this.#indexes, new Uint32Array(2 * this.#values));
    let index = dictionary.get(value);
    if (index === undefined) {
      index = dictionary.size;
      dictionary.set(value, index);
      this.#see(value);
    }
    this.#indexes[this.#values] = index;
    if (index >= MIN_DISTINCT && index % MIN_DISTINCT === 0 && 2 * index > this.#values) {
      this.#dropDictionary(dictionary, this.#values + 1);
    }
  }

  /** From now on, writes the values without a dictionary, because too many of them are distinct. */
  #dropDictionary(dictionary: Map<LeafValue, number>, values: number): void {
    const known = [...dictionary.keys()];
    for (let at = 0; at < values; at++) this.#sink.add(known[this.#indexes[at] as number] as LeafValue);
    this.#dictionary = undefined;
  }

  /** Collects a value for the statistics and the filter. A value of the dictionary is collected once. */
  #see(value: LeafValue): void {
    if (this.#options.isPlain) return;
    if (this.#least === undefined || value < this.#least) this.#least = value;
    if (this.#greatest === undefined || value > this.#greatest) this.#greatest = value;
    if (this.#options.hasFilter) this.#hashes.push(h64(value as string));
  }

  #reserve(count: number): void {
    const needed = this.#count + count;
    if (needed <= this.#definitions.length) return;
    this.#definitions = enlarge(this.#definitions, new Uint8Array(2 * needed));
    this.#repetitions = enlarge(this.#repetitions, new Uint8Array(2 * needed));
  }

  #endPage(): void {
    const { maxDefinition, maxRepetition } = this.#options;
    const [count, values] = [this.#count, this.#values];
    const repetitions = encodeLevels(this.#repetitions.subarray(0, count), maxRepetition);
    const definitions = encodeLevels(this.#definitions.subarray(0, count), maxDefinition);
    const indexes = this.#indexes.subarray(0, values);
    const body = this.#dictionary ? encodeIndexes(indexes, this.#dictionary.size) : this.#sink.take();
    this.#pages.push({ count, rows: this.#rows, values, repetitions, definitions, ...body });
    this.#nulls += BigInt(count - values);
    this.#definitions.fill(0, 0, count);
    this.#repetitions.fill(0, 0, count);
    this.#count = 0;
    this.#rows = 0;
    this.#values = 0;
  }

  /** Writes the chunk of the row group and starts the next one. */
  write(writer: ByteWriter): Chunk {
    if (this.#dictionary && 2 * this.#dictionary.size > this.#values) {
      this.#dropDictionary(this.#dictionary, this.#values);
    }
    this.#endPage();
    const start = writer.offset;
    let rawBytes = 0;
    if (this.#dictionary) {
      for (const value of this.#dictionary.keys()) this.#sink.add(value);
      rawBytes += writeDictionary(writer, this.#dictionary.size, this.#sink.take());
    }
    const firstPage = writer.offset;
    const encoding = this.#dictionary ? 'RLE_DICTIONARY' : this.#type === 'BOOLEAN' ? 'RLE' : 'PLAIN';
    const locations = [];
    let row = 0n;
    for (const page of this.#pages) {
      const offset = writer.offset;
      rawBytes += writePage(writer, page, encoding);
      locations.push({ offset: BigInt(offset), compressed_page_size: writer.offset - offset, first_row_index: row });
      row += BigInt(page.rows);
    }
    const chunk: Chunk['chunk'] = {
      file_offset: BigInt(start),
      meta_data: {
        type: this.#type,
        encodings: [encoding],
        path_in_schema: this.#options.path.slice(1).map(({ name }) => name),
        codec: 'ZSTD',
        num_values: BigInt(this.#pages.reduce((sum, { count }) => sum + count, 0)),
        total_compressed_size: BigInt(writer.offset - start),
        total_uncompressed_size: BigInt(rawBytes),
        data_page_offset: BigInt(firstPage),
        ...(this.#dictionary && { dictionary_page_offset: BigInt(start) }),
        statistics: {
          null_count: this.#nulls,
          ...(isBound(this.#least) && { min_value: this.#least }),
          ...(isBound(this.#greatest) && { max_value: this.#greatest }),
        },
      },
    };
    const bloomFilter = createFilter(this.#hashes);
    this.#start();
    return {
      chunk,
      ...(locations.length > 1 && { offsetIndex: { page_locations: locations } }),
      ...(bloomFilter && { bloomFilter }),
    };
  }
}

function enlarge<T extends Uint8Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

/**
 * Texts are compared in the order of UTF-16, while readers compare UTF-8 bytes. The two orders differ only for surrogates and what follows them, so a
 * bound with such a character is left out.
 */
function isBound(value: LeafValue | undefined): value is LeafValue {
  return value !== undefined && !/[\ud800-\uffff]/.test(String(value));
}

function createFilter(hashes: readonly bigint[]): Uint32Array | undefined {
  if (hashes.length === 0) return undefined;
  const filter = createBloomFilter(hashes.length);
  for (const hash of hashes) sbbfInsert(filter, hash);
  return filter;
}

function encode(write: (writer: ByteWriter) => void): Uint8Array {
  const writer = new ByteWriter();
  write(writer);
  return writer.getBytes();
}

function encodeLevels(levels: Uint8Array, max: number): Uint8Array {
  return encode((writer) => {
    if (max > 0) writeRleBitPackedHybrid(writer, levels, countBits(max));
  });
}

function encodeIndexes(indexes: Uint32Array, size: number): Compressed {
  const bits = countBits(size - 1);
  const bytes = encode((writer) => {
    writer.appendUint8(bits);
    writeRleBitPackedHybrid(writer, indexes, bits);
  });
  return compress(bytes);
}

function countBits(max: number): number {
  return 32 - Math.clz32(max);
}

const params = { [constants.ZSTD_c_compressionLevel]: 3 };

function compress(bytes: Uint8Array): Compressed {
  return { body: zstdCompressSync(bytes, { params }), bodyBytes: bytes.length };
}

/** Collects values in their plain encoding. */
interface Sink {
  add(value: LeafValue): void;
  bytes(): number;
  /** Returns the collected values, compressed, and starts again. */
  take(): Compressed;
}

/** The library would make an array of bytes of each text, which takes longer than writing the text. */
function createTextSink(): Sink {
  let buffer = Buffer.allocUnsafeSlow(1_024);
  let at = 0;
  return {
    add(value) {
      const text = value as string;
      const needed = at + 4 + 3 * text.length;
      if (needed > buffer.length) {
        const larger = Buffer.allocUnsafeSlow(2 * needed);
        buffer.copy(larger, 0, 0, at);
        buffer = larger;
      }
      const length = buffer.write(text, at + 4);
      buffer.writeUInt32LE(length, at);
      at += 4 + length;
    },
    bytes: () => at,
    take() {
      const taken = compress(buffer.subarray(0, at));
      at = 0;
      return taken;
    },
  };
}

/** Booleans are encoded as runs, because neighbouring values are usually equal. */
function createValueSink(type: NonNullable<SchemaElement['type']>): Sink {
  const size = type === 'INT32' ? 4 : 8;
  let values: LeafValue[] = [];
  return {
    add: (value) => values.push(value),
    bytes: () => (type === 'BOOLEAN' ? 0 : size * values.length),
    take() {
      const bytes = encode((writer) => {
        if (type !== 'BOOLEAN') return writePlain(writer, values, type, undefined);
        const runs = encode((inner) => writeRleBitPackedHybrid(inner, values.map(Number), 1));
        writer.appendUint32(runs.length);
        writer.appendBytes(runs);
      });
      values = [];
      return compress(bytes);
    },
  };
}

/** Returns the size of the page before compression. */
function writeDictionary(writer: ByteWriter, size: number, { body, bodyBytes }: Compressed): number {
  const start = writer.offset;
  writePageHeader(writer, {
    type: 'DICTIONARY_PAGE',
    uncompressed_page_size: bodyBytes,
    compressed_page_size: body.length,
    dictionary_page_header: { num_values: size, encoding: 'PLAIN' },
  });
  const headerBytes = writer.offset - start;
  writer.appendBytes(body);
  return headerBytes + bodyBytes;
}

/** Returns the size of the page before compression. */
function writePage(writer: ByteWriter, page: Page, encoding: 'PLAIN' | 'RLE' | 'RLE_DICTIONARY'): number {
  const { count, rows, values, repetitions, definitions, body, bodyBytes } = page;
  const levels = repetitions.length + definitions.length;
  const start = writer.offset;
  writePageHeader(writer, {
    type: 'DATA_PAGE_V2',
    uncompressed_page_size: levels + bodyBytes,
    compressed_page_size: levels + body.length,
    data_page_header_v2: {
      num_values: count,
      num_nulls: count - values,
      num_rows: rows,
      encoding,
      definition_levels_byte_length: definitions.length,
      repetition_levels_byte_length: repetitions.length,
      is_compressed: true,
    },
  });
  const headerBytes = writer.offset - start;
  for (const part of [repetitions, definitions, body]) writer.appendBytes(part);
  return headerBytes + levels + bodyBytes;
}
