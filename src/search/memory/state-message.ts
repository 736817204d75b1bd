import { setImmediate as nextTurn } from 'node:timers/promises';
import type { IndexState, LiveDocs, Segment } from './overlay.ts';
import type { IndexTexts, SearchIndex } from './search-index.ts';
import { sharedBytes } from './shared-arrays.ts';

/**
 * A state as a message to another thread. The arrays are shared; an index that the receiver has already, as part of the
 * state before, is named by its position there. So the objects of a base and of its segments stay the same in every
 * thread while the overlay changes, and what a thread has prepared for them stays valid.
 *
 * The lists of texts of an index are JSON in shared memory. A message with the lists themselves would be copied in one
 * go, which takes 40 ms at five million entities; this way they are read in small steps between which the thread serves
 * requests.
 */
export interface StateMessage {
  readonly version: string;
  readonly base: IndexMessage;
  readonly overlay?: {
    readonly live: LiveDocs;
    readonly places: Segment['ranks'];
    readonly segments: readonly { index: IndexMessage; live: LiveDocs; ranks: Segment['ranks'] }[];
  };
}

/** A number: 0 is the base of the state before, 1 is its first segment. */
type IndexMessage = PackedIndex | number;

interface PackedIndex extends Omit<SearchIndex, 'texts'> {
  readonly lists: PackedLists;
  readonly columns: PackedLists;
}

type Lists = Readonly<Record<string, readonly (string | null)[]>>;

interface PackedLists {
  readonly json: Uint8Array<SharedArrayBuffer>;
  readonly pieces: readonly Piece[];
}

/** A part of the list with this name. */
interface Piece {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** `previous` is the state that the receiver already has. Indexes that it contains are not sent again. */
export function encodeState({ version, base, overlay }: IndexState, previous?: IndexState): StateMessage {
  const known = previous === undefined ? [] : listIndexes(previous);
  const encode = (index: SearchIndex): IndexMessage => {
    const position = known.indexOf(index);
    return position === -1 ? packedIndexes.getOrInsertComputed(index, packIndex) : position;
  };
  if (overlay === undefined) return { version, base: encode(base) };
  const { live, places, segments } = overlay;
  const encoded = segments.map(({ index, live, ranks }) => ({ index: encode(index), live, ranks }));
  return { version, base: encode(base), overlay: { live, places, segments: encoded } };
}

export async function decodeState(message: StateMessage, previous?: IndexState): Promise<IndexState> {
  const known = previous === undefined ? [] : listIndexes(previous);
  const decode = async (index: IndexMessage): Promise<SearchIndex> => {
    if (typeof index !== 'number') return unpackIndex(index);
    const found = known[index];
    if (found === undefined) throw new Error(`there is no index ${index} in the state before`);
    return found;
  };
  const { version, overlay } = message;
  const base = await decode(message.base);
  if (overlay === undefined) return { version, base };
  const segments: Segment[] = [];
  for (const { index, live, ranks } of overlay.segments) segments.push({ index: await decode(index), live, ranks });
  return { version, base, overlay: { live: overlay.live, places: overlay.places, segments } };
}

function listIndexes({ base, overlay }: IndexState): SearchIndex[] {
  return [base, ...(overlay?.segments ?? []).map(({ index }) => index)];
}

/** Kept, because a thread that gets an index usually passes it on. */
const packedIndexes = new WeakMap<SearchIndex, PackedIndex>();

function packIndex({ texts, ...rest }: SearchIndex): PackedIndex {
  const { columns, ...lists } = texts;
  return { ...rest, lists: packLists(lists), columns: packLists(columns) };
}

async function unpackIndex(packed: PackedIndex): Promise<SearchIndex> {
  const { lists, columns, ...rest } = packed;
  const texts = { ...(await unpackLists(lists)), columns: await unpackLists(columns) };
  const index = { ...rest, texts: texts as unknown as IndexTexts };
  packedIndexes.set(index, packed);
  return index;
}

/** Reading this many takes about 0.2 ms. */
const PIECE_TEXTS = 2_000;
/** How long texts are read before other work of the thread gets a turn. */
const STEP_MS = 1;

function packLists(lists: Lists): PackedLists {
  const parts: Buffer[] = [];
  const pieces: Piece[] = [];
  let end = 0;
  for (const [name, texts] of Object.entries(lists)) {
    // An empty list has a piece, too.
    for (let first = 0; first === 0 || first < texts.length; first += PIECE_TEXTS) {
      const json = Buffer.from(JSON.stringify(texts.slice(first, first + PIECE_TEXTS)));
      parts.push(json);
      pieces.push({ name, from: end, to: end + json.length });
      end += json.length;
    }
  }
  const json = sharedBytes(end);
  for (const [at, { from }] of pieces.entries()) json.set(parts[at] as Buffer, from);
  return { json, pieces };
}

async function unpackLists({ json, pieces }: PackedLists): Promise<Lists> {
  const lists: Record<string, (string | null)[]> = {};
  let started = performance.now();
  for (const { name, from, to } of pieces) {
    lists[name] ??= [];
    lists[name].push(...JSON.parse(Buffer.from(json.subarray(from, to)).toString()));
    if (performance.now() - started < STEP_MS) continue;
    await nextTurn();
    started = performance.now();
  }
  return lists;
}
