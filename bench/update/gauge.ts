/** Watches this process: the longest turn of its event loop and its peak memory, until stopped. */
export interface Gauge {
  /** Runs work of the benchmark itself, which does not count as a turn. */
  skip<T>(work: () => T): T;
  stop(): Gauged;
}

export interface Gauged {
  /** Milliseconds. */
  readonly longestTurn: number;
  /** The same in CPU time, which does not include the time in which other processes have the core. */
  readonly longestTurnCpu: number;
  /** Resident memory, which includes shared memory: at the start, and at its peak. */
  readonly bytesBefore: number;
  readonly bytesPeak: number;
}

/** The pause between two looks. Turns are measured without it. */
const PAUSE_MS = 1;

export function startGauge(): Gauge {
  const bytesBefore = process.memoryUsage.rss();
  let bytesPeak = bytesBefore;
  let [longestTurn, longestTurnCpu] = [0, 0];
  let [last, lastCpu] = [performance.now(), readCpu()];
  function look(): void {
    const [now, cpu] = [performance.now(), readCpu()];
    longestTurn = Math.max(longestTurn, now - last - PAUSE_MS);
    longestTurnCpu = Math.max(longestTurnCpu, cpu - lastCpu);
    bytesPeak = Math.max(bytesPeak, process.memoryUsage.rss());
    [last, lastCpu] = [performance.now(), readCpu()];
  }
  const timer = setInterval(look, PAUSE_MS);
  return {
    skip(work) {
      look();
      const result = work();
      [last, lastCpu] = [performance.now(), readCpu()];
      return result;
    },
    stop() {
      look();
      clearInterval(timer);
      return { longestTurn, longestTurnCpu, bytesBefore, bytesPeak };
    },
  };
}

function readCpu(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
