import { readdirSync, readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/** Gives way to other processes. On Linux, the running threads of the collector and of compression have a priority of their own each. */
export function lowerPriority(): void {
  for (const thread of listThreads()) {
    try {
      setPriority(thread, constants.priority.PRIORITY_LOW);
    } catch {
      // The thread has ended, or a container does not allow it.
    }
  }
}

/** Gives way in the calling thread and the threads that it starts, if the system has a priority per thread. */
export function lowerThreadPriority(): void {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(thread, constants.priority.PRIORITY_LOW);
  } catch {
    // Other systems have no such file. The thread then keeps its normal priority.
  }
}

function listThreads(): number[] {
  try {
    return readdirSync('/proc/self/task').map(Number);
  } catch {
    // Other systems have one priority for all threads. The id 0 means this process.
    return [0];
  }
}
