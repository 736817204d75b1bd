import { threadId } from 'node:worker_threads';
import { fail } from '../../src/core/errors.ts';
import type { LargeRecordThread } from '../../src/records/record-thread.ts';
import { serveThread } from '../../src/system/thread-worker.ts';

/** A thread that misbehaves as the id says, or answers with its own number. */
void serveThread<LargeRecordThread>({
  async read({ id }) {
    if (id === 'stuck') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    if (id === 'exit') process.exit(3);
    if (id === 'down') throw fail('service_unavailable', { retryAfter: 1 });
    if (id === 'broken') throw new Error(id);
    if (id === 'crash') {
      queueMicrotask(() => {
        throw new Error(id);
      });
      await new Promise(() => {});
    }
    return { version: 'v', content: String(threadId) };
  },
});
