/**
 * The files of persons. Each object has all persons of a company; every person becomes a row of its own, with the other values of the
 * object.
 */
import { fold } from '../../base/fold.ts';
import { findCountryCode } from '../address.ts';
import type { MapContext, MappedParty } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { fieldsOf } from '../fields.ts';
import { readAmount, readDate, readText, type Tree, textOf, treesOf } from '../parsing.ts';
import { describeParty } from '../record.ts';

const lists = readCodeLists('ee');
const ROLES = lists.meanings<MappedParty['role']>('role');
const ROLES_BY_TEXT = lists.meanings<MappedParty['role']>('role text');
const [FOREIGN, FOREIGN_FORMS] = [lists.meanings('foreign'), lists.labels('foreign')];

/** Members of a building association. */
const MEMBERS = 'hooneyhistu_liikmed';
const PLEDGES = 'osapandid_tingimuslikud_voorandamised';

/** The files, with the lists of persons in each. */
export const PARTY_FILES = {
  'kaardile_kantud_isikud (JSON)': describe('kaardile_kantud_isikud', MEMBERS),
  'kandevalised_isikud (JSON)': describe('kaardivalised_isikud'),
  'osanikud (JSON)': describe('osanikud', PLEDGES),
};

function describe(...lists: readonly [string, ...string[]]) {
  const split = (record: Tree) => {
    const common = Object.fromEntries(Object.entries(record).filter(([key]) => !lists.includes(key)));
    return lists.flatMap((key) => treesOf(record, key).map((item): Tree => ({ ...common, [key]: [item] })));
  };
  const map = (row: Tree, context: MapContext<null>) => {
    if (PLEDGES in row) return { rejected: 'a pledge of shares', expected: true } as const;
    const isMember = MEMBERS in row;
    const [person = {}] = treesOf(row, isMember ? MEMBERS : lists[0]);
    return mapPerson({ company: textOf(row, 'ariregistri_kood'), person, isMember }, context);
  };
  return { parties: { split, map } };
}

interface Person {
  readonly company: string;
  readonly person: Tree;
  readonly isMember: boolean;
}

const { text, day, first } = fieldsOf<Person, unknown>(
  (key) =>
    ({ person }) =>
      textOf(person, key),
);
const [readCode, readLabel] = [text('isiku_roll'), text('isiku_roll_tekstina')];

function isOrganisation(person: Tree): boolean {
  return textOf(person, 'isiku_tyyp') === 'J';
}

function nameParty({ person }: Person): string | null {
  const firstName = isOrganisation(person) ? '' : textOf(person, 'eesnimi');
  return `${firstName} ${textOf(person, 'nimi_arinimi')}`.trim() || null;
}

function findRole({ person, isMember }: Person): MappedParty['role'] {
  if (isMember) return 'member';
  const text = fold(textOf(person, 'isiku_roll_tekstina'));
  return ROLES.get(textOf(person, 'isiku_roll')) ?? ROLES_BY_TEXT.get(text) ?? 'other';
}

const mapPerson = describeParty<Person, null>({
  needs: { company: 'no registry code', name: 'no name' },
  company: ({ company }) => (company === '' ? null : company.padStart(8, '0')),
  key: first(text('kirje_id'), (...row) => `${readCode(...row) ?? ''}/${nameParty(row[0])}`),
  role: findRole,
  roleText: first(readLabel, readCode),
  name: nameParty,
  interests(row, context) {
    if (findRole(row) !== 'shareholder') return null;
    return [{ type: 'shares', share: readShare(row.person, context) }];
  },
  from: day('algus_kpv'),
  until: day('lopp_kpv'),
  current: ({ person }) => readDate(textOf(person, 'lopp_kpv')) === null,
  more: { fields: ({ person }) => identify(person) },
});

function identify(person: Tree) {
  if (!isOrganisation(person)) return { kind: textOf(person, 'isiku_tyyp') === 'F' ? 'person' : 'unknown' };
  const kind = 'organisation';
  const number = textOf(person, 'isikukood_registrikood');
  if (number !== '') {
    const link = /^\d{7,8}$/.test(number) ? { register: 'ee', number: number.padStart(8, '0') } : null;
    return { kind, number, link, countryCode: 'EE' };
  }
  const [foreign, country] = [textOf(person, 'valis_kood'), textOf(person, 'valis_kood_riik')];
  const [register, form] = [FOREIGN.get(country), FOREIGN_FORMS.get(country) ?? ''];
  const link = register !== undefined && new RegExp(form).test(foreign) ? { register, number: foreign } : null;
  const name = textOf(person, 'valis_kood_riik_tekstina') || textOf(person, 'aadress_riik_tekstina');
  return { kind, number: readText(foreign), link, countryCode: findCountryCode(name, ['et']) };
}

/** A share of several owners (`osaluse_omandiliik` other than L) is repeated for each owner, so an owner has at most this share. */
function readShare(person: Tree, context: MapContext<null>) {
  const written = textOf(person, 'osaluse_protsent');
  const percent = readAmount(written);
  if (percent === null || percent < 0 || percent > 100) {
    if (written !== '') context.report('osanikud.osaluse_protsent', written, 'not a percentage');
    return null;
  }
  // Percentages are rounded, so 0 is a very small share.
  if (percent === 0) return null;
  return textOf(person, 'osaluse_omandiliik') === 'L' ? { exact: percent } : { max: percent };
}
