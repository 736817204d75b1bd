import type { Queries } from '../base/db/db.ts';
import { MAX_LOOKUP_SIZE } from '../base/db/lists.ts';
import { fail } from '../base/errors.ts';
import { isUuid, nameUuid } from '../base/ids.ts';
import { takeBreakIfDue } from '../base/system/event-loop.ts';
import type { Register } from '../registers/contract.ts';
import { findStates } from './records/store.ts';

/** A company by its id, or by its country and registration number. */
export type CompanyReference =
  | { readonly id: string }
  | { readonly countryCode: string; readonly registrationNumber: string };

/** The ids of these companies, in the given order. Undefined for companies that are not in the store. */
export async function findIds(db: Queries, registers: readonly Register[], references: readonly CompanyReference[]) {
  const candidates: string[][] = [];
  for (const reference of references) {
    await takeBreakIfDue();
    candidates.push(listCandidates(reference, registers));
  }
  const known = await findKnown(db, [...new Set(candidates.flat())]);
  return candidates.map((ids) => ids.find((id) => known.has(id)));
}

/** The ids that a company can have: an id is derived from country, register and number. */
function listCandidates(reference: CompanyReference, registers: readonly Register[]): string[] {
  if ('id' in reference) return [reference.id.toLowerCase()];
  const country = reference.countryCode.toUpperCase();
  const number = reference.registrationNumber.trim();
  const bare = number.replace(/\s/g, '');
  return registers
    .filter((register) => register.country === null || register.country === country)
    .flatMap((register) => {
      const numbers = new Set([number, bare, bare.toUpperCase(), register.writeNumber?.(bare) ?? bare]);
      return [...numbers].map((each) => nameUuid(`${country}/${register.id}/${each}`));
    });
}

async function findKnown(db: Queries, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  for (let from = 0; from < ids.length; from += MAX_LOOKUP_SIZE) {
    await takeBreakIfDue();
    for (const { id } of await findStates(db, ids.slice(from, from + MAX_LOOKUP_SIZE))) known.add(id);
  }
  return known;
}

/** Two letters, then a separator, then the number. No two parts in sequence match the same character, so that matching takes linear time. */
const NUMBERED = /^"?([a-z]{2})"?(?:\s*[,;]\s*|\s+)(?:"\s*)?([^",;\s][^",;\t]{0,99})"?$/i;
/** A list has at most this many lines per company; most lines may be empty. */
const LINES_PER_COMPANY = 10;
const MAX_LINE_LENGTH = 10_000;
/** How much of a line that names no company is shown. */
const SHOWN_LENGTH = 60;

/** Columns of a table, by their names in lower case without anything but letters. */
const COLUMNS: Readonly<Record<string, 'id' | 'country' | 'number'>> = {
  id: 'id',
  country: 'country',
  countrycode: 'country',
  number: 'number',
  registrationnumber: 'number',
  companynumber: 'number',
};

/**
 * Reads a pasted list of companies, one per line: an id, or country and registration number with a comma, semicolon, tab or blank between
 * them; or CSV whose first line names the columns. Empty lines are skipped, and lines that name no company are `unread`. Throws `invalid_request`
 * if the list is too long.
 */
export async function parsePastedCompanies(text: string, most: number) {
  const maxLines = LINES_PER_COMPANY * most;
  const split = text.split(/\r\n|\r|\n/, maxLines + 1);
  const lines = split.map((line, index) => ({ line: line.slice(0, MAX_LINE_LENGTH).trim(), number: index + 1 }));
  const filled = lines.filter(({ line }) => line !== '');
  const heading = filled[0]?.line ?? '';
  const delimiter = [';', '\t'].find((each) => heading.includes(each)) ?? ',';
  const columns = splitCells(heading, delimiter).map((cell) => COLUMNS[cell.toLowerCase().replace(/[^a-z]/g, '')]);
  const hasColumns = columns.includes('id') || (columns.includes('country') && columns.includes('number'));
  const rows = hasColumns ? filled.slice(1) : filled;
  if (rows.length > most || lines.length > maxLines) {
    const message = `The list has more than ${most} companies: create several monitors.`;
    throw fail('invalid_request', { message });
  }
  const references: CompanyReference[] = [];
  const unread: string[] = [];
  for (const { line, number } of rows) {
    await takeBreakIfDue();
    const cells = hasColumns ? splitCells(line, delimiter) : [];
    const cell = (name: string) => cells[columns.indexOf(name as 'id')] ?? '';
    const found = parseLine(cell('id')) ?? parseLine(`${cell('country')},${cell('number')}`) ?? parseLine(line);
    if (found === undefined) unread.push(`line ${number}: ${line.slice(0, SHOWN_LENGTH)}`);
    else references.push(found);
  }
  return { references, unread };
}

function parseLine(line: string): CompanyReference | undefined {
  if (isUuid(line)) return { id: line };
  const [, countryCode, registrationNumber] = NUMBERED.exec(line) ?? [];
  return countryCode && registrationNumber ? { countryCode, registrationNumber } : undefined;
}

/** A delimiter between quotation marks belongs to its cell. A loop, because a pattern would be slow for a line of quotation marks. */
function splitCells(line: string, delimiter: string): string[] {
  const cells = [''];
  let isQuoted = false;
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted;
    else if (character === delimiter && !isQuoted) cells.push('');
    else cells[cells.length - 1] += character;
  }
  return cells.map((cell) => cell.trim());
}
