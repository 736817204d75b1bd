import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { SetModes } from '../base/party-modes.ts';
import { hashFile } from '../formats/unpack.ts';
import type { Register } from '../registers/contract.ts';
import { findStamp } from './fetch/originals.ts';
import { buildCodes, describeUnpaired, type Job, listMissing, planJobs } from './jobs.ts';
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
  const names = files.map(({ name }) => name).join(', ');
  const refuse = (reason: string) => {
    throw new ImportRefused(`${names}: ${reason}`);
  };
  const parts = opened.flatMap((file) => file.parts);
  const jobs = planJobs(parts, register);
  const isOff = ({ source }: Part) => modes[source.parties?.set ?? ''] === 'off';
  const off = parts.filter((part) => hasParties(part) && isOff(part));
  const on = parts.filter((part) => hasParties(part) && !isOff(part));
  const partyJobs = on.map((part): Job => ({ main: [part], joined: [] }));
  if (jobs.length + partyJobs.length === 0)
    refuse(
      off.length > 0
        ? `${describeOff(register, off)}.`
        : 'found only details about companies. Add the file that lists the companies to the same command.',
    );
  const missing = listMissing(register, parts);
  const required = missing.required.map((table) => `"${table}"`).join(', ');
  if (required !== '') refuse(`the import also needs ${required}. Name all files of the register in one command.`);
  const unpaired = describeUnpaired(register, parts);
  if (unpaired !== null) refuse(unpaired);
  const problems = new Problems();
  const codeTables = await loadCodeTables(parts, problems);
  const codes = buildCodes(register, codeTables);
  const read = new Set(parts.filter((part) => !off.includes(part)).map(({ file }) => file));
  return {
    ...{ jobs, codeTables, codes, problems },
    /** A job for each part with parties of companies that are not switched off. */
    partyJobs,
    /** All parts of all files. Records refer to them by index. */
    parts: parts.map(describePart),
    inThreads: files.some(({ size }) => size >= MIN_BYTES_FOR_THREADS),
    /** The date of each file according to its publisher, or null. */
    days: files.map((file) => register.asOf?.(codes) ?? findDay(listNames(file, parts))),
    /** The files that are not read, because all their parties are switched off. */
    unread: new Set(off.map(({ file }) => file)).difference(read),
    /** Archive entries and sheets that the register does not know. */
    skippedEntries: opened.flatMap((file) => file.skipped),
    /** One sentence for each optional table that was not given. */
    missing: [
      ...missing.optional,
      ...(off.length > 0 ? [`skipped the files of parties: ${describeOff(register, off)}`] : []),
    ],
  };
}

function describeOff({ id }: Register, off: readonly Part[]): string {
  const persons = off.find(({ source }) => source.parties?.onlyPersons);
  if (persons !== undefined)
    return `they have only natural persons, whom PARTIES leaves out: add ${id}/${persons.source.parties?.set}=names to import them`;
  return 'parties of this register are switched off (PARTIES)';
}

/** The names of the file and of its archive entries or sheets. */
function listNames({ path, name }: InputFile, parts: readonly Part[]): string[] {
  return [name, ...parts.filter(({ file }) => file === path).map(({ entry }) => entry)];
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
  const found = [
    ...Array.from(name.matchAll(YEAR_FIRST), ([, year, , month, day]) => `${year}-${month}-${day}`),
    ...Array.from(name.matchAll(DAY_FIRST), ([, day, , month, year]) => `${year}-${month}-${day}`),
  ];
  return found.filter((day) => day >= '1990' && day < '2100' && isDay(day));
}

/** A date such as 30 February is parsed as another day. */
function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** A file to import, in its state before the import read it. */
interface InputFile {
  readonly path: string;
  readonly name: string;
  readonly hash: string;
  readonly size: number;
  readonly stamp: string;
}

export interface NumberedFile extends InputFile {
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
