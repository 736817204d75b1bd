import { createReadStream } from 'node:fs';
import { readCsv } from '../../src/formats/csv.ts';

/** The rows of a CSV file with a header, as objects. */
export async function readRows(file: string, delimiter = ','): Promise<Readonly<Record<string, string>>[]> {
  const rows: Record<string, string>[] = [];
  let header: readonly string[] | undefined;
  for await (const batch of readCsv(createReadStream(file), { encoding: 'utf-8', delimiter, quote: '"' })) {
    for (const { value: cells } of batch) {
      if (header === undefined) header = cells.map((cell) => cell.replace(/^\ufeff/, ''));
      else rows.push(Object.fromEntries(header.map((name, at) => [name, cells[at] ?? ''])));
    }
  }
  return rows;
}

/** Half of every set is for tuning, and the other half is held out. Which half, only the text decides. */
export function isHeldOut(text: string): boolean {
  let hash = 2_166_136_261;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619);
  hash ^= hash >>> 15;
  return (hash & 1) === 1;
}
