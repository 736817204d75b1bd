/**
 * Invented companies in the register's files. Every company is generated from its own seed, once for each file, so the
 * files match without any of them being held in memory.
 */

import { CSV, findCheckDigits } from '../../src/registers/br/register.ts';
import { listColumns } from '../../src/registers/contract.ts';
import { type Chance, createChance, createCsvFiles, pickByShare } from '../chance.ts';
import { makeArchive, type SyntheticFile } from '../file.ts';
import {
  ACTIVITIES,
  CITIES,
  DISTRICTS,
  FIRST_NAMES,
  FORMS,
  REASONS,
  ROLES,
  STREETS,
  SURNAMES,
  TRADES,
  WORDS,
} from './br-words.ts';

type Rows = readonly (readonly string[])[];

interface Company {
  readonly empresas: Rows;
  readonly estabelecimentos: Rows;
  readonly simples: Rows;
  readonly socios: Rows;
}

export function generateCompanies(rows: number, seed: number): SyntheticFile {
  const table = (name: string, key: keyof Company) => createFile(name, [], () => generateRows(rows, seed, key));
  const codes = (name: string, list: Rows) => createFile(name, [], () => list.values());
  return makeArchive('cnpj.zip', [
    table('K3241.K03200Y0.D61114.EMPRECSV', 'empresas'),
    table('K3241.K03200Y0.D61114.ESTABELE', 'estabelecimentos'),
    table('K3241.K03200Y0.D61114.SOCIOCSV', 'socios'),
    table('Simples', 'simples'),
    codes('Cnaes', ACTIVITIES),
    codes('Motivos', REASONS),
    codes(
      'Municipios',
      CITIES.map(([code, name]) => [code, name]),
    ),
    codes(
      'Naturezas',
      FORMS.map(([, [code, name]]) => [code, name]),
    ),
    codes('Paises', [['105', 'BRASIL']]),
    codes('Qualificacoes', ROLES),
  ]);
}

/** The files have no header. */
const createFile = createCsvFiles({ dialect: CSV, quoting: 'all' });

function* generateRows(rows: number, seed: number, table: keyof Company): Generator<readonly string[]> {
  for (let index = 0; index < rows; index++) yield* makeCompany(index, seed)[table];
}

/** The stride and the range have no common divisor, so a hundred million companies have different numbers. */
function makeRoot(index: number, seed: number): string {
  return String((seed * 7_919 + index * 18_033_989) % 100_000_000).padStart(8, '0');
}

function makeCompany(index: number, seed: number): Company {
  const chance = createChance(Math.imul(seed + 1, 0x9e3779b1) + index);
  const root = makeRoot(index, seed);
  const form = pickByShare(chance, FORMS);
  const surname = chance.pick(SURNAMES);
  const empresa: Readonly<Record<string, string>> = {
    cnpj_basico: root,
    razao_social: makeName(chance, form[0], surname),
    natureza_juridica: form[0],
    qualificacao_responsavel: chance.pick(ROLES)[0] ?? '',
    capital_social: `${chance.pick([0, 1_000, 5_000, 10_000, 50_000, 1_061_004])},${chance.pick(['00', '00', '50'])}`,
    porte: chance.pick(['01', '01', '01', '03', '05', '00']),
    ente_federativo_responsavel: form[0] === '1244' ? 'MUNICIPIO' : '',
  };
  const head = makeEstablishment(chance, root, 1, '1');
  const branches = chance.is(0.06)
    ? Array.from({ length: chance.between(1, 3) }, (_, index) => makeEstablishment(chance, root, index + 2, '2'))
    : [];
  return {
    empresas: [listColumns('br', 'empresas').map((column) => empresa[column] ?? '')],
    estabelecimentos: [head, ...branches],
    simples: chance.is(0.6) ? [makeRegimes(chance, root)] : [],
    socios:
      form[0] === '2062'
        ? Array.from({ length: chance.between(1, 3) }, () => makePartner(chance, { index, seed, surname }))
        : [],
  };
}

