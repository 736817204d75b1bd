import { fail } from '../core/errors.ts';

/** How many files are sent at the same time. */
export interface SlotLimits {
  readonly perAccount: number;
  readonly inTotal: number;
}

/** A file may be read slowly for a long time, so their number is limited, in total and per account. */
export interface Slots {
  /** Takes a slot until it is disposed of. Throws if there is none. */
  take(accountId: string): Disposable;
}

export function createSlots({ perAccount, inTotal }: SlotLimits): Slots {
  const running = new Map<string, number>();
  let total = 0;
  return {
    take(accountId) {
      const own = running.get(accountId) ?? 0;
      if (own >= perAccount) {
        const message = `This account already receives ${perAccount} whole results: wait until one of them has ended.`;
        throw fail('rate_limit_exceeded', { message, retryAfter: RETRY_SECONDS });
      }
      if (total >= inTotal) {
        const message = 'Too many whole results are being sent at the same time: try again when one of them has ended.';
        throw fail('service_unavailable', { message, retryAfter: RETRY_SECONDS });
      }
      running.set(accountId, own + 1);
      total++;
      return {
        [Symbol.dispose]() {
          total--;
          const left = (running.get(accountId) ?? 1) - 1;
          if (left === 0) running.delete(accountId);
          else running.set(accountId, left);
        },
      };
    },
  };
}

const RETRY_SECONDS = 10;
