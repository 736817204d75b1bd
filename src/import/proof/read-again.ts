import { basename } from 'node:path';
import { addFileName, type Batches, FormatError, type SourceRow } from '../../formats/rows.ts';
import type { Register } from '../../registers/contract.ts';
import type { RowRange } from '../../registry/records/provenance.ts';
import { describePart } from '../mapping/tracer.ts';
import { isTable, type Part } from '../reading/part.ts';
import { recognizeFile } from '../reading/recognize.ts';
import type { ClaimedPart } from './claim.ts';

/** A part of a kept file, with the rows that a record claims. */
export interface ReadPart {
  readonly claimed: ClaimedPart;
  readonly part: Part;
  /** Those that the file has, in file order. Of a code table, all rows. */
  readonly rows: readonly SourceRow<unknown>[];
}

interface ReadOptions {
  readonly register: Register;
  readonly registers: readonly Register[];
  /** Called with the number of bytes of a part that were read so far, and its size. */
  readonly onBytes: (count: number, total: number) => void;
  readonly signal: AbortSignal;
}

/** The file cannot be read again by this version of the program. */
export class UnreadableFile extends Error {}

/** In characters: twice as much as an import accepts for one company. A damaged store must not fill the memory. */
const MAX_LENGTH = 128 * 1024 * 1024;

/** Reads the claimed rows of one file again. Throws `UnreadableFile` if the register does not recognize them. */
export async function readAgain(
  path: string,
  claimed: readonly ClaimedPart[],
  { register, registers, onBytes, signal }: ReadOptions,
): Promise<ReadPart[]> {
  try {
    const { parts, close } = await recognizeFile(path, register, registers);
    try {
      const read: ReadPart[] = [];
      for (const claim of claimed) read.push(await readPart(findPart(parts, claim), claim, { onBytes, signal }));
      return read;
    } finally {
      await close();
    }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new UnreadableFile((addFileName(error, basename(path)) as Error).message);
  }
}

async function readPart(
  part: Part,
  claimed: ClaimedPart,
  { onBytes, signal }: Pick<ReadOptions, 'onBytes' | 'signal'>,
): Promise<ReadPart> {
  const batches = part.read((count) => onBytes(count, part.size)) as Batches<unknown>;
  const headerPlace = isTable(part) ? part.header.place : 0;
  const ranges = claimed.content === 'codes' ? ALL_ROWS : claimed.rows;
  return { claimed, part, rows: await collectRows(batches, headerPlace, ranges, signal) };
}

const ALL_ROWS: readonly RowRange[] = [{ first: 1, last: Number.MAX_SAFE_INTEGER }];

function findPart(parts: readonly Part[], { table, entry }: ClaimedPart): Part {
  const found = parts.find((part) => part.source.name === table && describePart(part).entry === entry);
  if (found !== undefined) return found;
  const where = entry === null ? '' : `the entry or sheet "${entry}" with `;
  throw new FormatError(`this version of the program does not find ${where}the table "${table}" in it`);
}

/** Stops after the last range: the rest of the file is not read. */
async function collectRows(
  batches: Batches<unknown>,
  headerPlace: number,
  ranges: readonly RowRange[],
  signal: AbortSignal,
): Promise<SourceRow<unknown>[]> {
  const rows: SourceRow<unknown>[] = [];
  let next = 0;
  let length = 0;
  for await (const batch of batches) {
    signal.throwIfAborted();
    for (const row of batch) {
      while ((ranges[next]?.last ?? Number.POSITIVE_INFINITY) < row.place) next++;
      const range = ranges[next];
      if (range === undefined) return rows;
      if (row.place < range.first || row.place <= headerPlace) continue;
      rows.push(row);
      length += row.size;
      if (length > MAX_LENGTH) throw new FormatError('the rows of the record are too long to be read again');
    }
  }
  return rows;
}
