import type { IndexState, LiveDocs, Segment } from './overlay.ts';
import { createTexts, type SearchIndex } from './search-index.ts';
import { TextList } from './shared-arrays.ts';

/**
 * A state as a message to another thread. All of its memory is shared; an index that the receiver has already, as part of the
 * state before, is named by its position there. So the objects of a base and of its segments stay the same in every
 * thread while the overlay changes, and what a thread has prepared for them stays valid.
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
type IndexMessage = SearchIndex | number;

/** `previous` is the state that the receiver already has. Indexes that it contains are not sent again. */
export function encodeState({ version, base, overlay }: IndexState, previous?: IndexState): StateMessage {
  const known = previous === undefined ? [] : listIndexes(previous);
  const encode = (index: SearchIndex): IndexMessage => {
    const position = known.indexOf(index);
    return position === -1 ? index : position;
  };
  if (overlay === undefined) return { version, base: encode(base) };
  const { live, places, segments } = overlay;
  const encoded = segments.map(({ index, live, ranks }) => ({ index: encode(index), live, ranks }));
  return { version, base: encode(base), overlay: { live, places, segments: encoded } };
}

export function decodeState(message: StateMessage, previous?: IndexState): IndexState {
  const known = previous === undefined ? [] : listIndexes(previous);
  const decode = (index: IndexMessage): SearchIndex => {
    // A message has the fields of a list, but not its methods.
    if (typeof index !== 'number') return { ...index, texts: createTexts(index.texts, (list) => new TextList(list)) };
    const found = known[index];
    if (found === undefined) throw new Error(`there is no index ${index} in the state before`);
    return found;
  };
  const { version, overlay } = message;
  const base = decode(message.base);
  if (overlay === undefined) return { version, base };
  const segments = overlay.segments.map(({ index, live, ranks }) => ({ index: decode(index), live, ranks }));
  return { version, base, overlay: { live: overlay.live, places: overlay.places, segments } };
}

function listIndexes({ base, overlay }: IndexState): SearchIndex[] {
  return [base, ...(overlay?.segments ?? []).map(({ index }) => index)];
}
