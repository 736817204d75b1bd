import { type Failure, fail } from '../errors.ts';
import { beginWait, type Deadline, endWait } from './deadline.ts';

/**
 * One piece of work at a time, in turns between accounts: an account that has had a turn goes to the end of the line, even if more of its work waits.
 * An account keeps its place when a call gives up waiting, so a client that calls again gets its turn, and new accounts cannot push it back.
 * `maxWaiting` is how much work of one account may wait.
 */
export function createTurns({ maxWaitMs, maxWaiting }: { readonly maxWaitMs: number; readonly maxWaiting: number }) {
  const line = new Set<string>();
  /** For each account, functions that start a waiting piece of work or end its wait. No list is empty. */
  const waiting = new Map<string, ((isTurn: boolean) => void)[]>();
  let isTaken = false;
  let isClosed = false;

  function joinLine(account: string): void {
    if (line.size >= MAX_PLACES) for (const each of line) if (!waiting.has(each)) line.delete(each);
    line.add(account);
  }

  /** Resolves to true when it is the account's turn, and to false if the wait was ended. */
  function waitForTurn(account: string): Promise<boolean> {
    return new Promise((resolve) => {
      const calls = waiting.get(account) ?? [];
      const end = (isTurn: boolean) => {
        clearTimeout(timer);
        calls.splice(calls.indexOf(end), 1);
        if (calls.length === 0) waiting.delete(account);
        resolve(isTurn);
      };
      const timer = setTimeout(() => end(false), maxWaitMs);
      calls.push(end);
      waiting.set(account, calls);
    });
  }

  function pass(): void {
    const next = line.values().find((account) => waiting.has(account));
    if (next !== undefined) {
      waiting.get(next)?.[0]?.(true);
      return;
    }
    isTaken = false;
    line.clear();
  }

  return {
    /** Runs the work when it is the account's turn. Returns `busy` if the wait is too long, or if too much work of the account is waiting. */
    async take<T>(account: string, work: () => Promise<T>): Promise<T | 'busy'> {
      if (isClosed || (waiting.get(account)?.length ?? 0) >= maxWaiting) return 'busy';
      joinLine(account);
      if (isTaken && !(await waitForTurn(account))) return 'busy';
      isTaken = true;
      try {
        return await work();
      } finally {
        line.delete(account);
        joinLine(account);
        pass();
      }
    },
    /** Answers all waiting calls with `busy`, and starts no more work. */
    close(): void {
      isClosed = true;
      for (const end of [...waiting.values()].flat()) end(false);
    },
  };
}

/** The maximum number of accounts that keep a place in the line without waiting. */
const MAX_PLACES = 1_000;

export interface TurnLimits {
  readonly perAccount: number;
  readonly inTotal: number;
}

/** Limits for searches with a number of connections: a quarter per account, and 70 % for all. The remaining connections are for lookups. */
export function chooseTurnLimits(connections: number): TurnLimits {
  return { perAccount: Math.max(1, Math.floor(connections / 4)), inTotal: Math.max(1, Math.floor(connections * 0.7)) };
}

/**
 * Divides a scarce resource, such as connections to a database, among accounts. A search may keep a connection until its deadline, so without a bound
 * one account could keep all connections. Work beyond the bound waits for its turn, at most until its deadline. `noun` names the work in the error.
 */
export function createAccountTurns({ perAccount, inTotal }: TurnLimits, noun = 'searches') {
  const running = new Map<string, number>();
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

/** Returns a function that runs work when all earlier work has ended or failed. */
export function createWorkQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}
