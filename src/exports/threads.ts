import { openThread, type Thread } from '../base/system/thread.ts';
import type { Moment } from '../registry/records/bulk/bulk.ts';
import type { ExportData, ExportEvents, ExportThread, PartTask } from './export-worker.ts';
import type { WrittenPart } from './part-file.ts';
import type { ExportPart } from './parts.ts';

interface ThreadsOptions extends Omit<ExportData, 'isWriter'> {
  readonly writers: number;
  readonly signal?: AbortSignal | undefined;
  onRows(rows: number): void;
}

interface Writer {
  readonly thread: Thread<ExportThread>;
  /** Resolves when the current task of the thread is done. */
  busy: Promise<void>;
}

/**
 * Opens the threads of an export: one sorts, the others write files. All read the same version of the data. Undefined if an import was published
 * between the snapshots of the threads and `moment`.
 */
export async function openThreads(moment: Moment, options: ThreadsOptions) {
  const { location, format, registers, selection, sets, counts, parts, onRows, signal } = options;
  const { promise: failure, reject: onFailure } = Promise.withResolvers<never>();
  failure.catch(() => {});
  signal?.addEventListener('abort', () => onFailure(signal.reason), { once: true });
  const data = { location, format, registers, selection, sets, counts, parts };
  const on: ExportEvents = { rows: onRows };
  const open = (name: string, isWriter: boolean) =>
    openThread<ExportThread, ExportEvents>(new URL('export-worker.ts', import.meta.url), {
      name,
      data: { ...data, isWriter } satisfies ExportData,
      on,
      onEnd: onFailure,
    });
  const sorter = open('export: sort', false);
  const askNext = () => {
    const next = sorter.call('nextPart');
    next.catch(onFailure);
    return next;
  };
  // The sorter opens its snapshot first: sorting takes longer than the start of the other threads, and may block its thread.
  const moments = [sorter.call('moment')];
  let next = askNext();
  const writers = Array.from({ length: options.writers }, (): Writer => {
    return { thread: open('export: write', true), busy: Promise.resolve() };
  });
  moments.push(...writers.map(({ thread }) => thread.call('moment')));
  const threads = [sorter, ...writers.map(({ thread }) => thread)];
  const close = async () => {
    await Promise.all(threads.map((thread) => thread.close()));
  };
  try {
    const shown = await Promise.race([failure, Promise.all(moments)]);
    if (!shown.every(({ version, numbering }) => version === moment.version && numbering === moment.numbering)) {
      await close();
      return undefined;
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    /** The files to write, in order. The first file is known when all keys are sorted. */
    async *parts(): AsyncGenerator<ExportPart> {
      for (;;) {
        const part = await Promise.race([failure, next]);
        if (part === undefined) return;
        next = askNext();
        yield part;
      }
    },
    /** Waits until a thread is free and starts the task on it. Resolves when the task has started. */
    async start(task: PartTask, onWritten: (part: WrittenPart) => void): Promise<void> {
      const free = Promise.race(writers.map((writer) => writer.busy.then(() => writer)));
      const writer = await Promise.race([failure, free]);
      writer.busy = writer.thread.call('write', task).then(onWritten);
      writer.busy.catch(onFailure);
    },
    /** Waits until all tasks are done, and ends the threads. */
    async finish(): Promise<void> {
      await Promise.race([failure, Promise.all(writers.map(({ busy }) => busy))]);
      await Promise.all(threads.map((thread) => thread.finish()));
    },
    /** Ends the threads at once. */
    close,
  };
}
