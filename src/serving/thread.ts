import type { Socket } from 'node:net';
import { type Transferable, Worker } from 'node:worker_threads';
import type { Answer, Asked, FromThread, HandedOver, Parameters, Question, ThreadTask } from './messages.ts';

/** A serving thread, seen from the supervisor. */
export interface Thread {
  readonly number: number;
  readonly startedAt: number;
  /** Rejects when the thread ends before it has answered. */
  ask<Q extends Question>(question: Q, ...parameters: Parameters<Q>): Promise<Answer<Q>>;
  /** It is this thread's from now on. */
  handOver(socket: Socket): void;
  end(): Promise<void>;
}

export interface ThreadEvents {
  readonly onLog: (lines: string) => void;
  /** Told once, with what ended it. */
  readonly onEnd: (thread: Thread, error: Error) => void;
}

/**
 * A thread that takes more than this has run wild, and is ended before it starves the others. The index and kept results
 * are not on its heap.
 */
const MOST_HEAP_MEGABYTES = 1_024;

export function startThread(task: ThreadTask, { onLog, onEnd }: ThreadEvents): Thread {
  const worker = new Worker(new URL('serving-worker.ts', import.meta.url), {
    workerData: task,
    name: `serving ${task.number}`,
    resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MEGABYTES },
  });
  const pending = new Map<number, PromiseWithResolvers<unknown>>();
  let asked = 0;
  let error: Error | undefined;
  let ended: Error | undefined;

  worker.on('message', (message: FromThread) => {
    if (message.type === 'log') return onLog(message.lines);
    pending.get(message.id)?.resolve(message.answer);
    pending.delete(message.id);
  });
  worker.on('error', (cause) => {
    error = cause instanceof Error ? cause : new Error(String(cause));
  });
  worker.on('exit', (code) => {
    ended = error ?? new Error(`the thread ended by itself, with code ${code}`);
    for (const { reject } of pending.values()) reject(ended);
    pending.clear();
    onEnd(thread, ended);
  });

  const thread: Thread = {
    number: task.number,
    startedAt: performance.now(),
    async ask<Q extends Question>(question: Q, ...parameters: Parameters<Q>) {
      if (ended !== undefined) throw ended;
      const id = ++asked;
      const answer = Promise.withResolvers<unknown>();
      pending.set(id, answer);
      worker.postMessage({ id, question, parameters } satisfies Asked);
      return answer.promise as Promise<Answer<Q>>;
    },
    handOver: (socket) => worker.postMessage({ socket } satisfies HandedOver, [socket as unknown as Transferable]),
    async end() {
      await worker.terminate();
    },
  };
  return thread;
}
