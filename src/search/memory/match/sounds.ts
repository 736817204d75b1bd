import { toLatin } from '../../../base/romanise.ts';
import { soundKeys } from '../../match/latin.ts';
import { firstNotBelow } from '../answer/words.ts';
import type { MatchArrays } from '../search-index.ts';
import { type Offsets, shareNumbers } from '../shared-arrays.ts';

type SoundArrays = Pick<MatchArrays, 'soundHashes' | 'soundWords'>;

/**
 * Sorts the words of a vocabulary by the hashes of their sounds. Thus a query finds a name in all its transcriptions to Latin letters and
 * in its own script.
 */
export function sortBySound(text: Uint8Array, starts: Offsets): SoundArrays {
  const pairs: number[] = [];
  for (let word = 0; word < starts.length - 1; word++) {
    // A zero byte follows each word.
    const letters = Buffer.from(text.slice(starts[word], (starts[word + 1] as number) - 1)).toString();
    for (const hash of hashSounds(letters)) pairs.push(hash * MAX_WORDS + word);
  }
  const sorted = Float64Array.from(pairs).sort();
  return {
    soundHashes: shareNumbers(Uint32Array.from(sorted, (pair) => Math.floor(pair / MAX_WORDS))),
    soundWords: shareNumbers(Uint32Array.from(sorted, (pair) => pair % MAX_WORDS)),
  };
}

/** The limit of words, because a hash of 28 bits and a word must fit into the 53 bits of a number. */
const MAX_WORDS = 2 ** 25;

/** Finds words that sound like the text, at most `max` per pronunciation. A few other words may have an equal hash. */
export function findSounding({ soundHashes, soundWords }: SoundArrays, text: string, max: number): number[] {
  return hashSounds(text).flatMap((hash) => {
    const from = firstNotBelow(soundHashes.length, (at) => (soundHashes[at] as number) < hash);
    const to = firstNotBelow(soundHashes.length, (at) => (soundHashes[at] as number) <= hash, from);
    return [...soundWords.subarray(from, Math.min(to, from + max))];
  });
}

/** The hashes of the pronunciations of a word. Numbers and words with few sounds have no hash, because too many would be alike. */
function hashSounds(word: string): number[] {
  if (DIGIT.test(word)) return [];
  const keys = soundKeys(toLatin(word.replace(NOT_LETTERS, '')));
  return keys.filter((key) => key.length >= MIN_SOUNDS).map(hashText);
}

const MIN_SOUNDS = 3;
const DIGIT = /\d/;
const NOT_LETTERS = /[^\p{L}]+/gu;

/** A hash of 28 bits (FNV-1a). */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 28)) & 0x0fffffff;
}
