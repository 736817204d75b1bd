import { readFileSync } from 'node:fs';

/** The rows of a table beside this file. Lines that start with `#` say where it comes from. */
export function readTable(name: string): string[][] {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) => line.split('\t'));
}
