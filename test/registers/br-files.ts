import { findCheckDigits } from '../../src/registers/br/register.ts';

/** The published format: every cell is quoted, in Latin-1. */
export const csv = (...rows: readonly (readonly string[])[]) =>
  Buffer.from(rows.map((row) => `${row.map((cell) => `"${cell}"`).join(';')}\n`).join(''), 'latin1');

export const CODES = {
  Cnaes: csv(['6204000', 'Consultoria em tecnologia da informação'], ['6201501', 'Desenvolvimento de programas']),
  Motivos: csv(['00', 'SEM  MOTIVO'], ['01', 'EXTINCAO POR ENCERRAMENTO LIQUIDACAO VOLUNTARIA']),
  Municipios: csv(['9701', 'BRASILIA']),
  Naturezas: csv(['2062', 'Sociedade Empresária Limitada']),
  Paises: csv(['105', 'BRASIL']),
  Qualificacoes: csv(['05', 'Administrador'], ['49', 'Sócio-Administrador']),
};

export const company = (root: string, more: { name?: string; capital?: string; size?: string } = {}) => [
  root,
  more.name ?? 'SERTÃO AÇÚCAR & CIA LTDA',
  '2062',
  '49',
  more.capital ?? '1061004829,23',
  more.size ?? '03',
  '',
];

export const establishment = (root: string, order: string, more: Readonly<Record<number, string>> = {}) => {
  const body = `${root}${order}`;
  const row = [root, order, findCheckDigits(body) ?? 'XX', order === '0001' ? '1' : '2', 'LOJA DO SERTÃO', '02'];
  row.push('20040522', '00', '', '', '19670630', '6204000', '6201501,6204000,9999999', 'AVENIDA', 'L2 SGAN', '601');
  row.push('MODULO G', 'ASA NORTE', '70836900', 'DF', '9701', '61', '33334444', '', '', '', '', 'a@b.example', '', '');
  for (const [index, cell] of Object.entries(more)) row[Number(index)] = cell;
  return row;
};
