import type { Moment, Selection } from '../records/bulk/bulk.ts';
import type { WrittenPart } from './part-file.ts';
import type { PartData, PartTask } from './part-worker.ts';
import type { Part, PartOptions } from './parts.ts';
import type { SortData } from './sort-worker.ts';
import { startThread, type Thread } from './thread.ts';

/** The threads of an export: one sorts, the others write files. All read the same version of the data. */
export interface ExportThreads {
  /** The files to write, in order. The first one comes when all keys are sorted. */
  parts(): AsyncGenerator<Part>;
  /** Waits until a thread is free and starts the task on it. The result is of the task, not of the wait. */
  start(task: PartTask, onWritten: (part: WrittenPart) => void): Promise<void>;
  /** Waits until all tasks are done, and ends the threads. */
  finish(): Promise<void>;
  /** Ends the threads at once. */
  close(): Promise<void>;
}

export interface ThreadsOptions extends PartData {
  readonly selection: Selection;
  readonly parts: PartOptions;
  readonly writers: number;
  readonly signal?: AbortSignal | undefined;
  onRows(rows: number): void;
}

interface Writer {
  readonly thread: Thread<PartTask, WrittenPart>;
  /** Resolves when the current task of the thread is done. */
  busy: Promise<void>;
}

/** Returns undefined if an import was published between the snapshots of the threads and `moment`. */
export async function openThreads(moment: Moment, options: ThreadsOptions): Promise<ExportThreads | undefined> {
  const { location, format, registers, selection, parts, onRows, signal } = options;
  const { promise: failure, reject: onFailure } = Promise.withResolvers<never>();
  failure.catch(() => {});
  signal?.addEventListener('abort', () => onFailure(signal.reason), { once: true });
  const sortData: SortData = { location, selection, parts };
  const sorter = startThread<'next', Part | undefined>('sort-worker.ts', sortData, { onFailure });
  // Sorting takes longer than the start of the other threads.
  let next = sorter.run('next');
  const writers = Array.from({ length: options.writers }, (): Writer => {
    const data: PartData = { location, format, registers };
    return { thread: startThread('part-worker.ts', data, { onRows, onFailure }), busy: Promise.resolve() };
  });
  const threads = [sorter, ...writers.map(({ thread }) => thread)];
  const close = async () => {
    await Promise.all(threads.map((thread) => thread.terminate()));
  };
  try {
    const moments = await Promise.race([failure, Promise.all(threads.map((thread) => thread.moment))]);
    if (!moments.every(({ version, numbering }) => version === moment.version && numbering === moment.numbering)) {
      await close();
      return undefined;
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    async *parts() {
      for (;;) {
        const part = await Promise.race([failure, next]);
        if (part === undefined) return;
        next = sorter.run('next');
        yield part;
      }
    },
    async start(task, onWritten) {
      const free = Promise.race(writers.map((writer) => writer.busy.then(() => writer)));
      const writer = await Promise.race([failure, free]);
      writer.busy = writer.thread.run(task).then(onWritten);
      writer.busy.catch(onFailure);
    },
    async finish() {
      await Promise.race([failure, Promise.all(writers.map(({ busy }) => busy))]);
      await Promise.all(threads.map((thread) => thread.end()));
    },
    close,
  };
}
