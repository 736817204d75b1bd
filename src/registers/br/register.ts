/**
 * Brazil: the national register of legal entities (CNPJ). Monthly files of the tax office are joined by company: a company is a row of Empresas;
 * its head office in Estabelecimentos has its address, status and activities.
 */
import { type Cell, type CodeRow, defineRegister, type JoinedRows, type MapContext, noRows } from '../contract.ts';
import { type CodeTexts, indexTexts } from '../data-files.ts';
import { type Common, companyFields, within } from '../fields.ts';
import { describeRecord, ownEnd, ownInference, ownStatus } from '../record.ts';
import {
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

const { text, amount, groupWith, all } = companyFields<Company, CodeTexts>();
const { flag, group, texts, names, extend, joined, codeIn } = fields;

const ofCompany = within(({ cell }: Company) => cell);
const ofHead = within(({ head }: Company) => head?.cell);
const ofEstablishment = within(({ cell }: Establishment) => cell);
const branch = companyFields<Establishment, CodeTexts>();

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
  legalForm: ofCompany(extend(codeIn('naturezas', 'natureza_juridica', 'legalForm'), { scheme: 'Natureza Jurídica' })),
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
    otherNames: ofHead(names(texts('nome_fantasia'), { type: 'trading' })),
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
  const country = readAddress(head.cell, context, common)?.countryCode;
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

export const br = defineRegister<CodeTexts>({
  id: 'br',
  tables: {
    empresas: { map: (cell, context, rows = noRows) => mapCompany(readCompany(cell, rows, context), context, rows) },
    socios: { isOrganisation },
  },
  // Other registers write the full number of the head office; its first eight characters identify the company.
  writeNumber: (number) => number.replace(/[./-]/g, '').slice(0, 8),
  numbers: [
    // The first part stands for the company and has no check digits of its own.
    { kind: 'CNPJ root', form: /^[0-9A-Z]{8}$/ },
    { kind: 'CNPJ', form: /^[0-9A-Z]{12}\d{2}$/, check: isValidNumber },
  ],
  recordParties: readListed,
  readCodes,
});
