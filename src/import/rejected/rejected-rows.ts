import type { Transaction } from '../../base/db/db.ts';
import { formatCount } from '../../base/format-count.ts';
import { nameUuid } from '../../base/ids.ts';
import { removeSeparators } from '../../base/search-keys.ts';
import type { Register } from '../../registers/contract.ts';
import { isTable, type Part } from '../reading/part.ts';
import { findExisting, findMissing, findMissingOf, type ImportKey, insertIds, type NamedCompany } from '../store.ts';

/**
 * Keeps companies that a full import would delist only because their rows were rejected. A number in such a row leads to
 * its company. While no number can be read in a row, any missing company may be its company, so no company is delisted.
 */
export interface RejectedRow {
  /** Ids that the numbers of the row may lead to. Most of these ids are in no store. */
  readonly ids: readonly string[];
  readonly isUnreadable: boolean;
}

/** A rejected row with its file and place. */
export interface PlacedRow extends RejectedRow {
  readonly where: string;
}

/** What was kept, with the first examples. */
export interface Kept {
  readonly found: number;
  /** Missing companies that were not delisted because of rows without a readable number. */
  readonly doubtful: number;
  /** One sentence for each kind. */
  readonly notes: readonly string[];
}

export const NOTHING_KEPT: Kept = { found: 0, doubtful: 0, notes: [] };

const MAX_NAMED = 10;
const MAX_PLACES = 1_000;

export function createRejectedRows(tx: Transaction, key: ImportKey) {
  let unreadable = 0;
  /** The places of the first unreadable rows, whose numbers are 1, 2 and so on. */
  const places: string[] = [];
  /** The companies in the store that a rejected row may belong to, with the numbers of such rows that are unreadable. */
  const candidates = new Map<string, Set<number>>();
  return {
    async add(rows: readonly PlacedRow[]): Promise<void> {
      const held = new Set(await findExisting(tx, [...new Set(rows.flatMap(({ ids }) => ids))]));
      for (const { ids, isUnreadable, where } of rows) {
        if (isUnreadable && unreadable++ < MAX_PLACES) places.push(where);
        for (const id of ids) {
          if (!held.has(id)) continue;
          const numbers = candidates.getOrInsertComputed(id, () => new Set());
          if (isUnreadable) numbers.add(unreadable);
        }
      }
    },
    /** Must be called after the last row. If the user declares the files complete, no missing company is doubtful. */
    async keep(areComplete: boolean): Promise<Kept> {
      const found = await findMissingOf(tx, key, [...candidates.keys()]);
      const ids = found.map(({ id }) => id);
      const resolved = new Set(ids.flatMap((id) => [...(candidates.get(id) ?? [])]));
      // From now on these companies count as contained in the import.
      await insertIds(tx, 'seen', ids);
      const doubted = areComplete ? 0 : unreadable - resolved.size;
      const all = await findMissing(tx, key, MAX_NAMED);
      const doubtful = doubted > 0 ? all.count : 0;
      const where = places.filter((_, index) => !resolved.has(index + 1)).slice(0, 3);
      const keyOf = ({ number, id }: NamedCompany) => `${number ?? ''} ${id}`;
      const first = found.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)).slice(0, MAX_NAMED);
      return {
        found: found.length,
        doubtful,
        notes: [
          ...(found.length === 0 ? [] : [describeFound(found.length, listNames({ count: found.length, first }))]),
          ...(doubtful === 0 ? [] : [describeDoubtful(doubtful, doubted, where, listNames(all))]),
        ],
      };
    },
  };
}

function describeFound(count: number, names: string): string {
  return count === 1
    ? `1 company keeps its data, because its row was rejected: ${names}`
    : `${formatCount(count)} companies keep their data, because their rows were rejected: ${names}`;
}

function describeDoubtful(count: number, rows: number, where: readonly string[], names: string): string {
  const companies =
    count === 1 ? '1 company that the files lack was' : `${formatCount(count)} companies that the files lack were`;
  const inRows = rows === 1 ? '1 rejected row' : `${formatCount(rows)} rejected rows`;
  const shown = [...where, ...(rows > where.length ? ['…'] : [])].join('; ');
  return (
    `${companies} not delisted, because no number can be read in ${inRows}, which may be theirs (${shown}): ` +
    `${names}. If the files are complete, import them with --full`
  );
}

function listNames({ count, first }: { readonly count: number; readonly first: readonly NamedCompany[] }): string {
  const names = first.map(({ name, number }) => (number === null ? name : `${name} (${number})`)).join(', ');
  return count > first.length ? `${names} and ${formatCount(count - first.length)} more` : names;
}

/** Finds numbers in the rows of a part: cells of a table, or a record of a tree. A number may be in the wrong column. */
export function createRowIdentifier(part: Part, register: Register) {
  const { numberColumns } = register;
  const positions = isTable(part) ? numberColumns.map((column) => part.header.positions.get(column)) : numberColumns;
  return (row: unknown): RejectedRow => {
    const cells = row as Readonly<Record<string, unknown>>;
    const numbers = positions.map((position) => findFirstText(cells[position ?? -1]));
    const text = writeTexts(row);
    const tokens = text.match(TOKEN)?.slice(0, MAX_TOKENS) ?? [];
    const forms = new Set([...numbers, ...tokens].flatMap((token) => listForms(token.trim(), register)));
    const countries = register.country === null ? listCountries(tokens) : [register.country];
    const isReadable = countries.length > 0 && numbers.some((number) => isNumber(number, register));
    return {
      ids: countries.flatMap((country) => Array.from(forms, (form) => nameUuid(`${country}/${register.id}/${form}`))),
      isUnreadable: !isReadable && HAS_TEXT.test(text),
    };
  };
}

/** A number, a word, or both with separators inside, such as `J40/1234/2020`. */
const TOKEN = /[\p{L}\p{N}]+(?:[./-][\p{L}\p{N}]+)*/gu;
const HAS_TEXT = /[\p{L}\p{N}]/u;

/** Far more than the columns of any register, and few enough for a row that swallowed other rows. */
const MAX_TOKENS = 500;
const MAX_NUMBER_LENGTH = 40;

/** Ids contain the country of the record, and a row names at most a few countries. */
function listCountries(tokens: readonly string[]): string[] {
  return [...new Set(tokens.flatMap((token) => token.match(COUNTRY) ?? []))].slice(0, MAX_COUNTRIES);
}

const COUNTRY = /^[A-Z]{2}(?=$|-)/;
const MAX_COUNTRIES = 20;

function listForms(token: string, { writeNumber, checkNumber }: Register): string[] {
  if (token.length > MAX_NUMBER_LENGTH || !/\d/.test(token)) return [];
  const checked = checkNumber?.(removeSeparators(token).toUpperCase())?.number;
  return [token, writeNumber?.(token) ?? token, checked ?? token];
}

function isNumber(text: string, { checkNumber }: Register): boolean {
  const checked = checkNumber?.(removeSeparators(text).toUpperCase());
  return checked != null && checked.valid !== false;
}

/** In an element or object with the number and other facts, the number comes first. */
function findFirstText(value: unknown): string {
  if (typeof value === 'object' && value !== null) return findFirstText(Object.values(value)[0]);
  return value === undefined || value === null ? '' : String(value);
}

/** All texts of the row. An escaped character, such as a line end, ends a number. */
function writeTexts(row: unknown): string {
  return (JSON.stringify(row) ?? '').replace(/\\u[\da-f]{4}|\\./g, ' ');
}
