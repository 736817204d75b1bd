/**
 * Brazil: the national register of legal entities (CNPJ). Monthly files of the tax office are joined by company: a company is a row of Empresas;
 * its head office in Estabelecimentos has its address, status and activities.
 */
import { compileStyle, findCountryCode } from '../address.ts';
import {
  type Activity,
  type Cell,
  type CodeRow,
  defineRegister,
  type EntityStatus,
  type JoinedRows,
  type MapContext,
  NO_DETAILS,
  noRows,
  type Registration,
} from '../contract.ts';
import { type CodeTexts, indexTexts, readCodeLists } from '../data-files.ts';
import { type Common, codeFields, companyFields, type Field, NO_COMMON, type State, within } from '../fields.ts';
import { linkByNumber, readRecordParty } from '../mapped.ts';
import { readCompactDate, splitList } from '../parsing.ts';
import { describeRecord, ownEnd, ownInference, ownStatus } from '../record.ts';
import type { AddressOf, PartyOf } from '../vocabulary.ts';

type Context = MapContext<CodeTexts>;

const AUTHORITY = 'Receita Federal do Brasil';
/** The first eight characters of the number identify the company; every table has them. */
const KEY = 'cnpj_basico';

const lists = readCodeLists('br');
const [STATUSES, STATUS_LABELS] = [lists.meanings<EntityStatus>('status'), lists.labels('status')];
const [SIZES, AGE_GROUPS] = [lists.labels('size'), lists.labels('age group')];

/** Records have codes that the published tables lack. */
function readCodes(tables: ReadonlyMap<string, readonly CodeRow[]>): CodeTexts {
  return indexTexts(
    [...tables].flatMap(([table, rows]) => [
      ...Array.from(lists.labels(table), ([code, text]) => [table, code, text] as const),
      ...rows.map(({ codigo = '', descricao }) => [table, codigo, descricao] as const),
    ]),
  );
}

/** The fields of a row of any table. */
const fields = codeFields();
const { text, texts, first, replaced, parsed, flag, group, groupWith, names, extend, each, joined, rowsOf } = fields;
const { labelIn, codeIn, listOf, distinct } = fields;

/** The files write `00000000` or `0` for a missing date. */
const day = parsed((written) => (/^0+$/.test(written) ? undefined : readCompactDate(written)), 'not a date');

/** Some tools that re-save the files drop the leading zero. */
const statusOf = (row: Cell) => row('situacao_cadastral').trim().padStart(2, '0');
const reasonOf = (row: Cell) => row('motivo_situacao_cadastral').trim().replace(/^00$/, '');

const readState = group({
  code: text('situacao_cadastral'),
  label: (row) => STATUS_LABELS.get(statusOf(row)) ?? null,
  since: day('data_situacao_cadastral'),
  reason: (row, { codes }) => codes.get('motivos')?.get(reasonOf(row)) ?? null,
  reasonCode: reasonOf,
});
const readStart = day('data_inicio_atividade');

/** A row of Estabelecimentos. */
interface Establishment {
  readonly cell: Cell;
  readonly number: string;
  readonly state: NonNullable<ReturnType<typeof readState>>;
  readonly from: string | null;
  readonly until: string | null;
}

function readEstablishment(cell: Cell, context: Context): Establishment {
  const state = readState(cell, context, NO_COMMON) ?? {};
  return {
    cell,
    // The full CNPJ: company, establishment, check digits.
    number: cell(KEY).trim() + cell('cnpj_ordem').trim() + cell('cnpj_dv').trim(),
    state,
    from: readStart(cell, context, NO_COMMON),
    until: STATUSES.get(statusOf(cell)) === 'dissolved' ? (state.since ?? null) : null,
  };
}

/** A row of Empresas with its establishments. */
interface Company {
  readonly cell: Cell;
  readonly head: Establishment | null;
  readonly branches: readonly Establishment[];
}

const [HEAD_OFFICE, BRANCH] = ['1', '2'];

function readCompany(cell: Cell, rows: JoinedRows, context: Context): Company {
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
  return { cell, head, branches };
}

