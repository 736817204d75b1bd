import fc from 'fast-check';
import type { PageBounds } from '../../src/journal/feed/page.ts';
import type { JournalChange } from '../harness/journal.ts';

/** Random imports, and what readers of the journal do meanwhile. */

export const COUNTRIES = ['GB', 'NO', 'DE'];
export const REGISTERS = ['gb', 'no', 'gleif'];
export const TYPES = ['added', 'changed', 'delisted', 'relisted'] as const;

const anyOf = <T>(values: readonly T[]) => fc.constantFrom(...values);
export const filter = fc.record({
  country: anyOf([null, null, ...COUNTRIES]),
  register: anyOf([null, null, ...REGISTERS]),
  type: anyOf([null, null, 'loaded', ...TYPES]),
});
export type Filter = typeof filter extends fc.Arbitrary<infer T> ? T : never;

export const newImport = anyOf(REGISTERS).chain((register) =>
  fc
    .record({
      isFirst: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
      isMixed: fc.integer({ min: 0, max: 3 }).map((number) => number === 0),
      drafts: fc.array(fc.record({ type: anyOf(TYPES), country: anyOf(COUNTRIES), other: anyOf(REGISTERS) }), {
        maxLength: 12,
      }),
    })
    .map(({ isFirst, isMixed, drafts }) => ({
      register,
      changes: isFirst
        ? drafts.slice(0, 2).map(({ country }): JournalChange => ({ type: 'loaded', country, register }))
        : drafts.map(({ other, ...draft }): JournalChange => ({ ...draft, register: isMixed ? other : register })),
    })),
);

/** A step of a reader reads one page, and may stop within it. */
export const step = fc.oneof(
  { weight: 4, arbitrary: newImport.map((of) => ({ kind: 'import' as const, of })) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      reader: fc.nat({ max: 3 }),
      limit: fc.integer({ min: 1, max: 7 }),
      /** After how many changes of the page it stops; it continues with the cursor of the last of them. */
      stopAfter: fc.option(fc.nat({ max: 7 }), { nil: undefined, freq: 3 }),
    }),
  },
  // A reader starts again, with the data of an earlier import.
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('snapshot' as const),
      reader: fc.nat({ max: 3 }),
      age: fc.nat({ max: 5 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('prune' as const), keep: fc.integer({ min: 1, max: 4 }) }) },
);
export const bounds: fc.Arbitrary<PageBounds> = fc.record({
  changes: fc.integer({ min: 1, max: 20 }),
  reads: fc.integer({ min: 1, max: 3 }),
  imports: fc.integer({ min: 2, max: 5 }),
});
