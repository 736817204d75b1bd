import { randomBytes } from 'node:crypto';
import type { EntityParts } from '../../src/records/entity.ts';
import { makeSummary } from '../harness/summaries.ts';

/** A writer that got so many rows at once ends the row group, because as many again would not fit. */
export const FIRST_GROUP = 25_001;
const ROWS = FIRST_GROUP + 1_500;
/** Longer than the buffers of the writers, and not compressible. */
const LONG_BYTES = 900_000;

/**
 * Records for every branch of the writers: two row groups, the second without numbers, texts of several pages, values that repeat and values that
 * do not, every type, values that do not fit their columns, more heads of registries than are kept, and provenances that differ in their rows.
 */
export function inventRecords(): EntityParts[] {
  return Array.from({ length: ROWS }, (_, row) => invent(row));
}

const HEADS = { from: 10_000, to: 15_000 };

function invent(row: number): EntityParts {
  const head = `{"activities":[{"code":"${row}"}]`;
  const hasHead = row >= HEADS.from && row < HEADS.to;
  return {
    summary: makeSummary({
      id: `00000000-0000-5000-9000-0000${String(row).padStart(8, '0')}`,
      register: 'gb',
      registrationNumber: row % 7 === 0 || row >= FIRST_GROUP ? null : row === 1 ? '9'.repeat(300) : String(row),
      canonicalName:
        row === 2 ? `ÄÖ ${'x'.repeat(60)}` : row % 10_000 === 6 ? '𠮷野' : row % 3 === 0 ? 'SAME LTD' : `${row} LTD`,
    }),
    registry: hasHead
      ? `${head}${row % 2 === 0 ? ',"national":1' : ''}}`
      : JSON.stringify(row < 40 ? REGISTRIES[row % REGISTRIES.length] : {}),
    headLength: hasHead ? head.length : 0,
    sourceData: JSON.stringify({ text: row < 5 ? randomBytes(LONG_BYTES).toString('base64') : `text ${row}` }),
    registrations: row === 3 ? '[{"number":""},{"number":"A 1","numberValid":true}]' : '[]',
    related: row === 4 ? '[{"id":"x","relation":"lei"}]' : '[]',
    provenance: JSON.stringify(row === 5 ? null : row < HEADS.to ? describeTimes(row) : describeRows(row)),
  };
}

function describeTimes(row: number): object {
  return { register: 'gb', row, synthetic: row % 3 === 0, importedAt: TIMES[row % TIMES.length] };
}

/** Most are of one row; some have another range. */
function describeRows(row: number): object {
  const first = row % 1_000 === 1 ? row - 1 : row;
  const last = row % 1_000 === 2 ? row + 1 : row;
  return { register: 'gb', row, importedAt: TIMES[0], files: [{ file: 'a.csv', rows: [{ first, last }] }] };
}

/** More than are kept, and texts that are not times. */
const TIMES = [
  ...Array.from({ length: 1_500 }, (_, at) => new Date(Date.UTC(2026, 0, 1, 0, 0, at)).toISOString()),
  ...['yesterday', '2026-01-01', '2026-13-01T00:00:00.000Z', 7],
];

const DAYS = [
  '2024-02-29',
  '2023-02-29',
  '1900-02-29',
  '2000-02-29',
  '2023-04-31',
  '2023-13-01',
  '2023-01-00',
  '0001-01-01',
  'May 2023',
  7,
];

const REGISTRIES: readonly Readonly<Record<string, unknown>>[] = [
  ...DAYS.map((foundedAt) => ({ foundedAt })),
  {
    activities: [],
    previousNames: [{ name: 'Old', until: '2000-01-01' }, { name: 'Older' }],
    otherNames: 'not a list',
  },
  { activities: [{ code: '1', label: '', main: true }, null, { code: 2, main: 'yes' }], national: { any: [1] } },
  {
    address: 'not an object',
    employees: { count: 1.5, from: 1, to: null },
    capital: { amount: 1.25, currency: 'EUR' },
  },
  {
    address: { text: 'A', unknown: 'part' },
    capital: { amount: '1' },
    contacts: { websites: ['https://a.example'], emails: [] },
  },
  { address: ['a list'], previousNames: null, contacts: null },
];
