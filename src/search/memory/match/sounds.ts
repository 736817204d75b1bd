import { toLatin } from '../../../base/romanise.ts';
import { soundKeys } from '../../match/latin.ts';
import { hashName } from '../../other-names.ts';
import { createHashTable, findByHash } from '../hash-table.ts';
import type { MatchArrays } from '../search-index.ts';
import type { Offsets } from '../shared-arrays.ts';

/**
 * The words of a vocabulary by the hashes of their sounds. Thus a query finds a name in all its transcriptions to Latin letters and in its
 * own script.
 */
export function hashSoundsOfWords(text: Uint8Array, starts: Offsets) {
  // A zero byte follows each word.
  const textOf = (word: number) => Buffer.from(text.slice(starts[word], (starts[word + 1] as number) - 1)).toString();
  return createHashTable(starts.length - 1, (word) => hashSounds(textOf(word)));
}

type SoundArrays = Pick<MatchArrays, 'soundHashes' | 'soundWords'>;

/** Finds words that sound like the text, at most `max` per pronunciation. A few other words may have an equal hash. */
export function findSounding({ soundHashes, soundWords }: SoundArrays, text: string, max: number): number[] {
  return hashSounds(text).flatMap((hash) => [...findByHash(soundHashes, soundWords, hash).subarray(0, max)]);
}

/** The hashes of the pronunciations of a word. Numbers and words with few sounds have no hash, because too many would be alike. */
function hashSounds(word: string): number[] {
  if (DIGIT.test(word)) return [];
  const keys = soundKeys(toLatin(word.replace(NOT_LETTERS, '')));
  return keys.filter((key) => key.length >= MIN_SOUNDS).map(hashName);
}

const MIN_SOUNDS = 3;
const DIGIT = /\d/;
const NOT_LETTERS = /[^\p{L}]+/gu;
