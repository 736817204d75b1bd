import { extname } from 'node:path';
import type { FormatError } from '../formats/rows.ts';
import { HTML_PAGE } from '../formats/sniff.ts';
import type { Register, Source } from '../registers/contract.ts';

/** What was found instead of one of the register's sources, and which of them it is nearest to. */
export interface Miss {
  readonly missing: readonly string[];
  readonly source?: Source<unknown>;
  readonly looksLike?: string | null;
  readonly error?: FormatError;
}

/** Why a file in which nothing was recognized is refused. */
export function explainMiss(file: string, register: Register, misses: readonly Miss[], lookalike?: Register): string {
  const what = `${file} is not a file of the register "${register.id}" (${register.name})`;
  if (lookalike !== undefined) {
    return `${what}: it looks like one of "${lookalike.id}" (${lookalike.name}). Import it with: firmament import ${lookalike.id} ${file}`;
  }
  const looksLike = misses.find((miss) => miss.looksLike)?.looksLike;
  const broken = misses.find((miss) => miss.error !== undefined)?.error;
  if (broken !== undefined && !looksLike) return broken.message;
  const partial = misses.find((miss) => miss.source !== undefined && miss.missing.length < miss.source.required.length);
  if (partial !== undefined) {
    return describeLack(file, partial.missing);
  }
  const expected = `Expected ${register.files.join(' or ')} from ${register.sourceUrl}`;
  const advice = looksLike === HTML_PAGE ? '. Open that page in a browser, download the file again and import it' : '';
  return `${what}${looksLike ? `: it is ${looksLike}` : ''}. ${expected}${advice}`;
}

/**
 * Among files that are understood: the first that should have been, and whose companies would be missing without a word. A web page,
 * a table that has most of what the main one needs, or one that cannot be read and is named like those that can.
 */
export function findBroken(
  file: string,
  misses: ReadonlyMap<string, Miss>,
  found: readonly string[],
): string | undefined {
  const endings = new Set(found.map((name) => extname(name)));
  for (const [entry, { missing, source, looksLike, error }] of misses) {
    const what = `${entry} in ${file}`;
    if (looksLike === HTML_PAGE) return `${what} is ${looksLike}, not data: download the file again`;
    if (looksLike) continue;
    if (error !== undefined && endings.has(extname(entry))) return `${what}: ${error.message}`;
    const isNear = source?.map !== undefined && missing.length <= source.required.length / 2;
    if (error === undefined && isNear) return describeLack(what, missing);
  }
  return undefined;
}

export function describeLeftOut(file: string, misses: ReadonlyMap<string, Miss>): string[] {
  return Array.from(misses, ([entry, { looksLike, error }]) => {
    const reason = looksLike ? `it is ${looksLike}` : (error?.message ?? 'nothing that the register knows');
    return `${entry} in ${file} was left out: ${reason}`;
  });
}

function describeLack(what: string, missing: readonly string[]): string {
  return `${what} lacks the column ${missing.map((column) => `"${column}"`).join(', ')}: is it the whole, unchanged file?`;
}
