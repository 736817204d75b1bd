/** The files have no header. Columns are known by position and named as in the publisher's documentation. */
import type { CodeRow, Headerless, TableSource } from '../contract.ts';

export const CSV = { delimiter: ';', quote: '"', encoding: 'iso-8859-1' } as const;

export const EMPRESAS = [
  ...['cnpj_basico', 'razao_social', 'natureza_juridica', 'qualificacao_responsavel', 'capital_social', 'porte'],
  ...['ente_federativo_responsavel'],
] as const;

const ESTABELECIMENTOS = [
  ...['cnpj_basico', 'cnpj_ordem', 'cnpj_dv', 'identificador_matriz_filial', 'nome_fantasia', 'situacao_cadastral'],
  ...['data_situacao_cadastral', 'motivo_situacao_cadastral', 'nome_cidade_exterior', 'pais'],
  ...['data_inicio_atividade', 'cnae_fiscal_principal', 'cnae_fiscal_secundaria', 'tipo_logradouro', 'logradouro'],
  ...['numero', 'complemento', 'bairro', 'cep', 'uf', 'municipio', 'ddd_1', 'telefone_1', 'ddd_2', 'telefone_2'],
  ...['ddd_fax', 'fax', 'correio_eletronico', 'situacao_especial', 'data_situacao_especial'],
] as const;

const SOCIOS = [
  ...['cnpj_basico', 'identificador_socio', 'nome_socio', 'cpf_cnpj_socio', 'qualificacao_socio'],
  ...['data_entrada_sociedade', 'pais', 'representante_legal', 'nome_representante', 'qualificacao_representante'],
  ...['faixa_etaria'],
] as const;

const SIMPLES = [
  ...['cnpj_basico', 'opcao_simples', 'data_opcao_simples', 'data_exclusao_simples', 'opcao_mei', 'data_opcao_mei'],
  ...['data_exclusao_mei'],
] as const;

/** Numbers have digits only so far, but the publisher has announced letters for new ones. */
const ROOT = /^[0-9A-Z]{8}$/;

/** The first eight characters of the number identify the company; every table has them. */
export const KEY = 'cnpj_basico';

function table(
  name: string,
  columns: readonly string[],
  fileName: RegExp,
  isRow: Headerless['isRow'],
): TableSource<Codes> {
  return { kind: 'table', name, csv: CSV, columns, required: [], match: 'trimmed', headerless: { fileName, isRow } };
}

/** The table of companies, or one whose rows belong to companies. It is recognized by its file name and first row. */
function companyTable(
  name: string,
  columns: readonly string[],
  fileName: RegExp,
  cell?: readonly [at: number, RegExp],
) {
  return table(name, columns, fileName, (cells) => {
    const [at, pattern] = cell ?? [0, ROOT];
    return cells.length >= columns.length && ROOT.test(cells[0] ?? '') && pattern.test(cells[at] ?? '');
  });
}

export const TABLES = {
  empresas: companyTable('empresas', EMPRESAS, /EMPRE/i, [2, /^\d{4}$/]),
  estabelecimentos: companyTable('estabelecimentos', ESTABELECIMENTOS, /ESTABELE/i),
  simples: companyTable('simples', SIMPLES, /SIMPLES/i, [1, /^[SN]?$/]),
  socios: companyTable('socios', SOCIOS, /SOCIO/i),
};

const CODE_FILES = {
  cnaes: /CNAE/i,
  motivos: /MOTI/i,
  municipios: /MUNIC/i,
  naturezas: /NATJU|NATUREZA/i,
  paises: /PAIS/i,
  qualificacoes: /QUALS|QUALIFICA/i,
};
export type CodeTable = keyof typeof CODE_FILES;

export const CODE_TABLES = Object.entries(CODE_FILES).map(([name, fileName]) =>
  table(name, ['codigo', 'descricao'], fileName, (cells) => cells.length === 2 && /^\d+$/.test(cells[0] ?? '')),
);

/** Names of codes, by table. Tables that were not imported are missing. */
export type Codes = ReadonlyMap<string, ReadonlyMap<string, string>>;

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
