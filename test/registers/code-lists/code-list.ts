/**
 * The code lists of a register as its publisher documents them, to be compared with what the register's mapping makes of
 * them. `<cc>.ts` in this folder has the lists of a register: `codeLists`, and `without` for the lists that it does not
 * have. They are written from the publisher's documents, never copied from the source of the register.
 */
import assert from 'node:assert/strict';
import type {
  CodeRow,
  Json,
  MappedRecord,
  Register,
  Rejection,
  TableSource,
  TreeSource,
} from '../../../src/registers/contract.ts';
import { type Row, toCell } from '../../harness/mapping.ts';

export interface CodeList {
  readonly list: 'status' | 'legalForm' | 'role' | 'activity' | 'size' | 'country';
  /** Maps a company that has the value. */
  readonly map: (value: string) => Mapped;
  /**
   * Every documented value, and what the record must show for it. Other spellings that real files have are values too.
   * None of them may be reported: an official value must not make a file fail.
   */
  readonly cases: readonly Case[];
  /** Values that are not on the list, such as all other codes of the same length. */
  readonly others?: {
    readonly values: Iterable<string>;
    readonly shown: string | null;
    /** Whether the import must report them as unknown. Roles are not reported. */
    readonly reported: boolean;
  };
}

export type Case = readonly [value: string, shown: string | null];

/** Lists that every register has, or explains in `without`. */
export const REQUIRED_LISTS = ['status', 'legalForm', 'role'] as const;
export type Without = { readonly [List in (typeof REQUIRED_LISTS)[number]]?: string };

interface Mapped {
  readonly shown: string | null;
  readonly reported: boolean;
}

interface Company {
  readonly row: Row | { readonly [key: string]: Json };
  /** The rows of joined tables, by table. */
  readonly rows?: Readonly<Record<string, readonly Row[]>>;
}

/** Makes `map`: builds a company that has the value, maps it with a source of the register, and reads what is shown. */
export function mapWith(
  register: Register,
  source: string,
  tables: Readonly<Record<string, readonly CodeRow[]>>,
  build: (value: string) => Company,
  read: (record: MappedRecord) => string | null | undefined,
): CodeList['map'] {
  const found = register.sources.find(({ name }) => name === source);
  assert.ok(found?.map !== undefined, `${register.id} has no source "${source}" with records`);
  const codes = register.readCodes(new Map(Object.entries(tables)));
  return (value) => {
    const { row, rows = {} } = build(value);
    let reported = false;
    const report = () => {
      reported = true;
    };
    const context = { codes, report, reportUnknown: report };
    const joined = (table: string) => (rows[table] ?? []).map(toCell);
    const result: MappedRecord | Rejection | undefined =
      found.kind === 'tree'
        ? (found as TreeSource<unknown>).map(row as { [key: string]: Json }, context)
        : (found as TableSource<unknown>).map?.(toCell(row as Row), context, joined);
    assert.ok(result !== undefined && !('rejected' in result), `${register.id} rejects ${JSON.stringify(row)}`);
    return { shown: read(result) ?? null, reported };
  };
}

/** What most lists read. */
export const readStatus = ({ status }: MappedRecord): string => status;
export const readFormLabel = ({ legalForm }: MappedRecord): string | undefined => legalForm?.label;
export const readRole = ({ registry }: MappedRecord): string | undefined => registry.parties?.[0]?.role;

/** One case per line: a value, two or more spaces or `=`, and what is shown. `-` shows nothing. */
export function parseCases(text: string): Case[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [, value = '', shown = ''] = /^(.+?)(?: {2,}| = )(.+)$/.exec(line) ?? [];
      assert.ok(value !== '', `not a case: ${line}`);
      return [value, shown === '-' ? null : shown];
    });
}

/** All numbers below a bound with leading zeros, without those of the cases. */
export function listOtherNumbers(digits: number, cases: readonly Case[]): string[] {
  const listed = new Set(cases.map(([value]) => value));
  const numbers = Array.from({ length: 10 ** digits }, (_, number) => String(number).padStart(digits, '0'));
  return numbers.filter((number) => !listed.has(number));
}
