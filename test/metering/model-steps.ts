import fc from 'fast-check';
import { DAY, KEYS, MINUTE } from './model.ts';

/** One step of a random sequence of events. */
export type Step =
  /** Concurrent requests to one meter, in this order. */
  | { do: 'take'; meter: number; requests: { key: number; charged: boolean }[] }
  /** The same request many times, concurrently to all meters. */
  | { do: 'race'; key: number; charged: boolean; count: number }
  | { do: 'refund'; meter: number; which: number[] }
  | { do: 'move'; to: Move }
  | { do: 'plan'; account: number; perMinute: number; perPeriod: number }
  | { do: 'period'; account: number; anchor: number | null; length: number | null };

type Move = { by: number } | { boundary: 'minute' | 'day' | 'month' | 'period'; off: number };

const perMinute = fc.oneof(fc.integer({ min: 0, max: 6 }), fc.constant(1_000));
const perPeriod = fc.oneof(fc.integer({ min: 0, max: 12 }), fc.constant(1_000));
const key = fc.nat({ max: KEYS.length - 1 });
const account = fc.nat({ max: 1 });
const meter = fc.nat({ max: 1 });

const mostlyCharged = fc.nat({ max: 4 }).map((chance) => chance > 0);

const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ by: fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 3 * MINUTE })) }),
  fc.record({ by: fc.oneof(fc.integer({ min: 0, max: 3 * DAY }), fc.integer({ min: 0, max: 100 * DAY })) }),
  // The clock of another machine, and a clock that was set.
  fc.record({ by: fc.oneof(fc.integer({ min: -4 * MINUTE, max: 0 }), fc.integer({ min: -40 * DAY, max: 0 })) }),
  fc.record({
    boundary: fc.constantFrom('minute', 'day', 'month', 'period'),
    off: fc.constantFrom(-1_000, -1, 0, 1),
  }),
);

const take = fc.record({
  do: fc.constant('take' as const),
  meter,
  requests: fc.array(fc.record({ key, charged: mostlyCharged }), { minLength: 1, maxLength: 9 }),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: take },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('race' as const),
      key,
      charged: mostlyCharged,
      count: fc.integer({ min: 2, max: 12 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      meter,
      which: fc.array(fc.nat({ max: 1_000 }), { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('move' as const), to: move }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('plan' as const), account, perMinute, perPeriod }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('period' as const),
      account,
      // Relative to now, so that the clock is before, in and after the period.
      anchor: fc.option(fc.oneof(fc.constant(0), fc.integer({ min: -90 * DAY, max: 10 * DAY }))),
      length: fc.option(fc.oneof(fc.constant(31 * DAY), fc.integer({ min: -DAY, max: 60 * DAY }))),
    }),
  },
);

const START = fc.oneof(
  fc
    .constantFrom(
      '2026-03-31T23:59:59.500Z',
      '2027-12-31T23:59:58.999Z',
      '2028-02-28T23:59:30.000Z',
      '2028-02-29T23:59:59.999Z',
      '2026-01-31T10:00:00.000Z',
      '2026-03-15T12:00:59.999Z',
      '2100-02-28T23:59:59.000Z',
    )
    .map((text) => Date.parse(text)),
  fc.integer({ min: Date.parse('2024-01-01'), max: Date.parse('2033-01-01') }),
);

/** A start time, the limits of two accounts, and the steps. */
export const sequences = fc.record({
  start: START,
  terms: fc.tuple(perMinute, perPeriod, perMinute, perPeriod),
  steps: fc.array(step, { minLength: 1, maxLength: 24, size: 'max' }),
});
