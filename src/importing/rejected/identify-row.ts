import { nameUuid } from '../../core/ids.ts';
import { removeSeparators } from '../../core/search-keys.ts';
import type { Register } from '../../registers/contract.ts';
import { isTable, type Part } from '../reading/part.ts';

/** Which companies a rejected row may be of. */
export interface RejectedRow {
  /** Ids that its numbers may lead to. Most of them are in no store. */
  readonly ids: readonly string[];
  /** Its number cannot be read, so it may be the row of any company. */
  readonly isUnreadable: boolean;
}

/** Finds numbers in the rows of a part: cells of a table, or a record of a tree. They may be in the wrong column. */
export type IdentifyRow = (row: unknown) => RejectedRow;

export function createRowIdentifier(part: Part, register: Register): IdentifyRow {
  const { numberColumns } = register;
  const positions = isTable(part) ? numberColumns.map((column) => part.header.positions.get(column)) : numberColumns;
  return (row) => {
    const cells = row as Readonly<Record<string, unknown>>;
    const numbers = positions.map((position) => readFirstText(cells[position ?? -1]));
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

/** Far more than the columns of any register, and few enough for a row that swallowed others. */
const MAX_TOKENS = 500;
const MAX_NUMBER_LENGTH = 40;

/** Ids have the country of the record, and its row has at most a few. */
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

/** Of an element or object with the number and other facts, the number is the first. */
function readFirstText(value: unknown): string {
  if (typeof value === 'object' && value !== null) return readFirstText(Object.values(value)[0]);
  return value === undefined || value === null ? '' : String(value);
}

/** All texts of the row. An escaped character, such as a line end, ends a number. */
function writeTexts(row: unknown): string {
  return (JSON.stringify(row) ?? '').replace(/\\u[\da-f]{4}|\\./g, ' ');
}
