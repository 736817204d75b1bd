/**
 * A company is a row of Empresas. Its address, status and activities are in the row of its head office in
 * Estabelecimentos, which may be missing.
 */
import type {
  Activity,
  Cell,
  EntityStatus,
  JoinedRows,
  Json,
  MappedRecord,
  Registration,
  Rejection,
} from '../contract.ts';
import { noRows } from '../contract.ts';
import { compact, readAmount, readText } from '../parsing.ts';
import { type Context, lookUpName, readCode, readDay } from './cells.ts';
import { isValidNumber } from './number.ts';
import { readAddress, readPartners, readTaxRegimes } from './registry.ts';

const AUTHORITY = 'Receita Federal do Brasil';
const HEAD_OFFICE = '1';

/** Some tools that re-save the files drop the leading zero, so codes are padded before they are looked up. */
const STATUSES: ReadonlyMap<string, EntityStatus> = new Map([
  ['01', 'unknown'],
  ['02', 'active'],
  ['03', 'inactive'],
  ['04', 'inactive'],
  ['08', 'dissolved'],
]);
const CLOSED = '08';

const SIZES: ReadonlyMap<string, string> = new Map([
  ['01', 'micro'],
  ['03', 'small'],
  ['05', 'other'],
]);
const SIZE_NOT_STATED = ['', '00'];

export function mapCompany(cell: Cell, context: Context, rows: JoinedRows = noRows): MappedRecord | Rejection {
  const canonicalName = readText(cell('razao_social').replace(CONTROLS, ' '));
  if (canonicalName === null) return { rejected: 'no name' };
  const root = readText(cell('cnpj_basico'));
  const establishments = rows('estabelecimentos');
  const head = establishments.find((row) => row('identificador_matriz_filial').trim() === HEAD_OFFICE);
  const branches = establishments.filter((row) => row !== head);
  const number = head === undefined ? null : joinNumber(head);
  const registeredAt = head === undefined ? null : readDay('data_inicio_atividade', head, context);
  const registration = { authority: AUTHORITY, type: 'national', status: null, registeredAt: null, endedAt: null };
  return {
    // Not the full number of the head office: the id must stay the same when the head office moves.
    number: root,
    canonicalName,
    status: head === undefined ? 'unknown' : readStatus(head, context),
    legalForm: lookUpName('naturezas', cell('natureza_juridica'), context) ?? readText(cell('natureza_juridica')),
    registeredAt,
    registrations: [
      ...(head !== undefined
        ? [makeRegistration(head, 'national', context)]
        : root === null
          ? []
          : [{ ...registration, number: root }]),
      ...branches.map((branch) => makeRegistration(branch, 'branch', context)),
    ],
    activities: head === undefined ? [] : listActivities(head, context),
    registry: compact({
      root,
      numberValid: number === null ? null : isValidNumber(number),
      ...readCompany(cell, context),
      ...(head === undefined ? {} : readHead(head, context)),
      branches: branches.length || null,
      ...readTaxRegimes(rows, context),
      partners: readPartners(rows, context),
    }) as Record<string, Json>,
  };
}

/** Names in the files contain stray control characters. They become a space; `sourceData` keeps the original. */
const CONTROLS = /\p{Cc}+/gu;

function readCompany(cell: Cell, context: Context) {
  const capital = readText(cell('capital_social'));
  const amount = capital === null ? null : readAmount(capital);
  if (capital !== null && amount === null) context.report('capital_social', capital, 'not an amount');
  const porte = cell('porte').trim();
  const size = SIZES.get(porte) ?? null;
  if (size === null && !SIZE_NOT_STATED.includes(porte)) context.report('porte', porte, 'unknown size');
  return {
    legalFormCode: readText(cell('natureza_juridica')),
    responsibleQualification: readCode('qualificacoes', cell('qualificacao_responsavel'), context),
    capital: amount === null ? null : { amount, currency: 'BRL' },
    size,
    responsibleGovernment: readText(cell('ente_federativo_responsavel')),
  };
}

function readHead(head: Cell, context: Context) {
  const phone = (area: string, number: string) => readText(`${head(area).trim()} ${head(number).trim()}`);
  return {
    tradeName: readText(head('nome_fantasia')),
    statusCode: readText(head('situacao_cadastral')),
    statusSince: readDay('data_situacao_cadastral', head, context),
    statusReason: readCode('motivos', head('motivo_situacao_cadastral'), context),
    address: readAddress(head, context),
    phones: [phone('ddd_1', 'telefone_1'), phone('ddd_2', 'telefone_2')].filter((text) => text !== null),
    fax: phone('ddd_fax', 'fax'),
    email: readText(head('correio_eletronico')),
    specialSituation: compact({
      text: readText(head('situacao_especial')),
      since: readDay('data_situacao_especial', head, context),
    }),
  };
}

function readStatus(head: Cell, context: Context): EntityStatus {
  const text = head('situacao_cadastral').trim();
  const status = STATUSES.get(text.padStart(2, '0'));
  if (status === undefined) context.report('situacao_cadastral', text, 'unknown status');
  return status ?? 'unknown';
}

/** Every establishment has its own number, which it writes on its invoices. Each of them finds the company. */
function makeRegistration(establishment: Cell, type: 'national' | 'branch', context: Context): Registration {
  const status = readText(establishment('situacao_cadastral'));
  return {
    authority: AUTHORITY,
    type,
    number: joinNumber(establishment),
    status,
    registeredAt: readDay('data_inicio_atividade', establishment, context),
    endedAt: status?.padStart(2, '0') === CLOSED ? readDay('data_situacao_cadastral', establishment, context) : null,
  };
}

/** The full CNPJ: company, establishment, check digits. */
function joinNumber(establishment: Cell): string {
  return ['cnpj_basico', 'cnpj_ordem', 'cnpj_dv'].map((column) => establishment(column).trim()).join('');
}

/** Main activity first, each code once. A code of zeros means that none was declared. */
function listActivities(head: Cell, context: Context): Activity[] {
  const codes = `${head('cnae_fiscal_principal')},${head('cnae_fiscal_secundaria')}`
    .split(',')
    .map((code) => code.trim());
  const found = new Set(codes.filter((code) => /[1-9]/.test(code)));
  return [...found].map((code) => ({ type: 'unlicensed', code, label: lookUpName('cnaes', code, context) }));
}