function makeName(chance: Chance, form: string, surname: string): string {
  const trade = chance.pick(TRADES);
  const word = chance.pick(WORDS);
  if (form === '2135')
    return `${chance.pick(FIRST_NAMES)} ${surname} DA ${chance.pick(SURNAMES)} ${chance.between(10_000_000_000, 99_999_999_999)}`;
  if (form === '3999') return `ASSOCIACAO DOS AMIGOS DE ${word} E ${surname}`;
  if (form === '1244') return `MUNICIPIO DE ${word} ${surname}`;
  const ending = form === '2054' ? 'S.A.' : 'LTDA';
  if (chance.is(0.05)) return `${surname} & ${chance.pick(SURNAMES)} ${word} ${trade} ${ending}`;
  return `${word} ${surname} ${trade} ${ending}`;
}

const STATUSES = [
  [0.42, '02'],
  [0.45, '03'],
  [0.55, '04'],
  [0.999, '08'],
  [1, '01'],
] as const;

function makeEstablishment(chance: Chance, root: string, order: number, kind: '1' | '2'): string[] {
  const body = `${root}${String(order).padStart(4, '0')}`;
  const check = findCheckDigits(body) ?? '00';
  const status = pickByShare(chance, STATUSES);
  const startDate = chance.date(1967, 2025);
  const [cityCode = '', , state = ''] = chance.pick(CITIES);
  const others = chance.is(0.4) ? Array.from({ length: chance.between(1, 4) }, () => chance.pick(ACTIVITIES)[0]) : [];
  const isPublic = chance.is(0.7);
  return [
    root,
    body.slice(8),
    chance.is(0.001) ? `${check[0]}${(Number(check[1]) + 1) % 10}` : check,
    kind,
    chance.is(0.4) ? `${chance.pick(WORDS)} ${chance.pick(TRADES)}` : '',
    status,
    (status === '02' ? startDate : chance.date(2025, 2026)).replaceAll('-', ''),
    status === '08' ? '01' : '00',
    '',
    chance.is(0.1) ? '105' : '',
    startDate.replaceAll('-', ''),
    chance.pick(ACTIVITIES)[0] ?? '',
    others.join(','),
    chance.pick(['RUA', 'AVENIDA', 'PRACA', 'RODOVIA']),
    chance.pick(STREETS),
    chance.is(0.05) ? 'S/N' : String(chance.between(1, 4000)),
    chance.is(0.3) ? `SALA   ${chance.between(1, 900)}` : '',
    chance.pick(DISTRICTS),
    chance.is(0.01) ? '' : String(chance.between(10_000_000, 99_999_999)),
    state,
    cityCode,
    isPublic ? String(chance.between(11, 99)) : '',
    isPublic ? String(chance.between(20_000_000, 39_999_999)) : '',
    '',
    '',
    '',
    '',
    isPublic ? `CONTATO@${chance.pick(WORDS)}.EXAMPLE`.toLowerCase().replaceAll(' ', '') : '',
    chance.is(0.002) ? 'EM LIQUIDACAO' : '',
    '',
  ];
}

function makeRegimes(chance: Chance, root: string): string[] {
  const from = chance.date(2007, 2025).replaceAll('-', '');
  const left = chance.is(0.3) ? chance.date(2025, 2026).replaceAll('-', '') : '00000000';
  const isMei = chance.is(0.4);
  return [root, left === '00000000' ? 'S' : 'N', from, left, isMei ? 'S' : 'N', isMei ? from : '00000000', '00000000'];
}

/** The company that a partner belongs to. */
interface Owned {
  readonly index: number;
  readonly seed: number;
  readonly surname: string;
}

/** Partners that are companies are companies of the same file, as most of them are in the official one. */
function makePartner(chance: Chance, { index, seed, surname }: Owned): string[] {
  const root = makeRoot(index, seed);
  const since = chance.date(1990, 2025).replaceAll('-', '');
  const name = `${chance.pick(FIRST_NAMES)} ${chance.pick(FIRST_NAMES)} ${surname}`;
  const [role = ''] = chance.pick(ROLES);
  if (chance.is(0.1)) {
    const body = `${makeRoot(chance.between(0, index), seed)}0001`;
    const number = `${body}${findCheckDigits(body)}`;
    return [root, '1', `${surname} PARTICIPACOES SA`, number, '22', since, '', '***839507**', name, '05', '0'];
  }
  return [
    root,
    '2',
    name,
    `***${chance.between(100_000, 999_999)}**`,
    role,
    since,
    '',
    '***000000**',
    '',
    '00',
    String(chance.between(2, 9)),
  ];
}
