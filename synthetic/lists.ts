/** The words of generators: `registers/<name>.tsv` has a line per value, or per row of values, after the name of its list. */
import { readFileSync } from 'node:fs';
import type { Shares } from './chance.ts';

export interface Lists {
  /** All values of a list. Its lines may have any number of them. */
  words(list: string): readonly string[];
  /** The lines of a list. */
  rows(list: string): readonly (readonly string[])[];
  /** The lines of a list, each after its cumulative share. */
  shares(list: string): Shares<readonly string[]>;
}

export function readLists(name: string): Lists {
  const text = readFileSync(new URL(`registers/${name}.tsv`, import.meta.url), 'utf8');
  const lines = text.trimEnd().split('\n');
  const lists = Map.groupBy(
    lines.map((line) => line.split('\t')),
    ([list = '']) => list,
  );
  const rows = (list: string) => {
    const found = lists.get(list);
    if (found === undefined) throw new Error(`synthetic/registers/${name}.tsv has no list "${list}"`);
    return found.map(([, ...values]) => values);
  };
  return {
    words: (list) => rows(list).flat(),
    rows,
    shares: (list) => rows(list).map(([share, ...values]) => [Number(share), values]),
  };
}
