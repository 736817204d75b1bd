/**
 * Building blocks for the synthetic files of registers: seeded random values and CSV descriptions. A generator must
 * produce the same bytes for the same seed, so never change the order in which it draws values.
 */
import { addCheckDigit } from '../src/registers/check-digits.ts';
import type { SyntheticCsv } from './file.ts';

/** A seeded random generator: the same seed gives the same values on every machine. */
export interface Chance {
  /** A number with 0 ≤ x < 1. */
  next(): number;
  /** A whole number; both bounds are included. */
  between(min: number, max: number): number;
  pick<T>(items: readonly T[]): T;
  /** True with the given probability. */
  is(probability: number): boolean;
  /** `YYYY-MM-DD`; both years are included. Days go up to 28 only, so that every date exists. */
  date(fromYear: number, toYear: number): string;
}

/** mulberry32: small, fast, and independent of the JavaScript engine. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
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

/** Coprime to every power of ten, so that a serial repeats only after all others have been used. */
const STRIDE = 618_033_989;

/** Serials that look random but do not repeat until all have been used. They are padded with zeros to `digits`. */
export function createSerials(chance: Chance, digits: number): () => string {
  const range = 10 ** digits;
  let serial = chance.between(0, range - 1);
  return () => {
    serial = (serial + (STRIDE % range)) % range;
    return String(serial).padStart(digits, '0');
  };
}

/** The number with its check digit, or with a wrong one. */
export function completeNumber(check: Parameters<typeof addCheckDigit>[0], body: string, isWrong = false): string {
  const number = addCheckDigit(check, body) ?? `${body}0`;
  return isWrong ? `${body}${(Number(number.at(-1)) + 1) % 10}` : number;
}

/** Items with their cumulative share, up to 1: `[[0.9, 'often'], [1, 'rarely']]`. */
export type Shares<T> = readonly (readonly [upTo: number, item: T])[];

export function pickByShare<T>(chance: Chance, items: Shares<T>): T {
  const drawn = chance.next();
  return (items.find(([upTo]) => drawn < upTo) ?? (items[0] as readonly [number, T]))[1];
}

/** Without the optional fields: no byte order mark, quotes only where needed, lines that end with LF. */
export type CsvFormat = Pick<SyntheticCsv, 'dialect'> & Partial<Pick<SyntheticCsv, 'bom' | 'quoting' | 'lineEnd'>>;

type GenerateRows = () => Iterator<readonly string[]>;

/** Rows are generated while the file is written, so a file of any size takes constant memory. */
export function makeCsv(format: CsvFormat, header: readonly string[], generate: GenerateRows): SyntheticCsv {
  const defaults = { type: 'csv', bom: false, quoting: 'needed', lineEnd: '\n' } as const;
  return { ...defaults, ...format, header, rows: { [Symbol.iterator]: generate } };
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
