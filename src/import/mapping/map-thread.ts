import { DIGEST_LENGTH } from '../../base/ids.ts';
import type { SetModes } from '../../base/party-modes.ts';
import { openThread, type Thread } from '../../base/system/thread.ts';
import { FormatError } from '../../formats/rows.ts';
import type { ImportedPart } from '../../registry/records/imports/store.ts';
import type { SuppressedParty } from '../../registry/records/withholding.ts';
import { countThreads, describeJob, type Job, type JobPlan, mapJob } from '../jobs.ts';
import type { CodeTables, MappedBatch, MapTools, Share } from './map-rows.ts';
import type { PreparedRow } from './prepare.ts';
import type { ProblemSink } from './problems.ts';

/** What a mapping thread gets. Only plain data can cross threads. */
export interface Task {
  /** Id of the register: its functions cannot be sent. */
  readonly register: string;
  readonly job: JobPlan;
  readonly parts: readonly ImportedPart[];
  readonly codeTables: CodeTables;
  /** Which parties may be stored. */
  readonly modes: SetModes;
  readonly suppressed: readonly SuppressedParty[];
  readonly share: Share;
}

export interface SentBatch {
  readonly batch: Omit<MappedBatch, 'prepared'>;
  readonly packed: Packed;
  readonly notes: readonly Note[];
  readonly bytes: number;
}

/** What `map-thread-worker.ts` does. */
export interface MapThread {
  /** Returns the notes made after the last batch. */
  map(task: Task): AsyncGenerator<SentBatch, readonly Note[]>;
}

interface Mapping {
  /** Large files that are not workbooks are mapped in threads, other files in this thread. Both ways give the same batches. */
  readonly inThreads: boolean;
  readonly codeTables: CodeTables;
  readonly suppressed: readonly SuppressedParty[];
}

export type Mapper = ReturnType<typeof createMapper>;

/** Maps the jobs of an import, one after the other. */
export function createMapper(tools: MapTools, { inThreads, codeTables, suppressed }: Mapping) {
  const threads: Thread<MapThread>[] = [];
  const { parts, modes } = tools;
  return {
    map(job: Job): AsyncGenerator<MappedBatch> {
      const plan = inThreads ? describeJob(job) : undefined;
      if (plan === undefined) return mapJob(job, tools);
      const count = countThreads(job, modes);
      while (threads.length < count) threads.push(openMapThread());
      const task = { register: tools.register.id, job: plan, parts, codeTables, modes, suppressed };
      return mapInThreads(threads.slice(0, count), task, tools);
    },
    async [Symbol.asyncDispose]() {
      for (const thread of threads) await thread.close();
    },
  };
}

function openMapThread(): Thread<MapThread> {
  return openThread<MapThread>(new URL('map-thread-worker.ts', import.meta.url), { name: 'map' });
}

/**
 * Yields the same batches in the same order as mapping in this thread, which writes meanwhile. Each thread reads the complete file, which is
 * cheap, and maps its share of the rows, which is expensive. Batches are taken from the threads in turn.
 */
async function* mapInThreads(
  threads: readonly Thread<MapThread>[],
  task: Omit<Task, 'share'>,
  { problems, onBytes }: Pick<MapTools, 'problems' | 'onBytes'>,
): AsyncGenerator<MappedBatch> {
  const streams = threads.map((thread, index) =>
    thread.stream('map', { ...task, share: { index, of: threads.length } }),
  );
  const nexts = streams.map(askNext);
  for (let turn = 0; ; turn = (turn + 1) % streams.length) {
    const { value, done } = await (nexts[turn] as ReturnType<typeof askNext>);
    repeatNotes(done ? value : value.notes, problems);
    // Shares are dealt in turn, so when the thread whose turn it is has no batch left, no thread has.
    if (done) return;
    onBytes(value.bytes);
    yield { ...value.batch, prepared: unpack(value.packed) };
    // Called now, and not at the next turn: the call means that the batch is written, so that the thread can send another batch.
    nexts[turn] = askNext(streams[turn] as (typeof streams)[0]);
  }
}

function askNext(stream: AsyncGenerator<SentBatch, readonly Note[]>) {
  const next = stream.next().catch((error: Error) => {
    throw error.name === 'FormatError' ? new FormatError(error.message) : error;
  });
  // The promise may be rejected before its turn.
  next.catch(() => undefined);
  return next;
}

/** Rows as a thread sends them: few objects and texts, because each object and text in a message costs time. */
interface Packed {
  /** The id and the hash of each row. */
  readonly keys: readonly string[];
  /** The content of each row: text that is joined with another one would be copied. */
  readonly texts: readonly string[];
  readonly places: readonly number[];
  readonly origins: readonly PreparedRow['origins'][];
  readonly links: readonly PreparedRow['link'][];
}

export function pack(rows: readonly PreparedRow[]): Packed {
  return {
    keys: rows.map(({ id, contentHash }) => id + contentHash),
    texts: rows.map(({ content }) => content),
    places: rows.map(({ place }) => place),
    origins: rows.map(({ origins }) => origins),
    links: rows.map(({ link }) => link),
  };
}

export function unpack({ keys, texts, places, origins, links }: Packed): PreparedRow[] {
  return keys.map((key, index) => ({
    id: key.slice(0, -DIGEST_LENGTH),
    place: places[index] as number,
    origins: origins[index],
    content: texts[index] as string,
    contentHash: key.slice(-DIGEST_LENGTH),
    link: links[index],
  }));
}

/** A call of a method of `ProblemSink`, to be repeated in the thread that counts problems. */
export type Note = { [M in keyof ProblemSink]: [M, ...Parameters<ProblemSink[M]>] }[keyof ProblemSink];

function repeatNotes(notes: readonly Note[], problems: ProblemSink): void {
  for (const [method, ...values] of notes) Reflect.apply(problems[method], problems, values);
}

/** The main thread counts problems; a mapping thread only records the calls. */
export function recordNotes(keep: (note: Note) => void): ProblemSink {
  const record =
    (_: object, method: string | symbol) =>
    (...values: readonly unknown[]) =>
      keep([method, ...values] as unknown as Note);
  return new Proxy<object>({}, { get: record }) as ProblemSink;
}
