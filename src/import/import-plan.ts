import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { SetModes } from '../base/party-modes.ts';
import { hashFile } from '../formats/unpack.ts';
import type { Register } from '../registers/contract.ts';
import { findStamp } from './fetch/originals.ts';
import { buildCodes, describeUnpaired, listMissing, planJobs } from './jobs.ts';
import { loadCodeTables } from './mapping/map-rows.ts';
import { ImportRefused, Problems } from './mapping/problems.ts';
import { describePart, hasParties, type Part } from './reading/part.ts';
import type { OpenedFile } from './reading/recognize.ts';

export type ImportPlan = Awaited<ReturnType<typeof planImport>>;

/** Below this file size, starting a thread takes longer than reading the file. */
const MIN_BYTES_FOR_THREADS = 4 * 1024 * 1024;

/** Plans what the transaction of an import has to do, before the transaction starts. */
export async function planImport(
  opened: readonly OpenedFile[],
  register: Register,
  files: readonly InputFile[],
  modes: SetModes,
) {
  const parts = opened.flatMap((file) => file.parts);
  const names = files.map(({ name }) => name).join(', ');
  const jobs = planJobs(parts, register);
  const [partyParts, off] = splitByMode(parts.filter(hasParties), modes);
  if (off.length > 0 && jobs.length + partyParts.length === 0)
    throw new ImportRefused(`${names}: ${describeOff(register, off)}.`);
  if (jobs.length === 0 && partyParts.length === 0) {
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
  const unpaired = describeUnpaired(register, parts);
  if (unpaired !== null) throw new ImportRefused(`${names}: ${unpaired}`);
  const problems = new Problems();
  const codeTables = await loadCodeTables(parts, problems);
  const filesOf = (some: readonly Part[]) => new Set(some.map(({ file }) => file));
  const codes = buildCodes(register, codeTables);
  return {
    ...{ jobs, codeTables, codes, problems },
    /** The parts with parties of companies that are not switched off. */
    partyParts,
    /** All parts of all files. Records refer to them by index. */
    parts: parts.map(describePart),
    inThreads: files.some(({ size }) => size >= MIN_BYTES_FOR_THREADS),
    /** The date of each file according to its publisher, or null. */
    days: files.map((file) => register.asOf?.(codes) ?? findDay(listNames(file, opened))),
    /** The files that are not read, because all their parties are switched off. */
    unread: filesOf(off).difference(filesOf(parts.filter((part) => !off.includes(part)))),
    /** Archive entries and sheets that the register does not know. */
    skippedEntries: opened.flatMap((file) => file.skipped),
    /** One sentence for each optional table that was not given. */
    missing:
      off.length > 0
        ? [...missing.optional, `skipped the files of parties: ${describeOff(register, off)}`]
        : missing.optional,
  };
}

function splitByMode(parts: readonly Part[], modes: SetModes): [on: Part[], off: Part[]] {
  const isOn = ({ source }: Part) => modes[source.parties?.set ?? ''] !== 'off';
  return [parts.filter(isOn), parts.filter((part) => !isOn(part))];
}

function describeOff({ id }: Register, off: readonly Part[]): string {
  const persons = off.find(({ source }) => source.parties?.onlyPersons);
  if (persons !== undefined)
    return `they have only natural persons, whom PARTIES leaves out: add ${id}/${persons.source.parties?.set}=names to import them`;
  return 'parties of this register are switched off (PARTIES)';
}

/** The names of the file and of its archive entries or sheets. */
function listNames({ path, name }: InputFile, opened: readonly OpenedFile[]): string[] {
  const entries = opened.flatMap(({ parts }) => parts).filter(({ file }) => file === path);
  return [name, ...entries.map(({ entry }) => entry)];
}

/** The date in the name of a file, or of its first entry with a date. Null if no name has a date, or if a name has different dates. */
export function findDay(names: readonly string[]): string | null {
  for (const name of names) {
    const days = new Set(listDays(name));
    const [day] = days;
    if (day !== undefined) return days.size === 1 ? day : null;
  }
  return null;
}

/** `2026-09-01`, `2026_09_01`, `2026.09.01`, `20260901`, and such dates with the day first if they have separators. */
const YEAR_FIRST = /(?<!\d)(\d{4})([-_.]?)(\d{2})\2(\d{2})(?!\d)/g;
const DAY_FIRST = /(?<!\d)(\d{2})([-_.])(\d{2})\2(\d{4})(?!\d)/g;

function listDays(name: string): string[] {
  return [
    ...Array.from(name.matchAll(YEAR_FIRST), ([, year, , month, day]) => `${year}-${month}-${day}`),
    ...Array.from(name.matchAll(DAY_FIRST), ([, day, , month, year]) => `${year}-${month}-${day}`),
  ].filter(isDay);
}

function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  const isReal = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
  return isReal && text >= '1990' && text < '2100';
}

/** A file to import, in its state before the import read it. */
interface InputFile {
  readonly path: string;
  readonly name: string;
  readonly hash: string;
  readonly size: number;
  /** Changes when the file changes. */
  readonly stamp: string;
}

export interface NumberedFile extends InputFile {
  /** The number of the file in the store. */
  readonly id: number;
}

export function describeFiles(paths: readonly string[]): Promise<InputFile[]> {
  return Promise.all(
    paths.map(async (path) => {
      // Before hashing: a change while the file is hashed must be noticed too.
      const before = { path, name: basename(path), size: statSync(path).size, stamp: findStamp(path) };
      return { ...before, hash: await hashFile(path) };
    }),
  );
}

/** Files are read after they are hashed, and threads open files again: the stored data must come from the hashed bytes. */
export function requireUnchanged(files: readonly InputFile[]): void {
  const changed = files.find(({ path, stamp }) => findStamp(path) !== stamp);
  if (changed !== undefined)
    throw new ImportRefused(`${changed.name} changed while it was being read. Run the import again.`);
}
