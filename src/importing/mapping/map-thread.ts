import type { SetModes } from '../../core/party-modes.ts';
import { FormatError } from '../../formats/rows.ts';
import type { ImportedPart } from '../../records/origins.ts';
import type { SuppressedParty } from '../../records/withholding.ts';
import { openThread } from '../../system/thread.ts';
import type { JobPlan } from '../jobs.ts';
import type { OnBytes } from '../reading/part.ts';
import type { CodeTables, MappedBatch, Share } from './map-part.ts';
import { type PackedRecords, unpackRecords } from './packed-records.ts';
import type { ProblemSink } from './problems.ts';

/** What a mapping thread gets. Only plain data can cross threads. */
export interface Task {
  /** Id of the register: its functions cannot be sent. */
  readonly register: string;
  readonly job: JobPlan;
  readonly parts: readonly ImportedPart[];
  readonly codeTables: CodeTables;
  /** What must not be stored. */
  readonly modes: SetModes;
  readonly suppressed: readonly SuppressedParty[];
  readonly share: Share;
}

/** A call of a method of `ProblemSink`, to be repeated in the thread that counts problems. */
export type Note = { [M in keyof ProblemSink]: [M, ...Parameters<ProblemSink[M]>] }[keyof ProblemSink];

export interface SentBatch {
  readonly batch: Omit<MappedBatch, 'prepared'>;
  readonly packed: PackedRecords;
  readonly notes: readonly Note[];
  /** Bytes read so far. */
  readonly bytes: number;
}

/** What `map-thread-worker.ts` does. */
export interface MapThread {
  /** Returns the notes made after the last batch. */
  map(task: Task): AsyncGenerator<SentBatch, readonly Note[]>;
}

/**
 * Yields the same batches in the same order as `mapJob`, mapped by threads while this one writes. Each thread reads the
 * complete file, which is cheap, and maps its share of the rows, which is not. Batches are taken from the threads in
 * turn.
 */
export async function* mapJobInThreads(
  task: Omit<Task, 'share'>,
  count: number,
  problems: ProblemSink,
  onBytes: OnBytes,
): AsyncGenerator<MappedBatch> {
  await using threads = new AsyncDisposableStack();
  const streams = Array.from({ length: count }, (_, index) => {
    const thread = threads.use(openThread<MapThread>(SCRIPT, { name: 'map' }));
    return thread.stream('map', { ...task, share: { index, of: count } });
  });
  const nexts = streams.map(askNext);
  for (let turn = 0; ; turn = (turn + 1) % count) {
    const { value, done } = await (nexts[turn] as Promise<Next>);
    for (const [method, ...values] of done ? value : value.notes) Reflect.apply(problems[method], problems, values);
    // Shares are dealt in turn, so when the thread whose turn it is has no batch left, no thread has.
    if (done) return;
    onBytes(value.bytes);
    yield { ...value.batch, prepared: unpackRecords(value.packed) };
    // Now, and not at its next turn: it says that the batch is written, so that the thread can send another one.
    nexts[turn] = askNext(streams[turn] as Stream);
  }
}

const SCRIPT = new URL('map-thread-worker.ts', import.meta.url);

type Stream = ReturnType<MapThread['map']>;
type Next = Awaited<ReturnType<Stream['next']>>;

function askNext(stream: Stream): Promise<Next> {
  const next = stream.next().catch((error: Error) => {
    throw error.name === 'FormatError' ? new FormatError(error.message) : error;
  });
  // It may fail before its turn.
  next.catch(() => undefined);
  return next;
}
