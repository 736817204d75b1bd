import { fold } from '../../../core/fold.ts';
import { countUp, GrowingBytes, GrowingNumbers } from '../build/growing-arrays.ts';
import type { IndexState, LiveDocs } from '../overlay.ts';
import type { SearchIndex } from '../search-index.ts';
import { has } from '../sets.ts';
import { compareWithKey, countBefore, type DocumentKey } from './document-order.ts';
import { RebuildNeeded } from './rebuild-needed.ts';

/** Documents of a state: one list for the base, then one for each segment. */
export type DocsOfParts = readonly number[][];

interface LivePart {
  readonly index: SearchIndex;
  /** The documents that are current. If it is missing, all of them are. */
  readonly live?: LiveDocs | undefined;
}

function listParts({ base, overlay }: IndexState): LivePart[] {
  return [{ index: base, live: overlay?.live }, ...(overlay?.segments ?? [])];
}

/**
 * Finds the documents of entities by their names and ids. There is no table of ids: documents are sorted by name, so a
 * name is found by binary search. Names are looked up in order, because the next one is then near the last one: this
 * compares a third as much. An entity is live in exactly one part, or the journal does not belong to this state.
 */
export function findDocuments(state: IndexState, names: ReadonlyMap<string, string | null>): DocsOfParts {
  const parts = listParts(state);
  const found: number[][] = parts.map(() => []);
  const precede = parts.map(() => 0);
  for (const key of sortKeys(names)) {
    let count = 0;
    for (const [at, { index, live }] of parts.entries()) {
      const doc = countBefore(index, key, precede[at]);
      precede[at] = doc;
      if (doc === index.entities || compareWithKey(index, doc, key) !== 0) continue;
      if (live !== undefined && !has(live, doc)) continue;
      found[at]?.push(doc);
      count++;
    }
    if (count !== 1) throw new RebuildNeeded(describeMismatch(key, count));
  }
  return found;
}

/** The keys of the entities that had a name, in the order of documents. As objects, all of them would take five times the memory. */
function* sortKeys(names: ReadonlyMap<string, string | null>): Generator<DocumentKey> {
  const text = new GrowingBytes();
  /** Where the folded name, the name and the id of each key start and, last, where the last one ends. */
  const starts = new GrowingNumbers();
  for (const [id, name] of names) {
    if (name === null) continue;
    for (const part of [Buffer.from(fold(name)), Buffer.from(name), readId(id)]) {
      starts.push(text.length);
      text.append(part, 0, part.length);
    }
  }
  starts.push(text.length);
  const { bytes } = text;
  const partAt = (at: number) => bytes.subarray(starts.values[at], starts.values[at + 1]);
  const compare = (a: number, b: number) => Buffer.compare(partAt(a), partAt(b));
  const order = countUp((starts.length - 1) / PARTS).sort((a, b) => {
    const [first, second] = [a * PARTS, b * PARTS];
    return compare(first, second) || compare(first + 1, second + 1) || compare(first + 2, second + 2);
  });
  for (const key of order) {
    const [folded, name, id] = [partAt(key * PARTS), partAt(key * PARTS + 1), partAt(key * PARTS + 2)];
    yield { folded, name, id };
  }
}

/** Of a key. */
const PARTS = 3;

function describeMismatch({ id, name }: DocumentKey, count: number): string {
  const [hex, text] = [Buffer.from(id).toString('hex'), Buffer.from(name).toString()];
  return `the index has ${count} versions of ${hex} named ${JSON.stringify(text)}`;
}

function readId(id: string): Uint8Array {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

/** The ids of all live documents. */
export function listIds({ index, live }: { readonly index: SearchIndex; readonly live: LiveDocs }): string[] {
  const hex = Buffer.from(index.arrays['summary.id'].buffer).toString('hex');
  const ids: string[] = [];
  for (let doc = 0; doc < index.entities; doc++) {
    if (!has(live, doc)) continue;
    const at = doc * 32;
    const parts = [hex.slice(at, at + 8), hex.slice(at + 8, at + 12), hex.slice(at + 12, at + 16)];
    ids.push([...parts, hex.slice(at + 16, at + 20), hex.slice(at + 20, at + 32)].join('-'));
  }
  return ids;
}
