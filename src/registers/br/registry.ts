/** Typed fields that are read from more than one column: address, tax regimes and partners. */
import type { Cell, JoinedRows, Json } from '../contract.ts';
import { compact, readText } from '../parsing.ts';
import { type Context, lookUpName, readCode, readDay } from './cells.ts';

export function readAddress(head: Cell, context: Context) {
  return compact({
    streetType: readText(head('tipo_logradouro')),
    street: readText(head('logradouro')),
    number: readText(head('numero')),
    complement: readText(head('complemento')),
    district: readText(head('bairro')),
    postCode: readText(head('cep')),
    city: lookUpName('municipios', head('municipio'), context),
    cityCode: readText(head('municipio')),
    state: readText(head('uf')),
    foreignCity: readText(head('nome_cidade_exterior')),
    country: readCode('paises', head('pais'), context),
  });
}

/** Simples Nacional and MEI, the simplified tax regimes of small companies. */
export function readTaxRegimes(rows: JoinedRows, context: Context) {
  const [row] = rows('simples');
  if (row === undefined) return {};
  return { simples: readRegime(row, 'simples', context), mei: readRegime(row, 'mei', context) };
}

const CHOICES: ReadonlyMap<string, boolean | null> = new Map([
  ['S', true],
  ['N', false],
  ['', null],
]);

function readRegime(row: Cell, regime: 'simples' | 'mei', context: Context) {
  const column = `opcao_${regime}`;
  const text = row(column).trim();
  const chosen = CHOICES.get(text);
  if (chosen === undefined) context.report(column, text, 'neither S nor N');
  return compact({
    chosen: chosen ?? null,
    from: readDay(`data_opcao_${regime}`, row, context),
    until: readDay(`data_exclusao_${regime}`, row, context),
  });
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ['1', 'company'],
  ['2', 'person'],
  ['3', 'foreign'],
]);

/** The publisher masks personal numbers, and writes `***000000**` if there is none. */
const NO_NUMBER = /^\**0*\**$/;

export function readPartners(rows: JoinedRows, context: Context): Json[] {
  return rows('socios').map((row) => {
    const kind = KINDS.get(row('identificador_socio').trim());
    if (kind === undefined)
      context.report('identificador_socio', row('identificador_socio'), 'unknown kind of partner');
    const number = (column: string) => (NO_NUMBER.test(row(column).trim()) ? null : readText(row(column)));
    return compact({
      kind: kind ?? null,
      name: readText(row('nome_socio')),
      number: number('cpf_cnpj_socio'),
      qualification: readCode('qualificacoes', row('qualificacao_socio'), context),
      since: readDay('data_entrada_sociedade', row, context),
      country: readCode('paises', row('pais'), context),
      representative: compact({
        name: readText(row('nome_representante')),
        number: number('representante_legal'),
        qualification: readText(row('nome_representante'))
          ? readCode('qualificacoes', row('qualificacao_representante'), context)
          : null,
      }),
      ageGroup: row('faixa_etaria').trim() === '0' ? null : readText(row('faixa_etaria')),
    });
  });
}
