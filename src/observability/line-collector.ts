/**
 * Collects log lines and passes them on in pieces, because a write or a message to another thread per line would cost more than
 * most requests. Lines are encoded as they arrive: encoding a long text of thousands of parts takes twice as long.
 */
interface LineCollector {
  write(line: string): void;
  flush(): void;
}

const PIECE_BYTES = 64 * 1024;
/** UTF-8 takes at most this much for a UTF-16 unit. */
const MAX_BYTES_PER_UNIT = 3;
const MAX_DELAY_MS = 1_000;

export function createLineCollector(passOn: (lines: Buffer) => void): LineCollector {
  let piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  let length = 0;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (length === 0) return;
    const lines = piece.subarray(0, length);
    piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
    length = 0;
    passOn(lines);
  }

  return {
    write(line) {
      const most = line.length * MAX_BYTES_PER_UNIT;
      if (length + most > PIECE_BYTES) flush();
      if (most > PIECE_BYTES) {
        passOn(Buffer.from(line));
        return;
      }
      length += piece.write(line, length);
      // `unref`: the timer must not keep the thread alive.
      timer ??= setTimeout(flush, MAX_DELAY_MS).unref();
    },
    flush,
  };
}
