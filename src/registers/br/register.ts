/**
 * Brazil: the national register of legal entities (CNPJ). Monthly files of the tax office are joined by company: a company is a row of Empresas;
 * its head office in Estabelecimentos has its address, status and activities.
 */
import {
  type Cell,
  type CodeRow,
  defineRegister,
  type Headerless,
  type Join,
  type JoinedRows,
  listColumns,
  type MapContext,
  noRows,
} from '../contract.ts';
import { type CodeTexts, indexTexts } from '../data-files.ts';
import { type Common, type Field, fieldsOf } from '../fields.ts';
import { describeRecord, ownEnd, ownInference, ownStatus } from '../record.ts';
import {
  type BrField,
  day,
  decideStatus,
  type Establishment,
  fields,
  findCheckDigits,
  isValidNumber,
  KEY,
  listActivities,
  lists,
  readAddress,
  readContacts,
  readEstablishment,
  register,
  registerRoot,
} from './establishment.ts';
import { isOrganisation, readListed, readParties } from './parties.ts';

export { findCheckDigits };

const CODE_FILES = {
  cnaes: /CNAE/i,
  motivos: /MOTI/i,
  municipios: /MUNIC/i,
  naturezas: /NATJU|NATUREZA/i,
  paises: /PAIS/i,
  qualificacoes: /QUALS|QUALIFICA/i,
};

/** Records have codes that the published tables lack. */
function readCodes(tables: ReadonlyMap<string, readonly CodeRow[]>): CodeTexts {
  return indexTexts(
    [...tables].flatMap(([table, rows]) => [
      ...Array.from(lists.labels(table), ([code, text]) => [table, code, text] as const),
      ...rows.map(({ codigo = '', descricao }) => [table, codigo, descricao] as const),
    ]),
  );
}

const SIZES = lists.labels('size');
/** A company and an association that are domiciled abroad. */
const FOREIGN: ReadonlySet<string> = new Set(['2216', '3212']);

/** A row of Empresas with its establishments. */
interface Company {
  readonly cell: Cell;
  readonly head: Establishment | null;
  readonly branches: readonly Establishment[];
}

const [HEAD_OFFICE, BRANCH] = ['1', '2'];

function readCompany(cell: Cell, rows: JoinedRows, context: MapContext<CodeTexts>): Company {
  let head: Establishment | null = null;
  const branches: Establishment[] = [];
  for (const row of rows('estabelecimentos')) {
    const kind = row('identificador_matriz_filial').trim();
    const establishment = readEstablishment(row, context);
    if (kind === HEAD_OFFICE && head === null) head = establishment;
    else branches.push(establishment);
    if (kind !== HEAD_OFFICE && kind !== BRANCH)
      context.report('identificador_matriz_filial', kind, 'neither head office nor branch');
  }
  return { cell, head: head as Establishment | null, branches };
}

const { text, amount, groupWith, all } = fieldsOf<Company, CodeTexts>(
  (column) =>
    ({ cell }) =>
      cell(column),
);
const { flag, group, texts, joined, codeIn } = fields;

const ofCompany =
  <Value>(field: BrField<Value>): Field<Company, CodeTexts, Value> =>
  ({ cell }, ...rest) =>
    field(cell, ...rest);
const ofHead =
  <Value>(field: BrField<Value>): Field<Company, CodeTexts, Value> =>
  ({ head }, ...rest) =>
    head === null ? null : field(head.row, ...rest);
const ofEstablishment =
  <Value>(field: BrField<Value>): Field<Establishment, CodeTexts, Value> =>
  ({ row }, ...rest) =>
    field(row, ...rest);
const branch = fieldsOf<Establishment, CodeTexts>(
  (column) =>
    ({ row }) =>
      row(column),
);

/** Simples Nacional and MEI, the simplified tax regimes of small companies. */
const regime = (name: 'simples' | 'mei') =>
  joined(
    'simples',
    group({
      chosen: flag(`opcao_${name}`, { S: true, N: false }, 'neither S nor N'),
      from: day(`data_opcao_${name}`),
      until: day(`data_exclusao_${name}`),
    }),
  );

const readTradeNames = texts('nome_fantasia');
const readForm = ofCompany(codeIn('naturezas', 'natureza_juridica', 'legalForm'));