/** The status of the head office is the status of the company. */
function decideStatus({ head }: Company, context: Context): State | null {
  if (head === null) return null;
  const { cell, state } = head;
  const status = STATUSES.get(statusOf(cell));
  if (status === undefined) context.reportUnknown('status', 'situacao_cadastral', cell('situacao_cadastral').trim());
  const isOpen = status === 'active' || status === 'inactive';
  const special = isOpen ? lists.patterns<EntityStatus>('special')(cell('situacao_especial')) : undefined;
  if (special === undefined) return { ...state, status: status ?? 'unknown' };
  return { ...state, status: special, inferredFrom: 'situacao_especial' };
}

function register({ number, state, from, until }: Establishment, type: 'national' | 'branch'): Registration {
  const own = { authority: AUTHORITY, type, number, numberValid: isValidNumber(number), status: state.label ?? null };
  return { ...own, ...(state.code && { statusCode: state.code }), registeredAt: from, endedAt: until };
}

/** Cells are padded with spaces, also between words. */
const words = (column: string) => replaced(column, / +(?= )/g);
/** Zeros mean that there is no number or post code. */
const withoutZeros = (column: string) => replaced(column, /^0+$| +(?= )/g);
const [readStreetType, readStreet] = [words('tipo_logradouro'), words('logradouro')];
const readCityAbroad = words('nome_cidade_exterior');
const readCity = labelIn('municipios', 'municipio');

/** The state and the city of an establishment abroad. */
const [ABROAD, NO_CITY] = ['EX', '9707'];
const BRAZIL = '105';

const readParts = group({
  streetType: readStreetType,
  street(...row) {
    const [type, name] = [readStreetType(...row), readStreet(...row) ?? ''];
    return type === null || name.startsWith(`${type} `) ? name : `${type} ${name}`.trim();
  },
  number: withoutZeros('numero'),
  unit: words('complemento'),
  district: words('bairro'),
  postCode: withoutZeros('cep'),
  city: (...row) => readCityAbroad(...row) ?? (row[0]('municipio').trim() === NO_CITY ? null : readCity(...row)),
  cityCode: text('municipio'),
  region: (row) => row('uf').trim().replace(ABROAD, ''),
  country: labelIn('paises', 'pais'),
  countryNumber: text('pais'),
});
const STYLE = compileStyle('{street}, {house}, {unit}, {quarter}, {place}, {cep}, {abroad}', 'kept');

/** Addresses are written as `RUA JOSE LEITE, 401, APT 22, CENTRO, LAURO DE FREITAS - BA, 42722-020`. */
const readAddress: Field<Cell, CodeTexts, AddressOf> = (row, context, common) => {
  const parts = readParts(row, context, common) ?? {};
  const { number = '', district, postCode, city, region, country, countryNumber = '' } = parts;
  const state = row('uf').trim();
  const text = STYLE(parts, {
    // `S/N` (*sem número*): the building has no number.
    house: state === ABROAD && /^S\/?N$/i.test(number) ? '' : number,
    quarter: district === city ? '' : district,
    place: city && region ? `${city} - ${region}` : (city ?? region),
    cep: postCode?.replace(/^(\d{5})(\d{3})$/, '$1-$2'),
    abroad: countryNumber === BRAZIL ? '' : country,
  });
  if (text === '') return null;
  const isBrazil = state !== ABROAD && state !== '' && (countryNumber === '' || countryNumber === BRAZIL);
  const countryCode = isBrazil ? 'BR' : findCountryCode(country ?? '', 'pt');
  return { text, ...parts, ...(countryCode !== null && { countryCode }) };
};

/** The area code and the number. Zeros mean that the area code or the number is missing. */
const readPhone = (areaColumn: string, numberColumn: string) => (row: Cell) => {
  const [area, number] = [row(areaColumn).trim(), row(numberColumn).trim()];
  if (!/[1-9]/.test(number)) return null;
  return /[1-9]/.test(area) ? `${area} ${number}` : number;
};

const readContacts = group({
  phones: distinct(listOf(readPhone('ddd_1', 'telefone_1'), readPhone('ddd_2', 'telefone_2'))),
  faxes: listOf(readPhone('ddd_fax', 'fax')),
  emails: texts('correio_eletronico'),
});

