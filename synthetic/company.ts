import { createChance } from './chance.ts';

/** A generated company: a copy of one in the sample, with values of its own. It is a function of its index and the seed. */
export interface Company {
  readonly index: number;
  /** With the first seed, the first companies are those of the sample. */
  readonly isSample: boolean;
  /** By how many years it is older than the one in the sample. */
  readonly years: number;
  /** Different for each company. With another seed, the same number comes at another index. */
  readonly serial: number;
  /** The copy of another company of the sample that belongs to this one. */
  of(sampled: number): Company;
  /** A number from 0 to 1 for one of its values. */
  draw(value: number): number;
}

const YEARS = 17;
const SERIALS_PER_SEED = 2_700_001;

/** `count` companies are in the sample, and `rows` in the file. */
export function createCompanies(count: number, rows: number, seed: number): (index: number) => Company {
  return function make(index) {
    const round = Math.floor(index / count);
    return {
      index,
      isSample: seed === 1 && round === 0,
      years: (round + seed + YEARS - 1) % YEARS,
      serial: seed * SERIALS_PER_SEED + index,
      of(sampled) {
        const other = round * count + sampled;
        return make(other < rows || other < count ? other : other - count);
      },
      draw: (value) =>
        createChance(Math.imul(seed + 1, 0x9e3779b1) ^ (Math.imul(index + 1, 0x85ebca6b) + value)).next(),
    };
  };
}
