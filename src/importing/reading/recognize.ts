import { basename } from 'node:path';
import { addFileName } from '../../formats/damage.ts';
import { FormatError } from '../../formats/rows.ts';
import { openPackage } from '../../formats/unpack.ts';
import { openWorkbook } from '../../formats/xlsx.ts';
import type { Register } from '../../registers/contract.ts';
import { matchPacked, matchSheet, readFirstRows } from './match-part.ts';
import { describeMismatch, describeSkipped, findBroken, type Mismatch } from './mismatch.ts';
import { FileRefused, type OpenedParts, type Part } from './part.ts';

export interface OpenedFile extends OpenedParts {
  /** Archive entries and sheets that the register does not know: one sentence for each. */
  readonly skipped: readonly string[];
}

/**
 * Opens a file and finds out, by headers and keys, which sources of the register its parts are. Throws when it has
 * none, or when one of its parts is damaged. `others` are the registers to suggest for a file of another register.
 */
export async function recognizeFile(
  path: string,
  register: Register,
  others: readonly Register[],
): Promise<OpenedFile> {
  const { entries, close } = await openEntries(path);
  try {
    const parts: Part[] = [];
    const mismatches = new Map<string, Mismatch>();
    for (const { name, match } of entries) {
      const result = await match(register);
      if ('missing' in result) mismatches.set(name, result);
      else parts.push(requireImportable(result));
    }
    const file = basename(path);
    if (parts.length === 0) {
      const lookalike = await findLookalike(entries, register, others);
      throw new FileRefused(describeMismatch(file, register, [...mismatches.values()], lookalike));
    }
    const found = entries.map(({ name }) => name).filter((name) => !mismatches.has(name));
    const broken = findBroken(file, mismatches, found);
    if (broken !== undefined) throw new FileRefused(broken);
    return { parts, skipped: describeSkipped(file, mismatches), close };
  } catch (error) {
    await close();
    throw addFileName(error, basename(path));
  }
}

function requireImportable(part: Part): Part {
  const { refusal } = part.source;
  if (refusal !== undefined) throw new FileRefused(`${basename(part.file)}: ${refusal}`);
  return part;
}

interface Entry {
  readonly name: string;
  match(register: Register): Promise<Part | Mismatch>;
}

/** The files of an archive, the sheets of a workbook, or the file itself. */
async function openEntries(path: string): Promise<{ entries: readonly Entry[]; close(): Promise<void> }> {
  const opened = await openPackage(path);
  if (opened.kind !== 'xlsx') {
    const entries = opened.files.map((packed) => ({
      name: packed.name,
      match: (register: Register) => matchPacked(path, packed, register),
    }));
    return { entries, close: opened.close };
  }
  await opened.close();
  const { sheets, isSynthetic, close } = await openWorkbook(path);
  const entries = sheets.map((sheet) => {
    // Read once for all registers: a sheet without rows is read to its end.
    let first: ReturnType<typeof readFirstRows<readonly string[]>> | undefined;
    const firstRows = () => {
      first ??= readFirstRows(sheet.rows());
      return first;
    };
    const match = (register: Register) => matchSheet(path, { ...sheet, isSynthetic, firstRows }, register);
    return { name: `sheet "${sheet.name}"`, match };
  });
  return { entries, close };
}

/** Entries that are compared with other registers. Official archives of one register have one or a few kinds of files. */
const MAX_ENTRIES_TO_COMPARE = 20;

/** The register that the file belongs to, for the error message. */
async function findLookalike(
  entries: readonly Entry[],
  register: Register,
  others: readonly Register[],
): Promise<Register | undefined> {
  for (const other of others) {
    if (other.id === register.id) continue;
    for (const { match } of entries.slice(0, MAX_ENTRIES_TO_COMPARE)) {
      try {
        if (!('missing' in (await match(other)))) return other;
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
      }
    }
  }
  return undefined;
}
