import { readFileSync } from 'node:fs';
import { fail } from '../../src/base/errors.ts';
import { createEmitter, deliver, readThreadData, serveThread } from '../../src/base/system/thread.ts';

/** What the thread of thread.test.ts does. */
export interface Echo {
  echo(value: unknown): unknown;
  data(): unknown;
  fail(kind: 'error' | 'failure' | 'system'): void;
  crash(): void;
  exit(code: number): void;
  /** Blocks the thread. */
  block(): void;
  wait(): void;
  release(): void;
  /** Fills the memory of the thread. */
  fill(): void;
  bytes(length: number): Uint8Array;
  /** The length that a buffer of the thread has after it was moved. */
  movedLength(): number;
  sum(array: Int32Array): number;
  say(text: string): void;
  count(to: number, weight?: number): AsyncGenerator<number, string>;
  /** How many numbers `count` has made, and how many of its streams have ended. */
  progress(): { readonly made: number; readonly ended: number };
  failAfter(items: number): AsyncGenerator<number>;
}

export interface EchoEvents {
  said(text: string): void;
}

const emit = createEmitter<EchoEvents>();
const waiting = Promise.withResolvers<void>();
let moved: ArrayBuffer | undefined;
let made = 0;
let ended = 0;

await serveThread<Echo>({
  echo: (value) => value,
  data: () => readThreadData(),
  fail(kind) {
    if (kind === 'system') readFileSync('/does/not/exist');
    const cause = new TypeError('the reason');
    throw kind === 'error'
      ? new RangeError('on purpose', { cause })
      : fail('service_unavailable', { retryAfter: 7, cause });
  },
  crash() {
    setImmediate(() => {
      throw new Error('crashed on purpose');
    });
    return new Promise(() => {});
  },
  exit: (code) => process.exit(code),
  block() {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
  wait: () => waiting.promise,
  release: () => waiting.resolve(),
  fill() {
    const held: unknown[] = [];
    for (;;) held.push(new Array(100_000).fill(0.5));
  },
  bytes(length) {
    const bytes = new Uint8Array(length).fill(7);
    moved = bytes.buffer;
    return deliver(bytes, [bytes.buffer]);
  },
  movedLength: () => moved?.byteLength ?? -1,
  sum: (array) => array.reduce((sum, value) => sum + value, 0),
  say: (text) => emit('said', text),
  async *count(to, weight = 1) {
    try {
      for (let number = 1; number <= to; number++) {
        made = number;
        yield deliver(number, [], weight);
      }
      return 'done';
    } finally {
      ended++;
    }
  },
  progress: () => ({ made, ended }),
  async *failAfter(items) {
    for (let number = 1; number <= items; number++) yield number;
    throw new Error('no more');
  },
});
emit('said', 'finished');
