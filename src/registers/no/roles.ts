/** The file of roles (`roller/totalbestand`): who manages, audits and owns companies. A role has no first and no last day. */
import type { Json, MapContext, MappedParty, Rejection, SourceDefinition } from '../contract.ts';
import { NO_PARTY_DETAILS } from '../mapped-party.ts';
import { indexGroups, joinFilled, readText, type Tree, textOf, textsOf, treeOf, treesOf } from '../parsing.ts';

/** Every code of the publisher's list. `HFOR` is the foreign company of a Norwegian branch. */
const ROLES = indexGroups<MappedParty['role']>({
  director: 'LEDE|NEST|MEDL|VARA|DAGL',
  partner: 'DTPR|DTSO|KOMP|SAM',
  member: 'EIKM',
  representative: 'BEST|REPR|FFØR|SIGN|SIFE|SIHV|PROK|POFE|POHV',
  insolvency_administrator: 'BOBE',
  auditor: 'REVI',
  head_office: 'HFOR',
  other: 'OBS|INNH|KDEB|REGN|HLSE|ADOS|ORGL|KTRF|OPMV|KIRK',
});

/** The debtor of a bankruptcy, and contacts. They are neither officers nor owners. */
const NOT_PARTIES: ReadonlySet<string> = new Set(['KENK', 'KONT']);

export const ROLE_SOURCE: SourceDefinition<null> = {
  name: 'roller (JSON)',
  format: { type: 'json' },
  required: ['organisasjonsnummer', 'rollegrupper'],
  parties: {
    set: 'roles',
    split: splitRoles,
    map: mapRole,
  },
};

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

function mapRole(row: Tree, context: MapContext<null>): MappedParty | Rejection {
  const company = readText(textOf(row, 'organisasjonsnummer'));
  if (company === null) return { rejected: 'no organisation number' };
  if (row.rolle === undefined) return { rejected: 'a company or group without roles', expected: true };
  const rolle = treeOf(row, 'rolle');
  const type = treeOf(rolle, 'type');
  const code = textOf(type, 'kode');
  if (code === '') return { rejected: 'no type of role' };
  if (isTrue(rolle, 'fratraadt') || isTrue(rolle, 'avregistrert'))
    return { rejected: 'a role that has ended', expected: true };
  if (NOT_PARTIES.has(code)) return { rejected: 'a role that is not of an officer or owner', expected: true };
  const role = ROLES.get(code);
  if (role === undefined) context.report('rolle.type.kode', code, 'unknown role');
  const party = readParty(rolle);
  if (party.name === null && party.number === null)
    return { rejected: 'a role without a name and number', expected: true };
  const group = textOf(treeOf(treeOf(row, 'rollegruppe'), 'type'), 'kode');
  return {
    company,
    // The order in the group changes when somebody leaves. Only persons have a day of birth.
    key: `${group}/${code}/${party.number ?? `${party.name}/${textOf(treeOf(rolle, 'person'), 'fodselsdato')}`}`,
    role: role ?? 'other',
    roleText: readText(textOf(type, 'beskrivelse')) ?? code,
    ...NO_PARTY_DETAILS,
    ...party,
    link: party.number === null ? null : { register: 'no', number: party.number },
    current: true,
  };
}

function readParty(rolle: Tree): Pick<MappedParty, 'kind' | 'name' | 'number'> {
  const unit = treeOf(rolle, 'enhet');
  if (Object.keys(unit).length > 0) {
    const name = readText(joinFilled(textsOf(unit, 'navn'), ' '));
    return { kind: 'organisation', name, number: readText(textOf(unit, 'organisasjonsnummer')) };
  }
  const names = treeOf(treeOf(rolle, 'person'), 'navn');
  const parts = ['fornavn', 'mellomnavn', 'etternavn'].map((key) => readText(textOf(names, key)));
  return { kind: 'person', name: readText(joinFilled(parts, ' ')), number: null };
}

function isTrue(rolle: Tree, key: string): boolean {
  return rolle[key] === true;
}
