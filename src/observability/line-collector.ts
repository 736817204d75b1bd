/**
 * Collects log lines and passes them on in pieces, because a write or a message to another thread per line would cost more than
 * most requests.
 */
export interface LineCollector {
  write(line: string): void;
  flush(): void;
}

const PIECE_CHARACTERS = 32 * 1024;
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
      if (collected.length >= PIECE_CHARACTERS) flush();
      // `unref`: the timer must not keep the thread alive.
      else timer ??= setTimeout(flush, MAX_DELAY_MS).unref();
    },
    flush,
  };
}
