/** Brazil: the national register of legal entities (CNPJ). Monthly files of the tax office are joined by company. */
import { defineRegister, type Join } from '../contract.ts';
import { fetch } from './fetch.ts';
import { mapCompany } from './map.ts';
import { checkNumber } from './number.ts';
import { isOrganisation, readListed } from './parties.ts';
import { CODE_TABLES, type Codes, KEY, readCodes, TABLES } from './tables.ts';

const OF_COMPANY: Join = { column: KEY };

export const br = defineRegister<Codes>({
  id: 'br',
  country: 'BR',
  name: 'National Register of Legal Entities',
  nativeName: 'Cadastro Nacional da Pessoa Jurídica (CNPJ)',
  publisher: 'Receita Federal do Brasil',
  licence: 'Unknown',
  licenceUnknown: true,
  attribution: 'Receita Federal do Brasil, Cadastro Nacional da Pessoa Jurídica',
  sourceUrl: 'https://dados.gov.br/dados/conjuntos-dados/cadastro-nacional-da-pessoa-juridica---cnpj',
  updates: 'monthly',
  fetch,
  files: [
    'Empresas0.zip … Empresas9.zip',
    'Estabelecimentos0.zip … 9',
    'Socios0.zip … 9',
    'Simples.zip',
    'Cnaes.zip …',
  ],
  minimumRows: 10_000_000,
  numberColumns: [KEY],
  letters: /[áàâãçéêíóôõúü]/iu,
  sources: [
    { ...TABLES.empresas, key: KEY, map: mapCompany },
    // Without them companies have no status and no city.
    { ...TABLES.estabelecimentos, joins: { ...OF_COMPANY, paired: true } },
    { ...TABLES.simples, joins: OF_COMPANY },
    { ...TABLES.socios, joins: OF_COMPANY, isOrganisation },
    ...CODE_TABLES,
  ],
  // Other registers write the full number of the head office; its first eight characters identify the company.
  writeNumber: (number) => number.replace(/[./-]/g, '').slice(0, 8),
  keyLength: 8,
  checkNumber,
  recordParties: readListed,
  readCodes,
});
