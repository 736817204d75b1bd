/** The partners, directors and other persons of `Socios`. */

import { findCountryCode } from '../address.ts';
import type { Cell, JoinedRows } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { linkByNumber, type RecordParty, readRecordParty } from '../mapped-party.ts';
import { compact, readText } from '../parsing.ts';
import type { PartyOf } from '../vocabulary.ts';
import { type Context, LANGUAGES, lookUpLabel, readDay } from './cells.ts';

const lists = readCodeLists('br');
const ROLES = lists.meanings<PartyOf['role']>('role');
const KINDS_OF_ROLES = lists.meanings<'organisation' | 'person'>('kind of role');
const AGE_GROUPS = lists.labels('age group');

const KINDS: ReadonlyMap<string, PartyOf['kind'] | null> = new Map([
  ['1', 'organisation'],
  ['2', 'person'],
  // Foreign: a person or an organisation. Some roles say which.
  ['3', null],
]);
const [ORGANISATION, FOREIGN] = ['1', '3'];

/** The publisher masks personal numbers, and writes `***000000**` if there is none. */
const NO_NUMBER = /^\**0*\**$/;

export function isOrganisation(row: Cell): boolean {
  return row('identificador_socio').trim() === ORGANISATION;
}

export function readParties(rows: JoinedRows, context: Context): PartyOf[] {
  return rows('socios').flatMap((row) => readParty(row, context) ?? []);
}

function readParty(row: Cell, context: Context): PartyOf | null {
  const type = row('identificador_socio').trim();
  const kind = KINDS.get(type);
  if (kind === undefined) context.report('identificador_socio', type, 'unknown kind of partner');
  const number = readNumber(row, 'cpf_cnpj_socio');
  const name = readText(row('nome_socio')) ?? number;
  if (name === null) return null;
  const roleCode = row('qualificacao_socio').trim();
  const countryNumber = readText(row('pais'));
  const country = countryNumber === null ? null : lookUpLabel('paises', countryNumber, context);
  const ageGroup = row('faixa_etaria').trim();
  const party = compact({
    roleLabel: lookUpLabel('qualificacoes', roleCode, context) ?? roleCode,
    roleCode,
    kind: kind ?? KINDS_OF_ROLES.get(roleCode),
    number,
    foreign: type === FOREIGN ? true : null,
    from: readDay('data_entrada_sociedade', row, context),
    country,
    countryCode: findCountryCode(country ?? '', LANGUAGES),
    countryNumber,
    ageGroup: ageGroup === '0' ? null : ageGroup,
    ageGroupLabel: AGE_GROUPS.get(ageGroup),
    representative: readRepresentative(row, context),
  });
  return { role: ROLES.get(roleCode) ?? 'other', name, ...party };
}

/** The person who acts for the partner: a parent of a minor, or an attorney of a partner abroad. */
function readRepresentative(row: Cell, context: Context) {
  const name = readText(row('nome_representante'));
  const number = readNumber(row, 'representante_legal');
  if (name === null && number === null) return null;
  const roleCode = row('qualificacao_representante').trim();
  return compact({ name, number, roleCode, roleLabel: lookUpLabel('qualificacoes', roleCode, context) });
}

function readNumber(row: Cell, column: string): string | null {
  const text = row(column).trim();
  return NO_NUMBER.test(text) ? null : text;
}

/** Partners who work for the company or manage it, and own nothing. */
const WITHOUT_CAPITAL = new Set(['26', '53']);

/** A partner without capital is not followed as an owner. */
export function readListed(party: PartyOf): RecordParty {
  const role = WITHOUT_CAPITAL.has(String(party.roleCode)) ? 'other' : party.role;
  return readRecordParty(party, { role, ...linkByNumber(party, 'br', /^[0-9A-Z]{12}\d{2}$/) });
}
