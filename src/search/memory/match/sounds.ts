import { toLatin } from '../../../base/romanise.ts';
import { soundKeys } from '../../match/latin.ts';
import { hashWord } from '../../other-names.ts';
import { firstNotBelow } from '../answer/words.ts';
import type { MatchArrays } from '../search-index.ts';
import { type Offsets, sharedNumbers } from '../shared-arrays.ts';

type SoundArrays = Pick<MatchArrays, 'soundHashes' | 'soundWords'>;

/**
 * Sorts the words of a vocabulary by their sounds, so that all ways to write a name in Latin letters find each other and the name in its
 * own script.
 */
export function sortBySound(text: Uint8Array, starts: Offsets): SoundArrays {
  const words: number[] = [];
  const hashes: number[] = [];
  for (let word = 0; word < starts.length - 1; word++) {
    for (const hash of hashSounds(readWord(text, starts, word))) {
      hashes.push(hash);
      words.push(word);
    }
  }
  const order = Uint32Array.from(words.keys()).sort((a, b) => (hashes[a] as number) - (hashes[b] as number) || a - b);
  const [soundHashes, soundWords] = [sharedNumbers(order.length), sharedNumbers(order.length)];
  for (const [at, entry] of order.entries()) {
    soundHashes[at] = hashes[entry] as number;
    soundWords[at] = words[entry] as number;
  }
  return { soundHashes, soundWords };
}

/** The words that sound like the text, at most `max` for each way to speak it. A few others may have the same hash. */
export function findSounding({ soundHashes, soundWords }: SoundArrays, text: string, max: number): number[] {
  return hashSounds(text).flatMap((hash) => {
    const from = firstNotBelow(soundHashes.length, (at) => (soundHashes[at] as number) < hash);
    const to = firstNotBelow(soundHashes.length, (at) => (soundHashes[at] as number) <= hash, from);
    return [...soundWords.subarray(from, Math.min(to, from + max))];
  });
}

/** Words that hardly sound have none, because too many are alike, nor have numbers. */
function hashSounds(word: string): number[] {
  if (DIGIT.test(word)) return [];
  const keys = soundKeys(toLatin(word.replace(NOT_LETTERS, '')));
  return keys.filter((key) => key.length >= MIN_SOUNDS).map(hashWord);
}

const MIN_SOUNDS = 3;
const DIGIT = /\d/;
const NOT_LETTERS = /[^\p{L}]+/gu;

/** A zero byte follows each word. */
function readWord(text: Uint8Array, starts: Offsets, word: number): string {
  return Buffer.from(text.slice(starts[word], (starts[word + 1] as number) - 1)).toString();
}