const mapCompany = describeRecord<Company, CodeTexts>({
  // Names in the files contain stray control characters. Such characters become a space; `sourceData` keeps the original.
  name: ({ cell }) =>
    cell('razao_social')
      .replace(/\p{Cc}+/gu, ' ')
      .trim() || null,
  // Not the full number of the head office: the id must stay the same when the head office moves.
  number: text(KEY),
  registeredAt: ({ head }) => head?.from ?? null,
  endedAt: ({ head }) => head?.until ?? null,
  status: ({ head }, context) => head && decideStatus(head, context),
  legalForm: (company, ...rest) => {
    const form = readForm(company, ...rest);
    return form && { ...form, scheme: 'Natureza Jurídica' };
  },
  // Every establishment has its own number, which it writes on its invoices. A search for any of these numbers finds the company.
  registrations: [
    ({ head }, _context, { number }) => {
      if (head !== null) return register(head, 'national');
      return number === null ? null : registerRoot(number);
    },
    ({ branches }) => branches.map((one) => register(one, 'branch')),
  ],
  activities: ofHead(listActivities),
  registry: {
    root: text(KEY),
    otherNames: ofHead((...row) => readTradeNames(...row)?.map((name) => ({ name, type: 'trading' })) ?? null),
    status: ownStatus,
    endedAt: ownEnd,
    address: ofHead(readAddress),
    contacts: ofHead(readContacts),
    specialSituation: ofHead(group({ text: fields.text('situacao_especial'), since: day('data_situacao_especial') })),
    statusInferredFrom: ownInference,
    capital: groupWith(['amount'], { amount: amount('capital_social'), currency: () => 'BRL' }),
    size: readSize,
    responsibleQualification: ofCompany(codeIn('qualificacoes', 'qualificacao_responsavel')),
    responsibleGovernment: text('ente_federativo_responsavel'),
    jurisdiction: findJurisdiction,
    establishments: all(
      ({ branches }) => branches,
      branch.group({
        number: ({ number }) => number,
        name: branch.text('nome_fantasia'),
        from: ({ from }) => from,
        until: ({ until }) => until,
        status: ({ state }) => state,
        address: ofEstablishment(readAddress),
        contacts: ofEstablishment(readContacts),
      }),
    ),
    simples: regime('simples'),
    mei: regime('mei'),
    parties: ofCompany(readParties),
  },
});

/** Public bodies name the government that is responsible for them: `MACEIO - AL`. For a company from abroad the country is used. */
function findJurisdiction({ cell, head }: Company, context: MapContext<CodeTexts>, common: Common): string | null {
  const state = / - ([A-Z]{2})$/.exec(cell('ente_federativo_responsavel').trim())?.[1];
  if (state !== undefined) return `BR-${state}`;
  if (head === null || !FOREIGN.has(cell('natureza_juridica').trim())) return null;
  const country = readAddress(head.row, context, common)?.countryCode;
  return country === undefined || country === 'BR' ? null : country;
}

/** The sizes have the texts of the tax office. `00` means that the size is not stated. */
function readSize({ cell }: Company, context: MapContext<CodeTexts>) {
  const code = cell('porte').trim();
  if (code === '' || code === '00') return null;
  const label = SIZES.get(code);
  if (label === undefined) context.report('porte', code, 'unknown size');
  return { code, ...(label !== undefined && { label }) };
}

const CSV = { delimiter: ';', quote: '"', encoding: 'iso-8859-1' } as const;

/** Numbers have digits only so far, but the publisher has announced letters for new numbers. */
const ROOT = /^[0-9A-Z]{8}$/;

/** The files have no header. Columns are known by position, and named in `cells.tsv` as in the publisher's documentation. */
function table(name: string, fileName: RegExp, isRow: Headerless['isRow']) {
  return { name, csv: CSV, required: [], headerless: { fileName, isRow } } as const;
}

/** The table of companies, or a table whose rows belong to companies. Such a table is recognized by its file name and first row. */
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

export const br = defineRegister<CodeTexts>({
  id: 'br',
  name: 'National Register of Legal Entities',
  nativeName: 'Cadastro Nacional da Pessoa Jurídica (CNPJ)',
  publisher: 'Receita Federal do Brasil',
  licence: 'Unknown',
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
    readIn: 'public importers of arquivos.receitafederal.gov.br of 2026',
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
    // Without establishments, companies have no status and no city.
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
