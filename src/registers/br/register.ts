/**
 * Brazil: the national register of legal entities (CNPJ). Monthly files of the tax office are joined by company: a company is a row of Empresas;
 * its head office in Estabelecimentos has its address, status and activities.
 */
import {
  type Activity,
  type Cell,
  defineRegister,
  type EntityStatus,
  type Headerless,
  type Join,
  type JoinedRows,
  listColumns,
  NO_DETAILS,
  noRows,
  type Registration,
} from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { UNTRIED } from '../fetch-plan.ts';
import { type Field, fieldsOf, type State } from '../fields.ts';
import { compact, readAmount, readText } from '../parsing.ts';
import { describeRecord, ownEnd, ownStatus, spread } from '../record.ts';
import { readAddress } from './address.ts';
import { CODE_FILES, type Codes, type Context, lookUpLabel, readCode, readCodes, readDay } from './cells.ts';
import { isOrganisation, readListed, readParties } from './parties.ts';

const AUTHORITY = 'Receita Federal do Brasil';
/** The first eight characters of the number identify the company; every table has them. */
const KEY = 'cnpj_basico';

const lists = readCodeLists('br');
const STATUSES = lists.meanings<EntityStatus>('status');
const STATUS_LABELS = lists.labels('status');
const SIZES = lists.labels('size');

/** A row of Empresas with its establishments. */
interface Company {
  readonly cell: Cell;
  readonly head: Establishment | null;
  readonly branches: readonly Establishment[];
}

interface Establishment {
  readonly row: Cell;
  readonly number: string;
  readonly status: Omit<State, 'status'>;
  readonly registeredAt: string | null;
  readonly endedAt: string | null;
}

type BrField<Value> = Field<Company, Codes, Value>;

const { text } = fieldsOf<Company, Codes>(
  (column) =>
    ({ cell }) =>
      cell(column),
);
const ofHead =
  <Value>(read: (row: Cell, context: Context) => Value | null): BrField<Value> =>
  ({ head }, context) =>
    head === null ? null : read(head.row, context);

const mapCompany = describeRecord<Company, Codes>({
  // Names in the files contain stray control characters. They become a space; `sourceData` keeps the original.
  name: ({ cell }) => readText(cell('razao_social').replace(/\p{Cc}+/gu, ' ')),
  // Not the full number of the head office: the id must stay the same when the head office moves.
  number: text(KEY),
  registeredAt: ({ head }) => head?.registeredAt ?? null,
  endedAt: ({ head }) => head?.endedAt ?? null,
  status: decideStatus,
  legalForm({ cell }, context) {
    const form = readCode('naturezas', cell('natureza_juridica'), context);
    if (form === null) return null;
    if (form.label === undefined && context.codes.has('naturezas'))
      context.reportUnknown('legalForm', 'natureza_juridica', form.code);
    return { ...form, scheme: 'Natureza Jurídica' };
  },
  // Every establishment has its own number, which it writes on its invoices. A search for any of them finds the company.
  registrations: [
    ({ head }, _context, { number }) => {
      if (head !== null) return makeRegistration(head, 'national');
      return number === null ? null : { authority: AUTHORITY, type: 'national', number, ...NO_DETAILS };
    },
    ({ branches }) => branches.map((branch) => makeRegistration(branch, 'branch')),
  ],
  activities: ofHead(listActivities),
  registry: {
    root: text(KEY),
    otherNames: ({ head }) => {
      const name = head?.row('nome_fantasia').trim();
      return name ? [{ name, type: 'trading' }] : null;
    },
    status: ownStatus,
    endedAt: ownEnd,
    address: ofHead(readAddress),
    contacts: ofHead(readContacts),
    specialSituation: ofHead((head, context) =>
      compact({
        text: head('situacao_especial').trim(),
        since: readDay('data_situacao_especial', head, context),
      }),
    ),
    statusInferredFrom: (_company, _context, { state }) => state.inferredFrom ?? null,
    capital: readCapital,
    size: readSize,
    responsibleQualification: ({ cell }, context) =>
      readCode('qualificacoes', cell('qualificacao_responsavel'), context),
    responsibleGovernment: text('ente_federativo_responsavel'),
    jurisdiction: findJurisdiction,
    establishments: ({ branches }, context) =>
      branches.map(({ row, number, status, registeredAt, endedAt }) =>
        compact({
          number,
          name: readText(row('nome_fantasia')),
          from: registeredAt,
          until: endedAt,
          status: compact({ ...status }),
          address: readAddress(row, context),
          contacts: readContacts(row),
        }),
      ),
    taxRegimes: spread((_company, context, { rows }) => {
      const [row] = rows('simples');
      return row === undefined
        ? null
        : { simples: readRegime(row, 'simples', context), mei: readRegime(row, 'mei', context) };
    }),
    parties: (_company, context, { rows }) => readParties(rows, context),
  },
});

