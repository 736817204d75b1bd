/**
 * One piece of work at a time, in turns between accounts: an account that has had a turn goes to the end of the line, however much
 * more it wants. An account keeps its place when a call gives up waiting, so a client that calls again gets its turn, and new accounts
 * cannot push it back. `maxWaiting` is how much work of one account may wait.
 */
export function createTurns({ maxWaitMs, maxWaiting }: { readonly maxWaitMs: number; readonly maxWaiting: number }) {
  const line = new Set<string>();
  /** What starts or ends the waiting of each piece of work, by account. No list is empty. */
  const waiting = new Map<string, ((isTurn: boolean) => void)[]>();
  let isTaken = false;
  let isClosed = false;

  function joinLine(account: string): void {
    if (line.size >= MAX_PLACES) for (const each of line) if (!waiting.has(each)) line.delete(each);
    line.add(account);
  }

  /** Resolves with whether it is the account's turn. */
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
    /** Runs the work when it is the account's turn. `busy` if that takes too long, or if too much work of the account is waiting. */
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

/** Accounts that keep a place in the line without waiting in it. */
const MAX_PLACES = 1_000;
