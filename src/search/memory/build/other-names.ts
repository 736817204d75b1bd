import { fold } from '../../../core/fold.ts';
import { listOtherNames } from '../../other-names.ts';
import { FORMER, hashWord, OTHER, splitWords } from '../match/other-name-words.ts';
import type { OtherNameArrays } from '../search-index.ts';
import { type Offsets, sharedNumbers } from '../shared-arrays.ts';
import { type GrowingBytes, GrowingNumbers } from './growing-arrays.ts';

/**
 * Appends former and further names, one per line after a mark of its kind, and a zero byte. Returns their length. The `registry` that
 * they are read from ends with a zero byte too.
 */
export function appendOtherNames(bytes: GrowingBytes, from: Uint8Array, start: number, end: number): number {
  const text = start === end ? from.subarray(end, end + 1) : Buffer.from(`${writeLines(from.slice(start, end))}\0`);
  bytes.append(text, 0, text.length);
  return text.length - 1;
}

function writeLines(registry: Uint8Array): string {
  const names = listOtherNames(Buffer.from(registry).toString());
  return names.map(({ text, kind }) => (kind === 'former' ? FORMER : OTHER) + text.replace(BREAKS, ' ')).join('\n');
}

const BREAKS = /[\0\n]/g;

/** `docs` has the document of each entry of the texts. */
export function indexOtherNames(
  docs: Uint32Array<SharedArrayBuffer>,
  text: Uint8Array<SharedArrayBuffer>,
  starts: Offsets,
): OtherNameArrays {
  const hashes = new GrowingNumbers();
  const positions = new GrowingNumbers();
  for (let position = 0; position < docs.length; position++) {
    const names = Buffer.from(text.slice(starts[position], starts[position + 1])).toString();
    const words = new Set(names.split('\n').flatMap((line) => splitWords(fold(line.slice(1)))));
    for (const word of words) {
      hashes.push(hashWord(word));
      positions.push(position);
    }
  }
  // As one number each: the hash, then the position.
  const pairs = Float64Array.from({ length: hashes.length }, (_, at) => pairOf(hashes, positions, at)).sort();
  const arrays = { hashes: sharedNumbers(pairs.length), positions: sharedNumbers(pairs.length) };
  for (const [at, pair] of pairs.entries()) {
    arrays.hashes[at] = Math.floor(pair / MAX_POSITIONS);
    arrays.positions[at] = pair % MAX_POSITIONS;
  }
  return {
    otherNameDocs: docs,
    otherNameText: text,
    otherNameStarts: starts,
    otherNameHashes: arrays.hashes,
    otherNamePositions: arrays.positions,
  };
}

/** A number with 53 bits holds a hash of 28 bits and a position. */
const MAX_POSITIONS = 2 ** 25;

function pairOf(hashes: GrowingNumbers, positions: GrowingNumbers, at: number): number {
  return (hashes.values[at] as number) * MAX_POSITIONS + (positions.values[at] as number);
}
