import { compact, readRanges } from '../parsing.ts';

/** INSEE's codes of ranges of employees. `NN` is a unit without employees, or one whose number is not known. */
const RANGES = readRanges(
  '00 0-0, 01 1-2, 02 3-5, 03 6-9, 11 10-19, 12 20-49, 21 50-99, 22 100-199, 31 200-249, 32 250-499, 41 500-999, ' +
    '42 1000-1999, 51 2000-4999, 52 5000-9999, 53 10000-',
);

export function readEmployees(code: string | null, year: number | null) {
  return code === null && year === null ? null : { ...RANGES.get(code ?? ''), ...compact({ code, year }) };
}
