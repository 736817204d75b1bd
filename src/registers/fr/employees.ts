import { compact } from '../parsing.ts';

/** INSEE's codes of ranges of employees. `NN` is a unit without employees, or one whose number is not known. */
const RANGES: ReadonlyMap<string, { readonly from: number; readonly to?: number }> = new Map([
  ['00', { from: 0, to: 0 }],
  ['01', { from: 1, to: 2 }],
  ['02', { from: 3, to: 5 }],
  ['03', { from: 6, to: 9 }],
  ['11', { from: 10, to: 19 }],
  ['12', { from: 20, to: 49 }],
  ['21', { from: 50, to: 99 }],
  ['22', { from: 100, to: 199 }],
  ['31', { from: 200, to: 249 }],
  ['32', { from: 250, to: 499 }],
  ['41', { from: 500, to: 999 }],
  ['42', { from: 1000, to: 1999 }],
  ['51', { from: 2000, to: 4999 }],
  ['52', { from: 5000, to: 9999 }],
  ['53', { from: 10_000 }],
]);

export function readEmployees(code: string | null, year: number | null) {
  return code === null && year === null ? null : { ...RANGES.get(code ?? ''), ...compact({ code, year }) };
}
