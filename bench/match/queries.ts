import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fold } from '../../src/base/fold.ts';
import { isHeldOut, readRows } from './files.ts';
import type { Case, UkEmployer } from './sets.ts';

/** Numbers from 0 to 1 that are the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Every current name with one letter removed, added, replaced or swapped. */
export function drawTypos(employers: readonly UkEmployer[]): Case[] {
  const random = createRandom(42);
  return employers.map(({ number, name }) => {
    const at = 1 + Math.floor(random() * (name.length - 2));
    const letter = LETTERS[Math.floor(random() * LETTERS.length)] ?? '';
    const [start, end] = [name.slice(0, at), name.slice(at)];
    const typos = [
      start + end.slice(1),
      start + letter + end,
      start + letter + end.slice(1),
      start + (end[1] ?? '') + (end[0] ?? '') + end.slice(2),
    ];
    return { name: typos[Math.floor(random() * typos.length)] ?? name, truth: number, heldOut: isHeldOut(number) };
  });
}

export function listRenames(employers: readonly UkEmployer[]): Case[] {
  return employers.flatMap(({ number, former }) =>
    former.map((name) => ({ name, truth: number, heldOut: isHeldOut(number) })),
  );
}

const COMMON_WORDS = 200;
const MAX_NAMES = 5_000;

/** Pairs and triples of the most frequent words, and every spelling of a legal form in the lists. */
export async function listCommonNames(folder: string, names: readonly string[]): Promise<string[]> {
  const counts = new Map<string, number>();
  for (const name of names)
    for (const word of new Set(fold(name).split(/[^\p{L}\p{N}]+/u))) counts.set(word, (counts.get(word) ?? 0) + 1);
  counts.delete('');
  const common = [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, COMMON_WORDS)
    .map(([word]) => word);
  const random = createRandom(7);
  const pick = () => common[Math.floor(random() * common.length)] ?? '';
  const pairs = Array.from({ length: MAX_NAMES }, () => `${pick()} ${pick()}`);
  const triples = Array.from({ length: MAX_NAMES }, () => `${pick()} ${pick()} ${pick()}`);
  return [...new Set([...(await listForms(folder)), ...pairs, ...triples])];
}

async function listForms(folder: string): Promise<string[]> {
  const rows = await readRows(join(folder, 'legal-forms/2023-09-28-elf-code-list-v1.5.csv'));
  const cells = rows.flatMap((row) =>
    Object.entries(row).flatMap(([name, cell]) => (/name|abbreviation/i.test(name) ? cell.split(';') : [])),
  );
  const aliases = readFileSync(join(folder, 'legal-forms/rigour-org_types.yml'), 'utf8').matchAll(/^ {6}- (.+)$/gm);
  return [...cells, ...aliases.map(([, alias = '']) => alias)]
    .map((form) => form.trim())
    .filter((form) => form !== '' && !/^[a-z]{2}$/.test(form));
}
