import type { SetModes } from '../../base/party-modes.ts';
import { openThread, type Thread } from '../../base/system/thread.ts';
import { FormatError } from '../../formats/rows.ts';
import { DIGEST_LENGTH, type NewParty } from '../../registry/parties/new-party.ts';
import type { ImportedPart } from '../../registry/records/imports/store.ts';
import { contentColumns } from '../../registry/records/store.ts';
import type { SuppressedParty } from '../../registry/records/withholding.ts';
import { countThreads, describeJob, type Job, type JobPlan, mapPartyJob, mapRecordJob } from '../jobs.ts';
import type { OnBytes } from '../reading/part.ts';
import type { CodeTables, MappedBatch, MapTools, Share } from './map-part.ts';
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
  readonly batch: Omit<MappedBatch, 'prepared'>;
  readonly packed: PackedRecords | PackedParties;
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

  function map<Packed, Row>(
    job: Job,
    mapHere: (job: Job, tools: MapTools) => AsyncGenerator<MappedBatch<Row>>,
    unpack: (packed: Packed) => Row[],
  ): AsyncGenerator<MappedBatch<Row>> {
    const plan = inThreads ? describeJob(job) : undefined;
    if (plan === undefined) return mapHere(job, tools);
    const count = countThreads(job, modes);
    while (threads.length < count) threads.push(openMapThread());
    const task = { register: tools.register.id, job: plan, parts, codeTables, modes, suppressed };
    return mapInThreads(threads.slice(0, count), task, unpack, tools);
  }

  return {
    mapRecords: (job: Job) => map(job, mapRecordJob, unpackRecords),
    mapParties: (job: Job) => map(job, mapPartyJob, unpackParties),
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
async function* mapInThreads<Packed, Row>(
  threads: readonly Thread<MapThread>[],
  task: Omit<Task, 'share'>,
  unpack: (packed: Packed) => readonly Row[],
  { problems, onBytes }: { readonly problems: ProblemSink; readonly onBytes: OnBytes },
): AsyncGenerator<MappedBatch<Row>> {
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
    yield { ...value.batch, prepared: unpack(value.packed as Packed) };
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

/** Records as a thread sends them: few objects and strings, because each of them in a message costs time. */
export interface PackedRecords {
  /** The id and the content hash of each record. */
  readonly keys: readonly string[];
  /** The content of each record, which is already in one piece of memory because it was hashed. */
  readonly texts: readonly string[];
  /** The place of each record, and where its values end in the content. The buffer is transferred, not copied. */
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly origins: readonly (string | undefined)[];
  readonly links: readonly (PreparedLink | null)[];
}

const ID_LENGTH = 36;
const NUMBERS = 1 + contentColumns.length;

export function packRecords(records: readonly PreparedRecord[]): PackedRecords {
  const numbers = new Float64Array(records.length * NUMBERS);
  for (const [index, { place, content }] of records.entries()) {
    const first = index * NUMBERS;
    numbers[first] = place;
    for (let column = 0; column < contentColumns.length; column++)
      numbers[first + 1 + column] = content.ends[content.firstEnd + column] as number;
  }
  return {
    keys: records.map(({ id, contentHash }) => id + contentHash),
    texts: records.map(({ content }) => content.text),
    numbers,
    origins: records.map(({ origins }) => origins),
    links: records.map(({ link }) => link),
  };
}

export function unpackRecords({ keys, texts, numbers, origins, links }: PackedRecords): PreparedRecord[] {
  return keys.map((key, index) => ({
    id: key.slice(0, ID_LENGTH),
    place: numbers[index * NUMBERS] as number,
    origins: origins[index],
    content: { text: texts[index] as string, ends: numbers, firstEnd: index * NUMBERS + 1 },
    contentHash: key.slice(ID_LENGTH),
    link: links[index] ?? null,
  }));
}

export interface PackedParties {
  /** The id and the packed row of each party. */
  readonly texts: readonly string[];
  /** Their places. */
  readonly numbers: Float64Array<ArrayBuffer>;
}

export function packParties(parties: readonly NewParty[]): PackedParties {
  return {
    texts: parties.map(({ id, packed }) => id + packed),
    numbers: Float64Array.from(parties, ({ place }) => place),
  };
}

function unpackParties({ texts, numbers }: PackedParties): NewParty[] {
  return texts.map((text, index) => ({
    id: text.slice(0, DIGEST_LENGTH),
    place: numbers[index] as number,
    packed: text.slice(DIGEST_LENGTH),
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
