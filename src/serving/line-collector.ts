/**
 * The log of a serving thread: whole lines, collected and handed on together. Threads that wrote to the same pipe themselves
 * would tear each other's lines where the pipe is full; one that writes for all cannot. Collected as a lone thread does, for a
 * message a line would cost more than most requests do.
 */
export interface LineCollector {
  write(line: string): void;
  flush(): void;
}

const ENOUGH_CHARACTERS = 4_096;
const LATEST_MS = 1_000;

export function createLineCollector(handOn: (lines: string) => void): LineCollector {
  let collected = '';
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (collected === '') return;
    handOn(collected);
    collected = '';
  }

  return {
    write(line) {
      collected += line;
      if (collected.length >= ENOUGH_CHARACTERS) flush();
      // Not waited for when the thread ends.
      else timer ??= setTimeout(flush, LATEST_MS).unref();
    },
    flush,
  };
}