/** `8888888` is *Atividade Econômica não informada*, and zeros mean the same. */
const NO_ACTIVITY = /^(0*|8888888)$/;

/** Lists the main activity first, and each code once. */
function listActivities(row: Cell, { codes, reportUnknown }: Context): Activity[] {
  const main = row('cnae_fiscal_principal').trim();
  const all = new Set([main, ...splitList(row('cnae_fiscal_secundaria'), ',')]);
  return [...all.values().filter((code) => !NO_ACTIVITY.test(code))].map((code) => {
    const label = codes.get('cnaes')?.get(code) ?? null;
    const column = code === main ? 'cnae_fiscal_principal' : 'cnae_fiscal_secundaria';
    if (label === null && codes.has('cnaes')) reportUnknown('activity', column, code);
    return { type: 'unlicensed', code, label, scheme: 'CNAE', main: code === main };
  });
}

/** CNPJ: eight characters for the company, four for the establishment, two check digits. */
const FIRST = [5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];
const SECOND = [6, ...FIRST];

/** The two check digits that follow the first twelve characters. Null unless `body` is twelve digits and capital letters. */
export function findCheckDigits(body: string): string | null {
  if (!/^[0-9A-Z]{12}$/.test(body)) return null;
  const first = findDigit(body, FIRST);
  return `${first}${findDigit(`${body}${first}`, SECOND)}`;
}

/** New numbers may have letters. A character counts as its code minus the code of `0`: `A` is 17, `Z` is 42. */
function findDigit(characters: string, weights: readonly number[]): number {
  const sum = weights.reduce((total, weight, at) => total + weight * (characters.charCodeAt(at) - 48), 0);
  return sum % 11 < 2 ? 0 : 11 - (sum % 11);
}

function isValidNumber(number: string): boolean {
  return number.length === 14 && number.slice(12) === findCheckDigits(number.slice(0, 12));
}

const [KIND, ROLE] = ['identificador_socio', 'qualificacao_socio'];
const kindOf = (row: Cell) => lists.meanings<'organisation' | 'person' | 'foreign'>('kind').get(row(KIND).trim());

/** The publisher masks personal numbers, and writes `***000000**` for a missing number. */
const numberIn = (column: string) => replaced(column, /^\**0*\**$/);
const readNumber = numberIn('cpf_cnpj_socio');
const readAge = replaced('faixa_etaria', /^0$/);
const readCountry = labelIn('paises', 'pais');

/** The person who acts for the partner: a parent of a minor, or an attorney of a partner abroad. */
const readPerson = group({ name: text('nome_representante'), number: numberIn('representante_legal') });
const readQualification = group({
  roleCode: text('qualificacao_representante'),
  roleLabel: labelIn('qualificacoes', 'qualificacao_representante'),
});

/** The partners, directors and other persons of `Socios`. */
const readParties = each(
  rowsOf('socios'),
  groupWith(['role', 'name'], {
    role: (row) => lists.meanings<PartyOf['role']>('role').get(row(ROLE).trim()) ?? 'other',
    name: first(text('nome_socio'), readNumber),
    roleLabel: first(labelIn('qualificacoes', ROLE), text(ROLE)),
    roleCode: text(ROLE),
    kind(row, context) {
      const kind = kindOf(row);
      if (kind === undefined) context.report(KIND, row(KIND).trim(), 'unknown kind of partner');
      return kind === undefined || kind === 'foreign'
        ? (lists.meanings<'organisation' | 'person'>('kind of role').get(row(ROLE).trim()) ?? null)
        : kind;
    },
    number: readNumber,
    foreign: (row) => kindOf(row) === 'foreign' || null,
    from: day('data_entrada_sociedade'),
    country: readCountry,
    countryCode: (...row) => findCountryCode(readCountry(...row) ?? '', 'pt'),
    countryNumber: text('pais'),
    ageGroup: readAge,
    ageGroupLabel: (...row) => AGE_GROUPS.get(readAge(...row) ?? '') ?? null,
    representative(...row) {
      const person = readPerson(...row);
      return person && { ...person, ...readQualification(...row) };
    },
  }),
);