const [HEAD_OFFICE, BRANCH] = ['1', '2'];

function readCompany(cell: Cell, rows: JoinedRows, context: Context): Company {
  let head: Establishment | null = null;
  const branches: Establishment[] = [];
  for (const row of rows('estabelecimentos')) {
    const kind = row('identificador_matriz_filial').trim();
    const establishment = {
      row,
      // The full CNPJ: company, establishment, check digits.
      number: row(KEY).trim() + row('cnpj_ordem').trim() + row('cnpj_dv').trim(),
      ...readEstablishmentStatus(row, context),
      registeredAt: readDay('data_inicio_atividade', row, context),
    };
    if (kind === HEAD_OFFICE && head === null) head = establishment;
    else branches.push(establishment);
    if (kind !== HEAD_OFFICE && kind !== BRANCH)
      context.report('identificador_matriz_filial', kind, 'neither head office nor branch');
  }
  return { cell, head: head as Establishment | null, branches };
}

function makeRegistration(establishment: Establishment, type: 'national' | 'branch'): Registration {
  const { number, status, registeredAt, endedAt } = establishment;
  return {
    authority: AUTHORITY,
    type,
    number,
    numberValid: isValidNumber(number),
    status: status.label ?? null,
    ...(status.code && { statusCode: status.code }),
    registeredAt,
    endedAt,
  };
}

function readEstablishmentStatus(row: Cell, context: Context): Pick<Establishment, 'status' | 'endedAt'> {
  const code = row('situacao_cadastral').trim();
  const since = readDay('data_situacao_cadastral', row, context);
  const reasonCode = row('motivo_situacao_cadastral').trim();
  const hasReason = reasonCode !== '' && reasonCode !== '00';
  return {
    status: {
      code: code || null,
      label: STATUS_LABELS.get(padCode(code)) ?? null,
      since,
      reason: hasReason ? lookUpLabel('motivos', reasonCode, context) : null,
      reasonCode: hasReason ? reasonCode : null,
    },
    endedAt: STATUSES.get(padCode(code)) === 'dissolved' ? since : null,
  };
}

/** Some tools that re-save the files drop the leading zero. */
function padCode(code: string): string {
  return code.padStart(2, '0');
}

/** A special situation of a company that has not ended. Any other text has no effect on the status. */
const SPECIAL: readonly (readonly [RegExp, EntityStatus])[] = [
  [/RECUPERACAO|FALID|FALENCIA|CONCORDATA|INTERVENCAO/, 'insolvent'],
  [/LIQUIDACAO/, 'in_liquidation'],
];

