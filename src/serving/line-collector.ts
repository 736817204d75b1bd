/**
 * Collects the log lines of a serving thread and passes them on in batches. Only the supervising thread writes to the
 * output: several threads writing to one pipe would break up each other's lines when the pipe is full. Lines are batched
 * because one message per line would cost more than most requests.
 */
export interface LineCollector {
  write(line: string): void;
  flush(): void;
}

const MAX_BATCH_CHARACTERS = 4_096;
const MAX_DELAY_MS = 1_000;

export function createLineCollector(passOn: (lines: string) => void): LineCollector {
  let collected = '';
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (collected === '') return;
    passOn(collected);
    collected = '';
  }

  return {
    write(line) {
      collected += line;
      if (collected.length >= MAX_BATCH_CHARACTERS) flush();
      // `unref`: the timer must not keep the thread alive.
      else timer ??= setTimeout(flush, MAX_DELAY_MS).unref();
    },
    flush,
  };
}
