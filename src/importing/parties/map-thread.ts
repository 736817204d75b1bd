import { availableParallelism } from 'node:os';
import type { PartyMode } from '../../core/party-modes.ts';
import { DIGEST_LENGTH, type NewParty } from '../../parties/new-party.ts';
import type { SuppressedParty } from '../../records/withholding.ts';
import { openThread, type Thread } from '../../system/thread.ts';
import type { CodeTables, MapTools, Share } from '../mapping/map-part.ts';
import { takeTurns } from '../mapping/map-thread.ts';
import type { Note } from '../mapping/notes.ts';
import { type Part, type PartPlan, planPart } from '../reading/part.ts';
import { mapParties, type PartyBatch } from './map-parties.ts';

/** What a mapping thread gets. Only plain data can cross threads. */
export interface PartyTask {
  readonly register: string;
  readonly part: PartPlan;
  readonly parts: MapTools['parts'];
  readonly codeTables: CodeTables;
  readonly mode: PartyMode;
  readonly suppressed: readonly SuppressedParty[];
  readonly share: Share;
}

/** A batch with one string per party. */
export interface SentParties extends Omit<PartyBatch, 'prepared'> {
  /** Its id and the packed row. */
  readonly texts: readonly string[];
  readonly places: Float64Array<ArrayBuffer>;
  readonly notes: readonly Note[];
  readonly bytes: number;
}

export function packParties(parties: readonly NewParty[]): Pick<SentParties, 'texts' | 'places'> {
  return {
    texts: parties.map(({ id, packed }) => id + packed),
    places: Float64Array.from(parties, ({ place }) => place),
  };
}

function unpackParties({ texts, places }: SentParties): NewParty[] {
  return texts.map((text, index) => ({
    id: text.slice(0, DIGEST_LENGTH),
    place: places[index] as number,
    packed: text.slice(DIGEST_LENGTH),
  }));
}

/** What `map-thread-worker.ts` does. */
export interface PartyThread {
  /** Returns the notes made after the last batch. */
  map(task: PartyTask): AsyncGenerator<SentParties, readonly Note[]>;
}

export interface PartyMapping {
  readonly inThreads: boolean;
  readonly codeTables: CodeTables;
  readonly mode: PartyMode;
  readonly suppressed: readonly SuppressedParty[];
}

/**
 * Each thread reads the whole file. Without persons, that takes longer than mapping the rest. With them, mapping takes longer than writing,
 * but on two cores a second thread takes more time from the writer than it saves.
 */
function countThreads(mode: PartyMode): number {
  return mode === 'names' && availableParallelism() > 2 ? 2 : 1;
}

/** Maps parts in threads, which start with the first part that can be read there, or here. The batches are the same. */
export function createPartyMapper(tools: MapTools, { inThreads, codeTables, mode, suppressed }: PartyMapping) {
  const threads: Thread<PartyThread>[] = [];
  const count = countThreads(mode);
  return {
    map(part: Part): AsyncGenerator<PartyBatch> {
      const plan = inThreads ? planPart(part) : undefined;
      if (plan === undefined) return mapParties(part, tools, mode, suppressed);
      while (threads.length < count) threads.push(openThread<PartyThread>(SCRIPT, { name: 'map parties' }));
      const task = { register: tools.register.id, part: plan, parts: tools.parts, codeTables, mode, suppressed };
      const streams = threads.map((thread, index) => thread.stream('map', { ...task, share: { index, of: count } }));
      return unpackBatches(takeTurns(streams, tools.problems, tools.onBytes));
    },
    async [Symbol.asyncDispose]() {
      for (const thread of threads) await thread.close();
    },
  };
}

async function* unpackBatches(batches: AsyncIterable<SentParties>): AsyncGenerator<PartyBatch> {
  for await (const batch of batches) yield { ...batch, prepared: unpackParties(batch) };
}

const SCRIPT = new URL('map-thread-worker.ts', import.meta.url);