/** The status of the head office is that of the company. */
function decideStatus({ head }: Company, context: Context): State {
  if (head === null) return { status: 'unknown' };
  const code = head.row('situacao_cadastral').trim();
  const status = STATUSES.get(padCode(code));
  if (status === undefined) context.reportUnknown('status', 'situacao_cadastral', code);
  const situation = status === 'active' || status === 'inactive' ? head.row('situacao_especial') : '';
  const special = SPECIAL.find(([pattern]) => pattern.test(situation))?.[1];
  if (special === undefined) return { ...head.status, status: status ?? 'unknown' };
  return { ...head.status, status: special, inferredFrom: 'situacao_especial' };
}

/** Public bodies have the government that is responsible for them: `MACEIO - AL`. A company from abroad has its country. */
function findJurisdiction({ cell, head }: Company, context: Context): string | null {
  const state = / - ([A-Z]{2})$/.exec(cell('ente_federativo_responsavel').trim())?.[1];
  if (state !== undefined) return `BR-${state}`;
  if (head === null || !FOREIGN.has(cell('natureza_juridica').trim())) return null;
  const country = readAddress(head.row, context)?.countryCode;
  return country === undefined || country === 'BR' ? null : country;
}

/** A company and an association that are domiciled abroad. */
const FOREIGN: ReadonlySet<string> = new Set(['2216', '3212']);

function readCapital({ cell }: Company, context: Context) {
  const capital = readText(cell('capital_social'));
  const amount = capital === null ? null : readAmount(capital);
  if (capital !== null && amount === null) context.report('capital_social', capital, 'not an amount');
  return amount === null ? null : { amount, currency: 'BRL' };
}

/** The texts are those of the tax office. `00` means not stated. */
function readSize({ cell }: Company, context: Context) {
  const code = cell('porte').trim();
  if (code === '' || code === '00') return null;
  const label = SIZES.get(code);
  if (label === undefined) context.report('porte', code, 'unknown size');
  return compact({ code, label });
}

/** `8888888` is *Atividade Econômica não informada*, and zeros mean the same. */
const NO_ACTIVITY = /^(0*|8888888)$/;

/** Main activity first, each code once. */
function listActivities(head: Cell, context: Context): Activity[] {
  const main = head('cnae_fiscal_principal').trim();
  const found = new Set([main]);
  for (const code of head('cnae_fiscal_secundaria').split(',')) found.add(code.trim());
  const activities: Activity[] = [];
  for (const code of found) {
    if (NO_ACTIVITY.test(code)) continue;
    const label = lookUpLabel('cnaes', code, context);
    if (label === null && context.codes.has('cnaes'))
      context.reportUnknown('activity', code === main ? 'cnae_fiscal_principal' : 'cnae_fiscal_secundaria', code);
    activities.push({ type: 'unlicensed', code, label, scheme: 'CNAE', main: code === main });
  }
  return activities;
}

/** Simples Nacional and MEI, the simplified tax regimes of small companies. */
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

function readContacts(row: Cell) {
  const phones = [readPhone(row, 'ddd_1', 'telefone_1'), readPhone(row, 'ddd_2', 'telefone_2')];
  const fax = readPhone(row, 'ddd_fax', 'fax');
  const email = readText(row('correio_eletronico'));
  return compact({
    phones: phones.filter((phone, at) => phone !== '' && phones.indexOf(phone) === at),
    faxes: fax === '' ? null : [fax],
    emails: email === null ? null : [email],
  });
}

/** Area code and number. Zeros mean that there is none. */
function readPhone(row: Cell, areaColumn: string, numberColumn: string): string {
  const [area, number] = [row(areaColumn).trim(), row(numberColumn).trim()];
  if (!/[1-9]/.test(number)) return '';
  return /[1-9]/.test(area) ? `${area} ${number}` : number;
}

/** CNPJ: eight characters for the company, four for the establishment, two check digits. */

const FIRST = [5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];
const SECOND = [6, ...FIRST];

/** The two check digits that follow the first twelve characters. Null if these are not digits and capital letters. */
export function findCheckDigits(body: string): string | null {
  if (!/^[0-9A-Z]{12}$/.test(body)) return null;
  const first = findDigit(body, FIRST);
  return `${first}${findDigit(`${body}${first}`, SECOND)}`;
}

