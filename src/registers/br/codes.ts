/** The code tables, and fields with codes or days. */
import type { Cell, CodeRow } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { type Field, tableFields } from '../fields.ts';
import { readCompactDate } from '../parsing.ts';

/** Names of codes, by table. Tables that were not imported are missing. */
export type Codes = ReadonlyMap<string, ReadonlyMap<string, string>>;
export type BrField<Value> = Field<Cell, Codes, Value>;

export const CODE_FILES = {
  cnaes: /CNAE/i,
  motivos: /MOTI/i,
  municipios: /MUNIC/i,
  naturezas: /NATJU|NATUREZA/i,
  paises: /PAIS/i,
  qualificacoes: /QUALS|QUALIFICA/i,
};
export type CodeTable = keyof typeof CODE_FILES;

export const lists = readCodeLists('br');

export function readCodes(tables: ReadonlyMap<string, readonly CodeRow[]>): Codes {
  const read = (rows: readonly CodeRow[]) =>
    rows.map(({ codigo = '', descricao = '' }) => [codigo.trim(), descricao.trim()] as const);
  return new Map(Array.from(tables, ([name, rows]) => [name, new Map([...lists.labels(name), ...read(rows)])]));
}

export const fields = tableFields<Codes>();

/** The files write `00000000` or `0` for a missing date. */
export const day = fields.parsed(
  (written) => (/^0+$/.test(written) ? undefined : readCompactDate(written)),
  'not a date',
);

/** The text of a code, if its table was imported and lists it. */
export const labelIn =
  (table: CodeTable, read: (cell: Cell) => string): BrField<string> =>
  (cell, { codes }) =>
    codes.get(table)?.get(read(cell)) ?? null;

export const codeIn = (table: CodeTable, column: string) =>
  fields.group({ code: fields.text(column), label: labelIn(table, (cell) => cell(column).trim()) });
