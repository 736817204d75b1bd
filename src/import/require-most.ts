import { formatCount } from '../base/format-count.ts';
import type { PastUpdate } from '../registry/records/imports/store.ts';
import { ImportRefused } from './import-result.ts';

/** A loss that needs no history: it may be most of a small register, so `MAX_SHARE` bounds it. */
const ALWAYS_ALLOWED = 1_000;
/** The share that may be missing until the register has a history. */
const USUAL_SHARE = 0.02;
const MAX_SHARE = 0.2;
/** With fewer updates there is no history. */
const MIN_UPDATES = 3;
/** How much more an update may lose than any before it. */
const TOLERANCE = 2;

const DAY = 86_400_000;
/** Older updates say nothing about the next one. */
export const HISTORY = 365 * DAY;

/**
 * How many of the companies that the store holds may be missing in an update. `updates` are the earlier ones, the first
 * import included, in their order. Losses are compared per day, because an update that comes late loses more.
 */
export function limitLoss(held: number, updates: readonly PastUpdate[], now: number): number {
  const days = (from: number, to: number) => Math.max(1, (to - from) / DAY);
  const losses = updates.map(({ delisted, importedAt }, index) => {
    const previous = updates[index - 1];
    return previous === undefined ? 0 : delisted / days(previous.importedAt, importedAt);
  });
  // Somebody has confirmed a larger loss, but it is no rule.
  const usual = losses.filter((_, index) => index > 0 && limitShare(updates[index] as PastUpdate));
  const last = updates.at(-1);
  const limit =
    last === undefined || usual.length < MIN_UPDATES
      ? held * USUAL_SHARE
      : TOLERANCE * Math.max(...usual) * days(last.importedAt, now);
  return Math.floor(Math.min(Math.max(limit, ALWAYS_ALLOWED), held * MAX_SHARE));
}

function limitShare({ held, delisted }: PastUpdate): boolean {
  return delisted <= held * MAX_SHARE;
}

/** Parties of companies have no history: any share below the maximum may be missing. */
export function limitPartyLoss(held: number): number {
  return Math.floor(held * MAX_SHARE);
}

interface Holdings {
  readonly held: number;
  /** How many of them may be missing. */
  readonly limit: number;
  readonly things: string;
  readonly loss: 'delist' | 'remove';
}

/** A truncated file, or a part of the register, would remove the rest, which must be requested explicitly. */
export function requireMost(found: number, { held, limit, things, loss }: Holdings): void {
  if (held - found <= limit) return;
  throw new ImportRefused(
    `the files lack ${formatCount(held - found)} of the ${things} that the store holds of this register, but at most ` +
      `${formatCount(limit)} may be missing. A full import would ${loss} them, so nothing was changed. Use --partial if ` +
      'the files are a part of the register, or --full if they are complete.',
  );
}