/** New numbers may have letters. A character counts as its code minus that of `0`: `A` is 17, `Z` is 42. */
function findDigit(characters: string, weights: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < weights.length; at++) sum += (weights[at] ?? 0) * (characters.charCodeAt(at) - 48);
  return sum % 11 < 2 ? 0 : 11 - (sum % 11);
}

function isValidNumber(number: string): boolean {
  return number.length === 14 && number.slice(12) === findCheckDigits(number.slice(0, 12));
}

const CSV = { delimiter: ';', quote: '"', encoding: 'iso-8859-1' } as const;

/** Numbers have digits only so far, but the publisher has announced letters for new ones. */
const ROOT = /^[0-9A-Z]{8}$/;

/** The files have no header. Columns are known by position, and named in `cells.tsv` as in the publisher's documentation. */
function table(name: string, fileName: RegExp, isRow: Headerless['isRow']) {
  return { name, csv: CSV, required: [], headerless: { fileName, isRow } } as const;
}

/** The table of companies, or one whose rows belong to companies. It is recognized by its file name and first row. */
function companyTable(name: string, fileName: RegExp, at = 0, pattern = ROOT) {
  const { length } = listColumns('br', name);
  return table(
    name,
    fileName,
    (cells) => cells.length >= length && ROOT.test(cells[0] ?? '') && pattern.test(cells[at] ?? ''),
  );
}

const OF_COMPANY: Join = { column: KEY };

/** A public share of the tax office. Its address has changed several times; before 2026 it was a plain folder. */
const SHARE = 'https://arquivos.receitafederal.gov.br/public.php/dav/files/YggdBLfdninEJX9/{year}-{month}';

const TEN_PARTS = ['Empresas', 'Estabelecimentos', 'Socios'];
const SINGLE = ['Simples', 'Cnaes', 'Motivos', 'Municipios', 'Naturezas', 'Paises', 'Qualificacoes'];

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
  fetch: {
    kind: 'dated',
    files: [
      ...TEN_PARTS.flatMap((name) => Array.from({ length: 10 }, (_, part) => `${SHARE}/${name}${part}.zip`)),
      ...SINGLE.map((name) => `${SHARE}/${name}.zip`),
    ],
    months: 3,
    size: { min: 3_000_000_000, max: 40_000_000_000 },
    origin: { readIn: 'public importers of arquivos.receitafederal.gov.br of 2026', ...UNTRIED },
  },
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
    {
      ...companyTable('empresas', /EMPRE/i, 2, /^\d{4}$/),
      key: KEY,
      map: (cell, context, rows = noRows) => mapCompany(readCompany(cell, rows, context), context, rows),
    },
    // Without them companies have no status and no city.
    { ...companyTable('estabelecimentos', /ESTABELE/i), joins: { ...OF_COMPANY, paired: true } },
    { ...companyTable('simples', /SIMPLES/i, 1, /^[SN]?$/), joins: OF_COMPANY },
    { ...companyTable('socios', /SOCIO/i), joins: OF_COMPANY, isOrganisation },
    ...Object.entries(CODE_FILES).map(([name, fileName]) => ({
      ...table(name, fileName, (cells) => cells.length === 2 && /^\d+$/.test(cells[0] ?? '')),
      columns: ['codigo', 'descricao'],
    })),
  ],
  // Other registers write the full number of the head office; its first eight characters identify the company.
  writeNumber: (number) => number.replace(/[./-]/g, '').slice(0, 8),
  keyLength: 8,
  numbers: [
    // The first part stands for the company and has no check digits of its own.
    { kind: 'CNPJ root', form: /^[0-9A-Z]{8}$/ },
    { kind: 'CNPJ', form: /^[0-9A-Z]{12}\d{2}$/, check: isValidNumber },
  ],
  recordParties: readListed,
  readCodes,
});
