import type { SetModes } from '../../core/party-modes.ts';
import { FormatError } from '../../formats/rows.ts';
import type { ImportedPart } from '../../records/origins.ts';
import type { SuppressedParty } from '../../records/withholding.ts';
import { openThread } from '../../system/thread.ts';
import type { JobPlan } from '../jobs.ts';
import type { OnBytes } from '../reading/part.ts';
import type { CodeTables, MappedBatch, Share } from './map-part.ts';
import { type Note, repeatNotes } from './notes.ts';
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

export interface SentBatch extends Sent {
  readonly batch: Omit<MappedBatch, 'prepared'>;
  readonly packed: PackedRecords;
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
  for await (const { batch, packed } of takeTurns(streams, problems, onBytes))
    yield { ...batch, prepared: unpackRecords(packed) };
}

const SCRIPT = new URL('map-thread-worker.ts', import.meta.url);

/** What threads send with their batches. */
interface Sent {
  readonly notes: readonly Note[];
  /** Bytes read so far. */
  readonly bytes: number;
}

/** Yields what threads with shares of the same rows send, in the order of the rows. */
export async function* takeTurns<T extends Sent>(
  streams: readonly AsyncGenerator<T, readonly Note[]>[],
  problems: ProblemSink,
  onBytes: OnBytes,
): AsyncGenerator<T> {
  const nexts = streams.map(askNext);
  for (let turn = 0; ; turn = (turn + 1) % streams.length) {
    const { value, done } = await (nexts[turn] as ReturnType<typeof askNext<T>>);
    repeatNotes(done ? value : value.notes, problems);
    // Shares are dealt in turn, so when the thread whose turn it is has no batch left, no thread has.
    if (done) return;
    onBytes(value.bytes);
    yield value;
    // Now, and not at its next turn: it says that the batch is written, so that the thread can send another one.
    nexts[turn] = askNext(streams[turn] as AsyncGenerator<T, readonly Note[]>);
  }
}

function askNext<T>(stream: AsyncGenerator<T, readonly Note[]>): Promise<IteratorResult<T, readonly Note[]>> {
  const next = stream.next().catch((error: Error) => {
    throw error.name === 'FormatError' ? new FormatError(error.message) : error;
  });
  // It may fail before its turn.
  next.catch(() => undefined);
  return next;
}
