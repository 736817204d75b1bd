/** A company is a row of Empresas; its head office in Estabelecimentos has its address, status and activities. */
import type { Activity, Cell, JoinedRows, MappedRecord, Registration, Rejection } from '../contract.ts';
import { NO_DETAILS, noRows } from '../contract.ts';
import { compact, readAmount, readText } from '../parsing.ts';
import type { LegalFormOf, RegistryOf } from '../vocabulary.ts';
import { readAddress } from './address.ts';
import { type Context, lookUpLabel, readCode, readDay } from './cells.ts';
import { isValidNumber } from './number.ts';
import { readParties } from './parties.ts';
import { describeEstablishment, describeStatus, type Establishment, readContacts, readTaxRegimes } from './registry.ts';
import { decideStatus, readEstablishmentStatus } from './status.ts';

const AUTHORITY = 'Receita Federal do Brasil';

export function mapCompany(cell: Cell, context: Context, rows: JoinedRows = noRows): MappedRecord | Rejection {
  const canonicalName = readText(cell('razao_social').replace(CONTROLS, ' '));
  if (canonicalName === null) return { rejected: 'no name' };
  const root = readText(cell('cnpj_basico'));
  const { head, branches } = readEstablishments(rows, context);
  const { status, inferredFrom } = head === null ? NO_HEAD : decideStatus(head.row, context);
  return {
    // Not the full number of the head office: the id must stay the same when the head office moves.
    number: root,
    canonicalName,
    status,
    legalForm: readLegalForm(cell, context),
    registeredAt: head?.registeredAt ?? null,
    registrations: listRegistrations(root, head, branches),
    activities: head === null ? [] : listActivities(head.row, context),
    registry: compact({
      root,
      ...(head === null ? {} : readHead(head, context)),
      statusInferredFrom: inferredFrom,
      ...readCompany(cell, context),
      establishments: branches.map((branch) => describeEstablishment(branch, context)),
      ...readTaxRegimes(rows, context),
      parties: readParties(rows, context),
    }) satisfies RegistryOf,
  };
}

/** Names in the files contain stray control characters. They become a space; `sourceData` keeps the original. */
const CONTROLS = /\p{Cc}+/gu;

const NO_HEAD = { status: 'unknown', inferredFrom: null } as const;
const [HEAD_OFFICE, BRANCH] = ['1', '2'];

function readEstablishments(rows: JoinedRows, context: Context) {
  let head: Establishment | null = null;
  const branches: Establishment[] = [];
  for (const row of rows('estabelecimentos')) {
    const kind = row('identificador_matriz_filial').trim();
    const establishment = {
      row,
      number: joinNumber(row),
      status: readEstablishmentStatus(row, context),
      registeredAt: readDay('data_inicio_atividade', row, context),
    };
    if (kind === HEAD_OFFICE && head === null) head = establishment;
    else branches.push(establishment);
    if (kind !== HEAD_OFFICE && kind !== BRANCH)
      context.report('identificador_matriz_filial', kind, 'neither head office nor branch');
  }
  return { head: head as Establishment | null, branches };
}

/** The full CNPJ: company, establishment, check digits. */
function joinNumber(row: Cell): string {
  return row('cnpj_basico').trim() + row('cnpj_ordem').trim() + row('cnpj_dv').trim();
}

/** Every establishment has its own number, which it writes on its invoices. A search for any of them finds the company. */
function listRegistrations(
  root: string | null,
  head: Establishment | null,
  branches: readonly Establishment[],
): Registration[] {
  const registrations = branches.map((branch) => makeRegistration(branch, 'branch'));
  if (head !== null) registrations.unshift(makeRegistration(head, 'national'));
  else if (root !== null) {
    registrations.unshift({ authority: AUTHORITY, type: 'national', number: root, ...NO_DETAILS });
  }
  return registrations;
}

function makeRegistration({ number, status, registeredAt }: Establishment, type: 'national' | 'branch'): Registration {
  return {
    authority: AUTHORITY,
    type,
    number,
    numberValid: isValidNumber(number),
    status: status.label,
    ...(status.code !== null && { statusCode: status.code }),
    registeredAt,
    endedAt: status.endedAt,
  };
}

function readLegalForm(cell: Cell, context: Context): LegalFormOf | null {
  const form = readCode('naturezas', cell('natureza_juridica'), context);
  if (form === null) return null;
  if (form.label === undefined && context.codes.has('naturezas'))
    context.reportUnknown('legalForm', 'natureza_juridica', form.code);
  return { ...form, scheme: 'Natureza Jurídica' };
}

/** The texts are those of the tax office. `00` means not stated. */
const SIZES: ReadonlyMap<string, string | null> = new Map([
  ['', null],
  ['00', null],
  ['01', 'MICRO EMPRESA'],
  ['03', 'EMPRESA DE PEQUENO PORTE'],
  ['05', 'DEMAIS'],
]);

function readCompany(cell: Cell, context: Context) {
  const capital = readText(cell('capital_social'));
  const amount = capital === null ? null : readAmount(capital);
  if (capital !== null && amount === null) context.report('capital_social', capital, 'not an amount');
  const code = cell('porte').trim();
  const label = SIZES.get(code);
  if (label === undefined) context.report('porte', code, 'unknown size');
  return {
    capital: amount === null ? null : { amount, currency: 'BRL' },
    size: label === null ? null : compact({ code, label }),
    responsibleQualification: readCode('qualificacoes', cell('qualificacao_responsavel'), context),
    responsibleGovernment: readText(cell('ente_federativo_responsavel')),
  };
}

function readHead({ row, status }: Establishment, context: Context) {
  const tradeName = readText(row('nome_fantasia'));
  return {
    otherNames: tradeName === null ? null : [{ name: tradeName, type: 'trading' as const }],
    status: describeStatus(status),
    endedAt: status.endedAt,
    address: readAddress(row, context),
    contacts: readContacts(row),
    specialSituation: compact({
      text: readText(row('situacao_especial')),
      since: readDay('data_situacao_especial', row, context),
    }),
  };
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
