/** An establishment of a company: a row of Estabelecimentos. */
import { compileStyle, findCountryCode } from '../address.ts';
import {
  type Activity,
  type Cell,
  type EntityStatus,
  type MapContext,
  NO_DETAILS,
  type Registration,
} from '../contract.ts';
import { type CodeTexts, readCodeLists } from '../data-files.ts';
import { codeFields, type Field, NO_COMMON, type State } from '../fields.ts';
import { readCompactDate } from '../parsing.ts';
import type { AddressOf } from '../vocabulary.ts';

export type BrField<Value> = Field<Cell, CodeTexts, Value>;
type Context = MapContext<CodeTexts>;

export const lists = readCodeLists('br');
export const fields = codeFields();
const { text, replaced, group, labelIn, parsed } = fields;

/** The files write `00000000` or `0` for a missing date. */
export const day = parsed((written) => (/^0+$/.test(written) ? undefined : readCompactDate(written)), 'not a date');

const AUTHORITY = 'Receita Federal do Brasil';
/** The first eight characters of the number identify the company; every table has them. */
export const KEY = 'cnpj_basico';

const [STATUSES, STATUS_LABELS] = [lists.meanings<EntityStatus>('status'), lists.labels('status')];
const findSpecial = lists.patterns<EntityStatus>('special');

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

export interface Establishment {
  readonly cell: Cell;
  readonly number: string;
  readonly state: NonNullable<ReturnType<typeof readState>>;
  readonly from: string | null;
  readonly until: string | null;
}

export function readEstablishment(cell: Cell, context: Context): Establishment {
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

/** The status of the head office is the status of the company. */
export function decideStatus({ cell, state }: Establishment, context: Context): State {
  const status = STATUSES.get(statusOf(cell));
  if (status === undefined) context.reportUnknown('status', 'situacao_cadastral', cell('situacao_cadastral').trim());
  const isOpen = status === 'active' || status === 'inactive';
  const special = isOpen ? findSpecial(cell('situacao_especial')) : undefined;
  if (special === undefined) return { ...state, status: status ?? 'unknown' };
  return { ...state, status: special, inferredFrom: 'situacao_especial' };
}

export function register(establishment: Establishment, type: 'national' | 'branch'): Registration {
  const { number, state, from, until } = establishment;
  const own = { authority: AUTHORITY, type, number, numberValid: isValidNumber(number), status: state.label ?? null };
  return { ...own, ...(state.code && { statusCode: state.code }), registeredAt: from, endedAt: until };
}

/** The registration of a company without a head office. */
export function registerRoot(number: string): Registration {
  return { authority: AUTHORITY, type: 'national', number, ...NO_DETAILS };
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
export const readAddress: BrField<AddressOf> = (row, context, common) => {
  const parts = readParts(row, context, common) ?? {};
  const { number = '', district, postCode, city, region, country, countryNumber = '' } = parts;
  const state = row('uf').trim();
  const written = {
    // `S/N` (*sem número*): the building has no number.
    house: state === ABROAD && /^S\/?N$/i.test(number) ? '' : number,
    quarter: district === city ? '' : district,
    place: city && region ? `${city} - ${region}` : (city ?? region),
    cep: postCode?.replace(/^(\d{5})(\d{3})$/, '$1-$2'),
    abroad: countryNumber === BRAZIL ? '' : country,
  };
  const isBrazil = state !== ABROAD && state !== '' && (countryNumber === '' || countryNumber === BRAZIL);
  const countryCode = isBrazil ? 'BR' : findCountryCode(country ?? '', ['pt']);
  const text = STYLE(parts, written);
  return text === '' ? null : { text, ...parts, ...(countryCode !== null && { countryCode }) };
};

/** The area code and the number. Zeros mean that the area code or the number is missing. */
function readPhone(row: Cell, areaColumn: string, numberColumn: string): string[] {
  const [area, number] = [row(areaColumn).trim(), row(numberColumn).trim()];
  if (!/[1-9]/.test(number)) return [];
  return [/[1-9]/.test(area) ? `${area} ${number}` : number];
}

export const readContacts = group({
  phones: (row) => [...new Set([...readPhone(row, 'ddd_1', 'telefone_1'), ...readPhone(row, 'ddd_2', 'telefone_2')])],
  faxes: (row) => readPhone(row, 'ddd_fax', 'fax'),
  emails: fields.texts('correio_eletronico'),
});

/** `8888888` is *Atividade Econômica não informada*, and zeros mean the same. */
const NO_ACTIVITY = /^(0*|8888888)$/;

/** Lists the main activity first, and each code once. */
export function listActivities(row: Cell, { codes, reportUnknown }: Context): Activity[] {
  const main = row('cnae_fiscal_principal').trim();
  const secondary = row('cnae_fiscal_secundaria')
    .split(',')
    .map((code) => code.trim());
  const found = [...new Set([main, ...secondary])].filter((code) => !NO_ACTIVITY.test(code));
  return found.map((code) => {
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

export function isValidNumber(number: string): boolean {
  return number.length === 14 && number.slice(12) === findCheckDigits(number.slice(0, 12));
}
