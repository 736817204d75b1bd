/** The partners, directors and other persons of `Socios`. */
import { findCountryCode } from '../address.ts';
import type { Cell } from '../contract.ts';
import { linkByNumber, type RecordParty, readRecordParty } from '../mapped-party.ts';
import type { PartyOf } from '../vocabulary.ts';
import { day, fields, lists } from './establishment.ts';

const { text, first, group, groupWith, each, rowsOf, labelIn } = fields;
const ROLES = lists.meanings<PartyOf['role']>('role');
const KINDS_OF_ROLES = lists.meanings<'organisation' | 'person'>('kind of role');
const KINDS = lists.meanings<'organisation' | 'person' | 'foreign'>('kind');
const AGE_GROUPS = lists.labels('age group');
const WITHOUT_CAPITAL = lists.meanings<'other'>('without capital');
const [KIND, ROLE] = ['identificador_socio', 'qualificacao_socio'];

const kindOf = (row: Cell) => KINDS.get(row(KIND).trim());
export const isOrganisation = (row: Cell) => kindOf(row) === 'organisation';

/** The publisher masks personal numbers, and writes `***000000**` for a missing number. */
const numberIn = (column: string) => (row: Cell) =>
  row(column)
    .trim()
    .replace(/^\**0*\**$/, '') || null;
const readNumber = numberIn('cpf_cnpj_socio');
const readAge = (row: Cell) => row('faixa_etaria').trim().replace(/^0$/, '');
const readCountry = labelIn('paises', 'pais');

/** The person who acts for the partner: a parent of a minor, or an attorney of a partner abroad. */
const readPerson = group({ name: text('nome_representante'), number: numberIn('representante_legal') });
const readQualification = group({
  roleCode: text('qualificacao_representante'),
  roleLabel: labelIn('qualificacoes', 'qualificacao_representante'),
});

export const readParties = each(
  rowsOf('socios'),
  groupWith(['role', 'name'], {
    role: (row) => ROLES.get(row(ROLE).trim()) ?? 'other',
    name: first(text('nome_socio'), readNumber),
    roleLabel: first(labelIn('qualificacoes', ROLE), text(ROLE)),
    roleCode: text(ROLE),
    kind(row, context) {
      const kind = kindOf(row);
      if (kind === undefined) context.report(KIND, row(KIND).trim(), 'unknown kind of partner');
      return kind === undefined || kind === 'foreign' ? (KINDS_OF_ROLES.get(row(ROLE).trim()) ?? null) : kind;
    },
    number: readNumber,
    foreign: (row) => kindOf(row) === 'foreign' || null,
    from: day('data_entrada_sociedade'),
    country: readCountry,
    countryCode: (...row) => findCountryCode(readCountry(...row) ?? '', ['pt']),
    countryNumber: text('pais'),
    ageGroup: readAge,
    ageGroupLabel: (row) => AGE_GROUPS.get(readAge(row)) ?? null,
    representative(...row) {
      const person = readPerson(...row);
      return person && { ...person, ...readQualification(...row) };
    },
  }),
);

/** A partner without capital is not followed as an owner. */
export function readListed(party: PartyOf): RecordParty {
  const role = WITHOUT_CAPITAL.get(String(party.roleCode)) ?? party.role;
  return readRecordParty(party, { role, ...linkByNumber(party, 'br', /^[0-9A-Z]{12}\d{2}$/) });
}
