import { GrowingBytes, GrowingNumbers } from './growing-arrays.ts';

/** Texts of a dump, while an index is built: one per row. `starts` ends with the end of the last text. */
export interface Texts {
  readonly bytes: GrowingBytes;
  readonly starts: GrowingNumbers;
}

export function createTexts(): Texts {
  return { bytes: new GrowingBytes(), starts: new GrowingNumbers() };
}

/** Adds the text that starts at `start` and ends before a zero byte. Returns where the next value starts. */
export function readText({ bytes, starts }: Texts, chunk: Uint8Array, start: number): number {
  let end = start;
  while (chunk[end] !== 0) end++;
  starts.push(bytes.length);
  bytes.append(chunk, start, end);
  return end + 1;
}
