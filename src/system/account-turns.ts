import { type Failure, fail } from '../core/errors.ts';
import { beginWait, type Deadline, endWait } from './deadline.ts';

export interface TurnLimits {
  readonly perAccount: number;
  /** How many run at the same time. */
  readonly inTotal: number;
}

/** Limits for searches with a number of connections: a quarter per account, and 70 % for all. The others are left to lookups. */
export function chooseTurnLimits(connections: number): TurnLimits {
  return { perAccount: Math.max(1, Math.floor(connections / 4)), inTotal: Math.max(1, Math.floor(connections * 0.7)) };
}

/**
 * Divides what is scarce, such as connections to a database, among accounts. A search may keep a connection until its deadline, so without a
 * bound one account could keep all of them. Work beyond the bound waits for its turn, at most until its deadline. `noun` is what an account
 * has too many of.
 */
export function createAccountTurns({ perAccount, inTotal }: TurnLimits, noun = 'searches') {
  const running = new Map<string, number>();
  /** The work that waits, in order of arrival. */
  const waiting = new Set<{ readonly account: string; start(): void }>();
  let total = 0;

  const mayStart = (account: string) => total < inTotal && (running.get(account) ?? 0) < perAccount;

  function begin(account: string): void {
    total++;
    running.set(account, (running.get(account) ?? 0) + 1);
  }

  function end(account: string): void {
    total--;
    const left = (running.get(account) ?? 1) - 1;
    if (left === 0) running.delete(account);
    else running.set(account, left);
    for (const next of waiting) {
      if (total >= inTotal) return;
      if (mayStart(next.account)) next.start();
    }
  }

  function waitForTurn(account: string, deadline: Deadline): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = beginWait(deadline, () => {
        waiting.delete(turn);
        reject(tooMany(noun));
      });
      const turn = {
        account,
        start() {
          waiting.delete(turn);
          endWait(timer);
          begin(account);
          resolve();
        },
      };
      waiting.add(turn);
    });
  }

  return {
    async run<T>(account: string, deadline: Deadline, work: () => Promise<T>): Promise<T> {
      if (mayStart(account)) begin(account);
      else await waitForTurn(account, deadline);
      try {
        return await work();
      } finally {
        end(account);
      }
    },
  };
}

function tooMany(noun: string): Failure {
  return fail('service_unavailable', {
    message: `Too many ${noun} are running at the same time: wait for the answer to one before you send the next.`,
    retryAfter: 1,
  });
}
