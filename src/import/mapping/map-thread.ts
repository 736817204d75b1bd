import type { SetModes } from '../../base/party-modes.ts';
import { openThread, type Thread } from '../../base/system/thread.ts';
import { FormatError } from '../../formats/rows.ts';
import { DIGEST_LENGTH, type NewParty } from '../../registry/parties/new-party.ts';
import type { ImportedPart } from '../../registry/records/imports/store.ts';
import { contentColumns } from '../../registry/records/store.ts';
import type { SuppressedParty } from '../../registry/records/withholding.ts';
import { countThreads, describeJob, type Job, type JobPlan, mapJob } from '../jobs.ts';
import type { CodeTables, MappedBatch, MapTools, Share } from './map-rows.ts';
import type { ProblemSink } from './problems.ts';
import type { PreparedLink, PreparedRecord } from './record.ts';

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

export interface SentBatch {
  readonly batch: Omit<MappedBatch<never>, 'prepared'>;
  readonly packed: Packed;
  readonly notes: readonly Note[];
  /** Bytes read so far. */
  readonly bytes: number;
}

/** What `map-thread-worker.ts` does. */
export interface MapThread {
  /** Returns the notes made after the last batch. */
  map(task: Task): AsyncGenerator<SentBatch, readonly Note[]>;
}

interface Mapping {
  /** Large files that are not workbooks are mapped in threads, the others here. The batches are the same. */
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
    map(job: Job): AsyncGenerator<MappedBatch<PreparedRecord | NewParty>> {
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
 * cheap, and maps its share of the rows, which is not. Batches are taken from the threads in turn.
 */
async function* mapInThreads(
  threads: readonly Thread<MapThread>[],
  task: Omit<Task, 'share'>,
  { problems, onBytes }: Pick<MapTools, 'problems' | 'onBytes'>,
): AsyncGenerator<MappedBatch<PreparedRecord | NewParty>> {
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
    // Now, and not at its next turn: it says that the batch is written, so that the thread can send another one.
    nexts[turn] = askNext(streams[turn] as (typeof streams)[0]);
  }
}

function askNext(stream: AsyncGenerator<SentBatch, readonly Note[]>) {
  const next = stream.next().catch((error: Error) => {
    throw error.name === 'FormatError' ? new FormatError(error.message) : error;
  });
  // It may fail before its turn.
  next.catch(() => undefined);
  return next;
}

/**
 * Rows as a thread sends them: few objects and strings, because each of them in a message costs time. The buffer of the numbers is
 * transferred, not copied. Of parties, these are their places, and each text is an id and a packed row.
 */
interface Packed {
  readonly texts: readonly string[];
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly ofRecords?: {
    /** The id and the content hash of each record. Its text is its content, which is already in one piece because it was hashed. */
    readonly keys: readonly string[];
    readonly origins: readonly (string | undefined)[];
    readonly links: readonly (PreparedLink | null)[];
  };
}

const ID_LENGTH = 36;
/** The place of a record, and where its values end in the content. */
const NUMBERS = 1 + contentColumns.length;

/** All rows are of the same kind. */
export function pack(rows: readonly (PreparedRecord | NewParty)[]): Packed {
  return rows[0] !== undefined && 'packed' in rows[0]
    ? packParties(rows as readonly NewParty[])
    : packRecords(rows as readonly PreparedRecord[]);
}

function packRecords(records: readonly PreparedRecord[]): Packed {
  const numbers = new Float64Array(records.length * NUMBERS);
  for (const [index, { place, content }] of records.entries()) {
    const first = index * NUMBERS;
    numbers[first] = place;
    for (let column = 0; column < contentColumns.length; column++)
      numbers[first + 1 + column] = content.ends[content.firstEnd + column] as number;
  }
  const keys = records.map(({ id, contentHash }) => id + contentHash);
  const origins = records.map(({ origins }) => origins);
  const links = records.map(({ link }) => link);
  return { texts: records.map(({ content }) => content.text), numbers, ofRecords: { keys, origins, links } };
}

function packParties(parties: readonly NewParty[]): Packed {
  const numbers = Float64Array.from(parties, ({ place }) => place);
  return { texts: parties.map(({ id, packed }) => id + packed), numbers };
}

export function unpack({ texts, numbers, ofRecords }: Packed): (PreparedRecord | NewParty)[] {
  if (ofRecords === undefined)
    return texts.map((text, index) => ({
      id: text.slice(0, DIGEST_LENGTH),
      place: numbers[index] as number,
      packed: text.slice(DIGEST_LENGTH),
    }));
  const { keys, origins, links } = ofRecords;
  return keys.map((key, index) => ({
    id: key.slice(0, ID_LENGTH),
    place: numbers[index * NUMBERS] as number,
    origins: origins[index],
    content: { text: texts[index] as string, ends: numbers, firstEnd: index * NUMBERS + 1 },
    contentHash: key.slice(ID_LENGTH),
    link: links[index] ?? null,
  }));
}

/** A call of a method of `ProblemSink`, to be repeated in the thread that counts problems. */
export type Note = { [M in keyof ProblemSink]: [M, ...Parameters<ProblemSink[M]>] }[keyof ProblemSink];

function repeatNotes(notes: readonly Note[], problems: ProblemSink): void {
  for (const [method, ...values] of notes) Reflect.apply(problems[method], problems, values);
}

/** Characters of a value that are sent. Fewer are kept; a value can be as long as a row. */
const MAX_SENT = 200;
/** More than are shown. Records of a tree can have any number of different keys. */
const MAX_COLUMNS_SENT = 100;

/** The main thread counts problems; this one only records the calls. An unknown column is sent once. */
export function recordNotes(keep: (note: Note) => void): ProblemSink {
  const sentColumns = new Set<string>();
  return {
    reject: (...values) => keep(['reject', ...values]),
    noteSkipped: (...values) => keep(['noteSkipped', ...values]),
    report: (file, place, column, value, problem) =>
      keep(['report', file, place, column, value?.slice(0, MAX_SENT) ?? null, problem]),
    reportUnknown: (file, place, kind, column, value) =>
      keep(['reportUnknown', file, place, kind, column, value.slice(0, MAX_SENT)]),
    noteWithoutNumber: (...values) => keep(['noteWithoutNumber', ...values]),
    noteUnmatched: (...values) => keep(['noteUnmatched', ...values]),
    noteSynthetic: (...values) => keep(['noteSynthetic', ...values]),
    noteCut: (...values) => keep(['noteCut', ...values]),
    noteUnknownColumn(column) {
      if (sentColumns.size === MAX_COLUMNS_SENT || sentColumns.has(column)) return;
      sentColumns.add(column);
      keep(['noteUnknownColumn', column.slice(0, MAX_SENT)]);
    },
  };
}
