/** The file of roles (`roller/totalbestand`): who manages, audits and owns companies. A role has no first and no last day. */
import type { Json, MappedParty } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { NO_COMMON, treeFields } from '../fields.ts';
import { joinFilled, type Tree, textOf, textsOf, treeOf, treesOf } from '../parsing.ts';
import { describeParty } from '../record.ts';

const lists = readCodeLists('no');
const [COMPANY, CODE] = ['organisasjonsnummer', 'rolle.type.kode'];
const { text, concat, first, listed, at } = treeFields();

/** An organisation has a name in several lines. */
const readName = first(
  at('rolle.enhet', (unit) => joinFilled(textsOf(unit, 'navn'), ' ') || null),
  concat(' ', ...['fornavn', 'mellomnavn', 'etternavn'].map((name) => `rolle.person.navn.${name}`)),
);
const readNumber = text('rolle.enhet.organisasjonsnummer');
const readCode = text(CODE);
const readBirth = text('rolle.person.fodselsdato');
const readGroup = text('rollegruppe.type.kode');

const mapRole = describeParty<Tree, unknown>({
  reject(row, context) {
    if (textOf(row, COMPANY) === '') return { rejected: 'no organisation number' };
    if (row.rolle === undefined) return { rejected: 'a company or group without roles', expected: true };
    const role = treeOf(row, 'rolle');
    const code = readCode(row, context, NO_COMMON);
    if (code === null) return { rejected: 'no type of role' };
    if (role.fratraadt === true || role.avregistrert === true)
      return { rejected: 'a role that has ended', expected: true };
    if (lists.meanings('no party').has(code))
      return { rejected: 'a role that is not of an officer or owner', expected: true };
    const isNamed = [readName, readNumber].some((read) => read(row, context, NO_COMMON) !== null);
    return isNamed ? null : { rejected: 'a role without a name and number', expected: true };
  },
  company: text(COMPANY),
  // The order in the group changes when somebody leaves. Only persons have a day of birth.
  key(...row) {
    const party = readNumber(...row) ?? `${readName(...row)}/${readBirth(...row) ?? ''}`;
    return `${readGroup(...row) ?? ''}/${readCode(...row)}/${party}`;
  },
  role: listed(CODE, lists.meanings<MappedParty['role']>('role'), 'unknown role', 'other'),
  roleText: first(text('rolle.type.beskrivelse'), readCode),
  kind: (row) => (Object.keys(treeOf(treeOf(row, 'rolle'), 'enhet')).length > 0 ? 'organisation' : 'person'),
  name: readName,
  number: readNumber,
  link(...row) {
    const number = readNumber(...row);
    return number === null ? null : { register: 'no', number };
  },
});

/** One row for each role, with its company and its group. A company or group without roles is a row, too. */
function splitRoles({ rollegrupper, ...company }: Tree): readonly Tree[] {
  const groups = treesOf({ rollegrupper: rollegrupper ?? null }, 'rollegrupper');
  if (groups.length === 0) return [{ ...company, rollegrupper: rollegrupper ?? null }];
  return groups.flatMap(({ roller, ...rollegruppe }): Tree[] => {
    const roles: readonly Json[] = Array.isArray(roller) ? roller : [];
    if (roles.length === 0) return [{ ...company, rollegruppe: { ...rollegruppe, roller: roller ?? null } }];
    return roles.map((rolle) => ({ ...company, rollegruppe, rolle }));
  });
}

export const ROLES = { split: splitRoles, map: mapRole };
