import { constants, zstdCompressSync } from 'node:zlib';
import { ByteWriter, type ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { createBloomFilter, sbbfInsert } from 'hyparquet-writer/src/bloom.js';
import { writeDataPageV2 } from 'hyparquet-writer/src/datapage.js';
import { writeDictionaryPage } from 'hyparquet-writer/src/dictionary.js';
import xxhash from 'xxhash-wasm';

const { h64 } = await xxhash();

export type LeafValue = string | number | bigint | boolean;

export interface LeafOptions {
  /** The elements of the schema from the root to this leaf. */
  readonly path: SchemaElement[];
  readonly maxDefinition: number;
  /** Whether the values are long, distinct texts: they get no dictionary and no bounds. */
  readonly isPlain: boolean;
  readonly hasFilter: boolean;
}

/** A column chunk with its page index and Bloom filter, which are written after the last row group. */
export type Chunk = ParquetWriter['pendingIndexes'][number];

/** A page ends with the row in which it reaches this size. */
const PAGE_BYTES = 1 << 20;
/** A dictionary is given up only after this many distinct values. */
const MIN_DISTINCT = 1_024;
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

/** What was collected of the row group. */
function startChunk(hasDictionary: boolean) {
  return {
    /** Undefined if the values are written without a dictionary. */
    dictionary: hasDictionary ? new Map<LeafValue, number>() : undefined,
    pages: new ByteWriter(),
    locations: [] as NonNullable<Chunk['offsetIndex']>['page_locations'],
    /** The first row after the finished pages. */
    nextRow: 0,
    /** Entries are values and nulls. */
    entries: 0,
    nulls: 0,
    /** How many bytes compression has saved. */
    saved: 0,
    least: undefined as LeafValue | undefined,
    greatest: undefined as LeafValue | undefined,
    hashes: [] as bigint[],
  };
}

/**
 * Collects the values of one leaf column of a row group, with their levels, and compresses them page by page. The library writes pages only from
 * complete columns: it would keep all values of a row group, which takes twice the memory and the processor time of an export.
 */
export class Leaf {
  readonly #options: LeafOptions;
  readonly #column: Encoded['column'];
  #chunk: ReturnType<typeof startChunk>;
  /** A level that was never written stays 0, which means that the row has no value. */
  #definitions = new Uint8Array(1_024);
  #repetitions = new Uint8Array(1_024);
  /** Entries and rows of the current page. */
  #count = 0;
  #rows = 0;
  /** The number of values in the current page; the values or, with a dictionary, their indexes; and their bytes. */
  #present = 0;
  #values: LeafValue[] = [];
  #size = 0;
  /** Texts are here instead, encoded. */
  #texts = Buffer.allocUnsafeSlow(1_024);

  constructor(options: LeafOptions) {
    const element = options.path.at(-1) as SchemaElement;
    const compress = (bytes: Uint8Array) => {
      const compressed = zstdCompressSync(bytes, ZSTD);
      this.#chunk.saved += bytes.length - compressed.length;
      return compressed;
    };
    this.#options = options;
    this.#column = {
      ...{
        columnName: element.name,
        element,
        schemaPath: options.path,
        codec: 'ZSTD',
        compressors: { ZSTD: compress },
      },
      ...{ stats: true, pageSize: PAGE_BYTES, columnIndex: false, offsetIndex: true },
    };
    this.#chunk = this.#startChunk();
  }

  #startChunk() {
    return startChunk(!this.#options.isPlain && this.#column.element.type !== 'BOOLEAN');
  }

  skip(rows: number): void {
    this.#reserve(rows);
    this.#count += rows;
    this.#rows += rows;
  }

  /** Adds a value. A missing value has the level up to which its path is defined. */
  add(value: LeafValue | undefined, definition: number, repetition: number): void {
    if (repetition === 0) {
      if (this.#size >= PAGE_BYTES && value !== undefined) this.#endPage();
      this.#rows++;
    }
    this.#reserve(1);
    this.#definitions[this.#count] = value === undefined ? definition : this.#options.maxDefinition;
    this.#repetitions[this.#count] = repetition;
    this.#count++;
    if (value === undefined) return;
    this.#present++;
    if (this.#chunk.dictionary !== undefined) this.#addIndex(value, this.#chunk.dictionary);
    else {
      this.#see(value);
      this.#addValue(value);
    }
  }

  #addValue(value: LeafValue): void {
    if (typeof value === 'string') this.#addText(value);
    else {
      this.#values.push(value);
      this.#size += 8;
    }
  }

  /** Adds the number of bytes and the bytes. The library would make an array of bytes of each text, which takes longer. */
  #addText(text: string): void {
    const needed = this.#size + 4 + 3 * text.length;
    if (needed > this.#texts.length) {
      const larger = Buffer.allocUnsafeSlow(2 * needed);
      this.#texts.copy(larger, 0, 0, this.#size);
      this.#texts = larger;
    }
    const length = this.#texts.write(text, this.#size + 4);
    this.#texts.writeUInt32LE(length, this.#size);
    this.#size += 4 + length;
  }

  #addIndex(value: LeafValue, dictionary: Map<LeafValue, number>): void {
    let index = dictionary.get(value);
    if (index === undefined) {
      index = dictionary.size;
      dictionary.set(value, index);
      this.#see(value);
    }
    this.#values.push(index);
    if (index >= MIN_DISTINCT && index % MIN_DISTINCT === 0 && 2 * index >= this.#values.length) {
      this.#dropDictionary(dictionary);
    }
  }

  /** From now on, writes the values without a dictionary, because too many of them are distinct. */
  #dropDictionary(dictionary: Map<LeafValue, number>): void {
    const known = [...dictionary.keys()];
    const indexes = this.#values;
    this.#values = [];
    for (const index of indexes) this.#addValue(known[index as number] as LeafValue);
    this.#chunk.dictionary = undefined;
  }

  /** Collects a value for the statistics and the filter. A value of the dictionary is collected once. */
  #see(value: LeafValue): void {
    if (this.#options.isPlain) return;
    const chunk = this.#chunk;
    if (chunk.least === undefined || value < chunk.least) chunk.least = value;
    if (chunk.greatest === undefined || value > chunk.greatest) chunk.greatest = value;
    if (this.#options.hasFilter) chunk.hashes.push(h64(value as string));
  }

  #reserve(count: number): void {
    const needed = this.#count + count;
    if (needed <= this.#definitions.length) return;
    this.#definitions = enlarge(this.#definitions, 2 * needed);
    this.#repetitions = enlarge(this.#repetitions, 2 * needed);
  }

  #endPage(): void {
    const [chunk, count] = [this.#chunk, this.#count];
    const start = chunk.pages.offset;
    writeDataPageV2({
      writer: chunk.pages,
      encoding: this.#encoding,
      ...this.#describeValues({
        definitionLevels: this.#definitions.subarray(0, count) as unknown as number[],
        // The library counts rows in these levels, also in a column without lists.
        repetitionLevels: this.#repetitions.subarray(0, count) as unknown as number[],
        maxDefinitionLevel: this.#options.maxDefinition,
      }),
    });
    const place = { offset: BigInt(start), compressed_page_size: chunk.pages.offset - start };
    chunk.locations.push({ ...place, first_row_index: BigInt(chunk.nextRow) });
    chunk.nextRow = this.#rows;
    chunk.entries += count;
    chunk.nulls += count - this.#present;
    this.#definitions.fill(0, 0, count);
    this.#repetitions.fill(0, 0, count);
    this.#count = 0;
    this.#present = 0;
    this.#values = [];
    this.#size = 0;
  }

  /** The library copies values of fixed length, so the encoded texts of a page are one such value. */
  #describeValues(levels: Omit<Encoded['pageData'], 'values'>): Pick<Encoded, 'column' | 'pageData'> {
    const [column, size] = [this.#column, this.#size];
    if (column.element.type !== 'BYTE_ARRAY' || size === 0)
      return { column, pageData: { values: this.#values, ...levels } };
    const element = { ...column.element, type: 'FIXED_LEN_BYTE_ARRAY', type_length: size } as const;
    return { column: { ...column, element }, pageData: { values: [this.#texts.subarray(0, size)], ...levels } };
  }

  get #encoding(): Encoded['encoding'] {
    if (this.#chunk.dictionary !== undefined) return 'RLE_DICTIONARY';
    // Booleans are encoded as runs, because neighbouring values are usually equal.
    return this.#column.element.type === 'BOOLEAN' ? 'RLE' : 'PLAIN';
  }

  /** Writes the chunk of the row group and starts the next one. */
  write(writer: ByteWriter): Chunk {
    const chunk = this.#chunk;
    if (chunk.dictionary && 2 * chunk.dictionary.size > this.#present) this.#dropDictionary(chunk.dictionary);
    this.#endPage();
    const start = writer.offset;
    if (chunk.dictionary) writeDictionaryPage(writer, this.#column, [...chunk.dictionary.keys()]);
    const firstPage = writer.offset;
    writer.appendBytes(chunk.pages.getBytes());
    const size = writer.offset - start;
    const { least, greatest, locations } = chunk;
    const bloomFilter = createFilter(chunk.hashes);
    const written: Chunk['chunk'] = {
      file_offset: BigInt(start),
      meta_data: {
        type: this.#column.element.type as ParquetType,
        encodings: [this.#encoding],
        path_in_schema: this.#options.path.slice(1).map(({ name }) => name),
        codec: 'ZSTD',
        num_values: BigInt(chunk.entries),
        total_compressed_size: BigInt(size),
        total_uncompressed_size: BigInt(size + chunk.saved),
        data_page_offset: BigInt(firstPage),
        ...(chunk.dictionary && { dictionary_page_offset: BigInt(start) }),
        statistics: {
          null_count: BigInt(chunk.nulls),
          ...(isBound(least) && { min_value: least }),
          ...(isBound(greatest) && { max_value: greatest }),
        },
      },
    };
    for (const location of locations) location.offset += BigInt(firstPage);
    this.#chunk = this.#startChunk();
    this.#rows = 0;
    return {
      chunk: written,
      ...(locations.length > 1 && { offsetIndex: { page_locations: locations } }),
      ...(bloomFilter && { bloomFilter }),
    };
  }
}

type Encoded = Parameters<typeof writeDataPageV2>[0];
type ParquetType = NonNullable<SchemaElement['type']>;

function enlarge(from: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(length);
  larger.set(from);
  return larger;
}

/** Readers compare UTF-8, this code UTF-16. The orders differ only for surrogates and what follows them, so such a bound is left out. */
function isBound(value: LeafValue | undefined): value is LeafValue {
  return value !== undefined && !/[\ud800-\uffff]/.test(String(value));
}

function createFilter(hashes: readonly bigint[]): Uint32Array | undefined {
  if (hashes.length === 0) return undefined;
  const filter = createBloomFilter(hashes.length);
  for (const hash of hashes) sbbfInsert(filter, hash);
  return filter;
}
