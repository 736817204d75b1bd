/** Parsers for single cells and the codes, used by all tables. */
import type { Cell, CodeRow, MapContext } from '../contract.ts';
import { readCompactDate } from '../parsing.ts';

/** Names of codes, by table. Tables that were not imported are missing. */
export type Codes = ReadonlyMap<string, ReadonlyMap<string, string>>;
export type Context = MapContext<Codes>;

export const CODE_FILES = {
  cnaes: /CNAE/i,
  motivos: /MOTI/i,
  municipios: /MUNIC/i,
  naturezas: /NATJU|NATUREZA/i,
  paises: /PAIS/i,
  qualificacoes: /QUALS|QUALIFICA/i,
};
type CodeTable = keyof typeof CODE_FILES;

/** Codes that records have, but the published tables lack. */
const MISSING_CODES: ReadonlyArray<readonly [table: CodeTable, code: string, text: string]> = [
  ['motivos', '32', 'DECURSO DE PRAZO DE INTERRUPCAO TEMPORARIA'],
  ['qualificacoes', '36', 'Gerente-Delegado'],
];

export function readCodes(tables: ReadonlyMap<string, readonly CodeRow[]>): Codes {
  const codes = new Map<string, Map<string, string>>();
  for (const [name, rows] of tables)
    codes.set(name, new Map(rows.map(({ codigo = '', descricao = '' }) => [codigo.trim(), descricao.trim()])));
  for (const [table, code, text] of MISSING_CODES) {
    const texts = codes.get(table);
    if (texts !== undefined && !texts.has(code)) texts.set(code, text);
  }
  return codes;
}

/** The text of a code, or null if its table is missing or does not list it. */
export function lookUpLabel(table: CodeTable, code: string, { codes }: Context): string | null {
  return codes.get(table)?.get(code) ?? null;
}

export function readCode(table: CodeTable, text: string, context: Context): { code: string; label?: string } | null {
  const code = text.trim();
  if (code === '') return null;
  const label = lookUpLabel(table, code, context);
  return label === null ? { code } : { code, label };
}

/** The files write `00000000` or `0` for a missing date. */
export function readDay(column: string, cell: Cell, context: Context): string | null {
  const text = cell(column).trim();
  if (/^0*$/.test(text)) return null;
  const day = readCompactDate(text);
  if (day === null) context.report(column, text, 'not a date');
  return day;
}

/** The tax office has its own numbers of countries; their names are in Portuguese. */
export const LANGUAGES = ['pt'];
