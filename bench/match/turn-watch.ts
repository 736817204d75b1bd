/** Measures every turn of the event loop of this thread until stopped. Milliseconds. */
interface TurnWatch {
  stop(): { readonly longestTurn: number; readonly longestTurnElapsed: number };
}

export function startTurnWatch(): TurnWatch {
  let isOpen = true;
  let [longestTurn, longestTurnElapsed] = [0, 0];
  let [last, lastCpu] = [performance.now(), readCpu()];
  // Called once per turn, because an immediate that is set by another runs in the next turn.
  function look(): void {
    if (!isOpen) return;
    const [now, cpu] = [performance.now(), readCpu()];
    longestTurn = Math.max(longestTurn, cpu - lastCpu);
    longestTurnElapsed = Math.max(longestTurnElapsed, now - last);
    [last, lastCpu] = [now, cpu];
    setImmediate(look);
  }
  setImmediate(look);
  return {
    stop() {
      isOpen = false;
      return { longestTurn, longestTurnElapsed };
    },
  };
}

/** The CPU time of this thread: while other processes have the core, it stands still. */
export function readCpu(): number {
  // Linux updates the time of a thread at every tick of its scheduler, some 4 ms, or when the time of the process is read.
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
