import type { SyntheticCsv } from '../core/source-files.ts';

/** Chance that repeats itself: the same seed gives the same companies on every machine. */
export interface Chance {
  /** 0 ≤ x < 1. */
  next(): number;
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  pick<T>(items: readonly T[]): T;
  /** True with the given probability. */
  is(probability: number): boolean;
  /** `YYYY-MM-DD` between two years, both included. */
  date(fromYear: number, toYear: number): string;
}

/** mulberry32: small, fast, and the same in every engine. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    between,
    pick: <T>(items: readonly T[]) => items[between(0, items.length - 1)] as T,
    is: (probability) => next() < probability,
    date: (fromYear, toYear) => {
      const [month, day] = [between(1, 12), between(1, 28)].map((part) => String(part).padStart(2, '0'));
      return `${between(fromYear, toYear)}-${month}-${day}`;
    },
  };
}

/** Shares no divisor with a power of ten: no serial comes twice before all have come. */
const STRIDE = 618_033_989;

/** Numbers of up to that many digits that look drawn but never repeat, padded with zeros. */
export function createSerials(chance: Chance, digits: number): () => string {
  const range = 10 ** digits;
  let serial = chance.between(0, range - 1);
  return () => {
    serial = (serial + (STRIDE % range)) % range;
    return String(serial).padStart(digits, '0');
  };
}

/** Items by their share, cumulated up to 1: `[[0.9, 'often'], [1, 'rarely']]`. */
export type Shares<T> = readonly (readonly [upTo: number, item: T])[];

export function pickByShare<T>(chance: Chance, items: Shares<T>): T {
  const drawn = chance.next();
  return (items.find(([upTo]) => drawn < upTo) ?? (items[0] as readonly [number, T]))[1];
}

/** How a CSV file is written, apart from its columns and rows. */
export type CsvFormat = Pick<SyntheticCsv, 'dialect' | 'bom' | 'quoting' | 'lineEnd'>;
type GenerateRows = () => Iterator<readonly string[]>;

/** Rows are generated while the file is written, so a file of any size takes constant memory. */
export function makeCsv(format: CsvFormat, header: readonly string[], generate: GenerateRows): SyntheticCsv {
  return { type: 'csv', ...format, header, rows: { [Symbol.iterator]: generate } };
}

/** For archives whose CSV files all have the same format. */
export function createCsvFiles(format: CsvFormat) {
  return (name: string, header: readonly string[], generate: GenerateRows) => ({
    name,
    content: makeCsv(format, header, generate),
  });
}

/** `YYYY-MM-DD` → `DD-MM-YYYY` with the given separator, for registers that write the day first. */
export function writeDayFirst(date: string, separator: string): string {
  return date.split('-').reverse().join(separator);
}
