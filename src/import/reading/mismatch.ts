import { extname } from 'node:path';
import type { FormatError } from '../../formats/rows.ts';
import { HTML_PAGE } from '../../formats/sniff.ts';
import type { Register, Source } from '../../registers/contract.ts';

/** Why a part of a file does not match any source of the register. */
export interface Mismatch {
  /** The nearest source, if the part resembles one. */
  readonly source?: Source<unknown>;
  /** Required columns or keys of that source that were not found. */
  readonly missing: readonly string[];
  /** What the part is instead, such as "a PDF". */
  readonly looksLike?: string | null;
  readonly error?: FormatError;
}

/** The error message for a file in which nothing was recognized. */
export function describeMismatch(
  file: string,
  register: Register,
  mismatches: readonly Mismatch[],
  lookalike?: Register,
): string {
  const what = `${file} is not a file of the register "${register.id}" (${register.name})`;
  if (lookalike !== undefined) {
    return `${what}: it looks like a file of "${lookalike.id}" (${lookalike.name}). Import it with: firmament import ${lookalike.id} ${file}`;
  }
  const looksLike = mismatches.find((mismatch) => mismatch.looksLike)?.looksLike;
  const broken = mismatches.find((mismatch) => mismatch.error !== undefined)?.error;
  if (broken !== undefined && !looksLike)
    return broken.message.includes(file) ? broken.message : `${file}: ${broken.message}`;
  const partial = mismatches.find(
    ({ source, missing }) => missing.length > 0 && missing.length < (source?.required.length ?? 0),
  );
  if (partial?.source !== undefined) return describeMissing(file, partial.missing, partial.source);
  const expected = `Expected ${register.files.join(' or ')} from ${register.sourceUrl}`;
  const advice = looksLike === HTML_PAGE ? '. Open that page in a browser, download the file again and import it' : '';
  return `${what}${looksLike ? `: it is ${looksLike}` : ''}. ${expected}${advice}`;
}

/**
 * In an archive of which some entries were recognized, finds the first other entry that should have been too: without
 * it, companies would be silently missing. That is an HTML page, a table with most of the main table's columns, or an
 * unreadable entry with the same extension as a recognized one.
 */
export function findBroken(
  file: string,
  mismatches: ReadonlyMap<string, Mismatch>,
  found: readonly string[],
): string | undefined {
  const extensions = new Set(found.map((name) => extname(name)));
  for (const [entry, { missing, source, looksLike, error }] of mismatches) {
    const what = `${entry} in ${file}`;
    if (looksLike === HTML_PAGE) return `${what} is ${looksLike}, not data: download the file again`;
    if (looksLike) continue;
    if (error !== undefined && extensions.has(extname(entry))) return `${what}: ${error.message}`;
    const isNear = source?.map !== undefined && missing.length <= source.required.length / 2;
    if (error === undefined && isNear) return describeMissing(what, missing, source);
  }
  return undefined;
}

export function describeSkipped(file: string, mismatches: ReadonlyMap<string, Mismatch>): string[] {
  return Array.from(mismatches, ([entry, { looksLike, error }]) => {
    const reason = looksLike ? `it is ${looksLike}` : (error?.message ?? 'the register does not know this file');
    return `${entry} in ${file} was skipped: ${reason}`;
  });
}

function describeMissing(what: string, missing: readonly string[], { kind }: Source<unknown>): string {
  const names = missing.map((name) => `"${name}"`).join(', ');
  return `${what} lacks the ${kind === 'tree' ? 'key' : 'column'} ${names}: import the complete, unmodified file`;
}
