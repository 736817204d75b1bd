import type { ByteWriter } from 'hyparquet-writer';
import { type BloomFilter, createBloomFilter } from './bloom-filter.ts';
import { compareTexts, createSink, type LeafValue, type Sink } from './encoding.ts';
import { type Chunk, encodeIndexes, encodeLevels, type LeafOptions, type Page, writeChunk } from './pages.ts';

/** A page ends with the row in which it reaches this size. */
const PAGE_BYTES = 1 << 20;
/** A dictionary is given up only after this many distinct values. */
const MIN_DISTINCT = 1_024;

/**
 * Collects the values of one leaf column of a row group, with their levels, in the form of Parquet. The library would keep all rows as objects and
 * walk through them once per leaf, which took longer than the rest of the export.
 */
export class Leaf {
  readonly #options: LeafOptions;
  readonly #sink: Sink;
  readonly #maxDefinition: number;
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
  #nulls = 0;
  #least: LeafValue | undefined;
  #greatest: LeafValue | undefined;
  #filter: BloomFilter | undefined;

  constructor(options: LeafOptions) {
    this.#options = options;
    this.#maxDefinition = options.maxDefinition;
    this.#sink = createSink(options.element.type);
    this.#start();
  }

  #start(): void {
    const { element, isPlain, maxFilterBytes } = this.#options;
    this.#dictionary = isPlain || element.type === 'BOOLEAN' ? undefined : new Map();
    this.#filter = maxFilterBytes === undefined ? undefined : createBloomFilter();
    this.#pages = [];
    this.#nulls = 0;
    this.#least = undefined;
    this.#greatest = undefined;
  }

  /** Adds rows without a value. */
  skip(rows: number): void {
    this.#reserve(rows);
    this.#count += rows;
    this.#rows += rows;
  }

  addNull(definition: number, repetition: number): void {
    this.#reserve(1);
    this.#definitions[this.#count] = definition;
    this.#repetitions[this.#count] = repetition;
    this.#count++;
    if (repetition === 0) this.#rows++;
  }

  add(value: LeafValue, repetition: number): void {
    if (repetition === 0) {
      if (this.#sink.bytes() >= PAGE_BYTES) this.#endPage();
      this.#rows++;
    }
    this.#reserve(1);
    this.#definitions[this.#count] = this.#maxDefinition;
    this.#repetitions[this.#count] = repetition;
    this.#count++;
    if (this.#dictionary === undefined) this.#addPlain(value);
    else this.#addIndex(value, this.#dictionary);
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
    const texts = [...dictionary.keys()];
    for (let at = 0; at < values; at++) this.#sink.add(texts[this.#indexes[at] as number] as LeafValue);
    this.#dictionary = undefined;
  }

  #addPlain(value: LeafValue): void {
    if (!this.#options.isPlain) this.#see(value);
    this.#sink.add(value);
  }

  /** Collects a value for the statistics and the filter. A value of the dictionary is collected once. */
  #see(value: LeafValue): void {
    if (this.#least === undefined || compareTexts(value, this.#least) < 0) this.#least = value;
    if (this.#greatest === undefined || compareTexts(value, this.#greatest) > 0) this.#greatest = value;
    this.#filter?.add(String(value));
  }

  #reserve(count: number): void {
    const needed = this.#count + count;
    if (needed <= this.#definitions.length) return;
    this.#definitions = enlarge(this.#definitions, new Uint8Array(2 * needed));
    this.#repetitions = enlarge(this.#repetitions, new Uint8Array(2 * needed));
  }

  #endPage(): void {
    const { maxRepetition } = this.#options;
    const [count, values] = [this.#count, this.#values];
    const repetitions = encodeLevels(this.#repetitions.subarray(0, count), maxRepetition);
    const definitions = encodeLevels(this.#definitions.subarray(0, count), this.#maxDefinition);
    const indexes = this.#indexes.subarray(0, values);
    const body = this.#dictionary === undefined ? this.#sink.take() : encodeIndexes(indexes, this.#dictionary.size);
    this.#pages.push({ count, rows: this.#rows, values, repetitions, definitions, ...body });
    this.#nulls += count - values;
    this.#definitions.fill(0, 0, count);
    this.#repetitions.fill(0, 0, count);
    this.#count = 0;
    this.#rows = 0;
    this.#values = 0;
  }

  /** Writes the chunk of the row group and starts the next one. */
  write(writer: ByteWriter): Chunk {
    const dictionary = this.#dictionary;
    if (dictionary !== undefined && 2 * dictionary.size > this.#values) this.#dropDictionary(dictionary, this.#values);
    this.#endPage();
    for (const value of this.#dictionary?.keys() ?? []) this.#sink.add(value);
    const chunk = writeChunk(writer, this.#options, {
      pages: this.#pages,
      dictionary: this.#dictionary && { size: this.#dictionary.size, ...this.#sink.take() },
      nulls: this.#nulls,
      least: this.#least,
      greatest: this.#greatest,
    });
    const bloomFilter = this.#filter?.finish(this.#options.maxFilterBytes as number);
    this.#start();
    return { ...chunk, ...(bloomFilter && { bloomFilter }) };
  }
}

function enlarge<T extends Uint8Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
