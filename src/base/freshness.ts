/** Data is due one publishing period after the day it describes, and overdue after two periods: publishers are often late. */
export type Freshness = 'fresh' | 'due' | 'overdue';

export type Rhythm = 'daily' | 'weekly' | 'twice a month' | 'monthly' | 'quarterly' | 'unknown';

const DAY = 86_400_000;

const PERIODS: Readonly<Record<Rhythm, number | null>> = {
  daily: DAY,
  weekly: 7 * DAY,
  'twice a month': 16 * DAY,
  monthly: 31 * DAY,
  quarterly: 92 * DAY,
  unknown: null,
};

export function periodOf(rhythm: Rhythm): number | null {
  return PERIODS[rhythm];
}

interface Age {
  readonly asOf: string | null;
  readonly importedAt: number | null;
}

/** Null if there is no data or the rhythm is unknown. Data whose day is unknown is dated by its import. */
export function judgeFreshness(rhythm: Rhythm, { asOf, importedAt }: Age, now: number): Freshness | null {
  const period = PERIODS[rhythm];
  if (period === null || importedAt === null) return null;
  // Data of a day is complete at the end of that day.
  const start = asOf === null ? importedAt : Date.parse(asOf) + DAY;
  const periods = (now - start) / period;
  return periods <= 1 ? 'fresh' : periods <= 2 ? 'due' : 'overdue';
}

export interface DatedData extends Age {
  readonly rhythm: Rhythm;
}

/** Data of several publishers is as current as its least current part: the result is the worst state and the oldest day. */
export function judgeTogether(parts: readonly DatedData[], now: number) {
  const states = parts.map((part) => judgeFreshness(part.rhythm, part, now));
  const days = parts.flatMap(({ asOf }) => asOf ?? []);
  return { freshness: WORST_FIRST.find((state) => states.includes(state)) ?? null, asOf: days.toSorted()[0] ?? null };
}

const WORST_FIRST: readonly Freshness[] = ['overdue', 'due', 'fresh'];
