import type { ImportedPart } from '../records/origins.ts';
import type { Register } from '../registers/contract.ts';
import { findDay } from './as-of.ts';
import { ImportRefused } from './import-result.ts';
import type { InputFile } from './input-files.ts';
import { type Job, listMissing, planJobs, readCodes } from './jobs.ts';
import { type CodeTables, readCodeTables } from './mapping/map-part.ts';
import { describePart } from './mapping/tracer.ts';
import type { OpenedFile } from './reading/recognize.ts';

/** What the transaction of an import has to do, found out before it starts. */
export interface ImportPlan {
  readonly jobs: readonly Job[];
  /** All parts of all files. Records refer to them by index. */
  readonly parts: readonly ImportedPart[];
  readonly codeTables: CodeTables;
  readonly codes: unknown;
  readonly inThreads: boolean;
  /** The date of each file according to its publisher, or null. */
  readonly days: readonly (string | null)[];
  /** Paths of synthetic files among the code tables. */
  readonly synthetic: ReadonlySet<string>;
  /** Archive entries and sheets that the register does not know. */
  readonly skippedEntries: readonly string[];
  /** One sentence for each optional table that was not given. */
  readonly missing: readonly string[];
}

/** Below this file size, starting a thread takes longer than reading the file. */
const MIN_BYTES_FOR_THREADS = 4 * 1024 * 1024;

export async function planImport(
  opened: readonly OpenedFile[],
  register: Register,
  files: readonly InputFile[],
): Promise<ImportPlan> {
  const parts = opened.flatMap((file) => file.parts);
  const names = files.map(({ name }) => name).join(', ');
  const jobs = planJobs(parts, register);
  if (jobs.length === 0) {
    const advice = 'Add the file that lists the companies to the same command.';
    throw new ImportRefused(`${names}: found only details about companies. ${advice}`);
  }
  const missing = listMissing(register, parts);
  if (missing.required.length > 0) {
    const tables = missing.required.map((table) => `"${table}"`).join(', ');
    throw new ImportRefused(
      `${names}: the import also needs ${tables}. Name all files of the register in one command.`,
    );
  }
  const synthetic = new Set<string>();
  const codeTables = await readCodeTables(parts, (file) => synthetic.add(file));
  const codes = readCodes(register, codeTables);
  return {
    jobs,
    parts: parts.map(describePart),
    codeTables,
    codes,
    inThreads: files.some(({ size }) => size >= MIN_BYTES_FOR_THREADS),
    days: files.map((file) => register.asOf?.(codes) ?? findDay(listNames(file, opened))),
    synthetic,
    skippedEntries: opened.flatMap((file) => file.skipped),
    missing: missing.optional,
  };
}

/** The names of the file and of its archive entries or sheets. */
function listNames({ path, name }: InputFile, opened: readonly OpenedFile[]): string[] {
  const entries = opened.flatMap(({ parts }) => parts).filter(({ file }) => file === path);
  return [name, ...entries.map(({ entry }) => entry)];
}