const company = companyFields<Company, CodeTexts>();
const branch = companyFields<Establishment, CodeTexts>();
const ofCompany = within(({ cell }: Company) => cell);
const ofHead = within(({ head }: Company) => head?.cell);
const ofBranch = within(({ cell }: Establishment) => cell);

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
  number: company.text(KEY),
  registeredAt: ({ head }) => head?.from ?? null,
  endedAt: ({ head }) => head?.until ?? null,
  status: decideStatus,
  legalForm: ofCompany(extend(codeIn('naturezas', 'natureza_juridica', 'legalForm'), { scheme: 'Natureza Jurídica' })),
  // Every establishment has its own number, which it writes on its invoices. A search for any of these numbers finds the company.
  registrations: [
    ({ head }, _context, { number }) => {
      if (head !== null) return register(head, 'national');
      return number === null ? null : { authority: AUTHORITY, type: 'national', number, ...NO_DETAILS };
    },
    ({ branches }) => branches.map((one) => register(one, 'branch')),
  ],
  activities: ofHead(listActivities),
  registry: {
    root: company.text(KEY),
    otherNames: ofHead(names(texts('nome_fantasia'), { type: 'trading' })),
    status: ownStatus,
    endedAt: ownEnd,
    address: ofHead(readAddress),
    contacts: ofHead(readContacts),
    specialSituation: ofHead(group({ text: text('situacao_especial'), since: day('data_situacao_especial') })),
    statusInferredFrom: ownInference,
    capital: company.groupWith(['amount'], { amount: company.amount('capital_social'), currency: () => 'BRL' }),
    size: readSize,
    responsibleQualification: ofCompany(codeIn('qualificacoes', 'qualificacao_responsavel')),
    responsibleGovernment: company.text('ente_federativo_responsavel'),
    jurisdiction: findJurisdiction,
    establishments: company.all(
      ({ branches }) => branches,
      branch.group({
        number: ({ number }) => number,
        name: branch.text('nome_fantasia'),
        from: ({ from }) => from,
        until: ({ until }) => until,
        status: ({ state }) => state,
        address: ofBranch(readAddress),
        contacts: ofBranch(readContacts),
      }),
    ),
    simples: regime('simples'),
    mei: regime('mei'),
    parties: ofCompany(readParties),
  },
});

/** A company and an association that are domiciled abroad. */
const FOREIGN: ReadonlySet<string> = new Set(['2216', '3212']);

/** Public bodies name the government that is responsible for them: `MACEIO - AL`. For a company from abroad the country is used. */
function findJurisdiction({ cell, head }: Company, context: Context, common: Common): string | null {
  const state = / - ([A-Z]{2})$/.exec(cell('ente_federativo_responsavel').trim())?.[1];
  if (state !== undefined) return `BR-${state}`;
  if (head === null || !FOREIGN.has(cell('natureza_juridica').trim())) return null;
  const country = readAddress(head.cell, context, common)?.countryCode;
  return country === undefined || country === 'BR' ? null : country;
}

/** The sizes have the texts of the tax office. `00` means that the size is not stated. */
function readSize({ cell }: Company, context: Context) {
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
    socios: { isOrganisation: (row) => kindOf(row) === 'organisation' },
  },
  // Other registers write the full number of the head office; its first eight characters identify the company.
  writeNumber: (number) => number.replace(/[./-]/g, '').slice(0, 8),
  numbers: [
    // The first part stands for the company and has no check digits of its own.
    { kind: 'CNPJ root', form: /^[0-9A-Z]{8}$/ },
    { kind: 'CNPJ', form: /^[0-9A-Z]{12}\d{2}$/, check: isValidNumber },
  ],
  // A partner without capital is not followed as an owner.
  recordParties(party) {
    const role = lists.meanings<'other'>('without capital').get(String(party.roleCode)) ?? party.role;
    return readRecordParty(party, { role, ...linkByNumber(party, 'br', /^[0-9A-Z]{12}\d{2}$/) });
  },
  readCodes,
});
