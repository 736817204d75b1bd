import { formatCount } from '../core/format-count.ts';
import { ImportRefused } from './import-result.ts';

/** The share of what the store holds that the files must have, unless the command says that they are complete. */
const MIN_SHARE = 0.8;

/** A truncated file, or a part of the register, would remove the rest, which must be requested explicitly. */
export function requireMost(
  found: number,
  { held, things, loss }: { readonly held: number; readonly things: string; readonly loss: 'delist' | 'remove' },
): void {
  if (found >= held * MIN_SHARE) return;
  throw new ImportRefused(
    `the files lack ${formatCount(held - found)} of the ${things} that the store holds of this register. A full import ` +
      `would ${loss} them, so nothing was changed. Use --partial if the files are a part of the register, or --full if ` +
      'they are complete.',
  );
}
