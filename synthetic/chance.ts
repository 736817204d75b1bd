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
