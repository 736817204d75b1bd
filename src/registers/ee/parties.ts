/**
 * The files of persons. Each object has all persons of a company; every person becomes a row of its own, with what the object says
 * besides them.
 */
import { fold } from '../../base/fold.ts';
import { findCountryCode } from '../address.ts';
import type { MapContext, MappedParty, Rejection, SourceDefinition } from '../contract.ts';
import { indexGroups, joinFilled, readAmount, readDayOf, readText, type Tree, textOf, treesOf } from '../parsing.ts';

/** By `isiku_roll`. */
const ROLES = indexGroups<MappedParty['role']>({
  director: 'JUHL|JUHA|JUHE|JUHJ|HNKL',
  representative: 'PROK|VFILJ|ASES|SJESI',
  liquidator: 'LIKV|LIKVJ',
  insolvency_administrator: 'PANKR|AJUTPH|AJPH',
  partner: 'TOSAN|UOSAN',
  shareholder: 'OSAN|O',
  fund_manager: 'FV',
});
/** By the folded `isiku_roll_tekstina`, for persons beside the card, whose codes are not known. */
const LABELS = indexGroups<MappedParty['role']>({
  director: 'noukogu liige|noukogu esimees|noukogu esimehe asetaitja',
  auditor: 'audiitor',
  founder: 'asutaja',
});

/** Registers whose numbers `valis_kood` has, by `valis_kood_riik`, and the form of their numbers. */
const FOREIGN: Readonly<Record<string, readonly [register: string, form: RegExp]>> = {
  LVA: ['lv', /^\d{11}$/],
  LTU: ['lt', /^\d{9}$/],
  FIN: ['fi', /^\d{7}-\d$/],
  NOR: ['no', /^\d{9}$/],
  GBR: ['gb', /^(?:\d{8}|[A-Z]{2}\d{6})$/],
  CZE: ['cz', /^\d{8}$/],
};

/** Members of a building association. */
const MEMBERS = 'hooneyhistu_liikmed';
const PLEDGES = 'osapandid_tingimuslikud_voorandamised';
/** Special rules of representation: the texts may name persons. */
const CONDITIONS = 'esindusoiguse_eritingimused';
const RULES = 'esindusoiguse_normaalregulatsioonid';

export const PARTY_SOURCES: readonly SourceDefinition<null>[] = [
  describe('kaardile_kantud_isikud', 'officers', 'kaardile_kantud_isikud', [RULES, CONDITIONS, MEMBERS]),
  describe('kandevalised_isikud', 'off_card', 'kaardivalised_isikud', []),
  describe('osanikud', 'shareholders', 'osanikud', [PLEDGES]),
];

function describe(file: string, set: string, list: string, others: readonly string[]): SourceDefinition<null> {
  const lists = [list, ...others.filter((key) => key === MEMBERS || key === PLEDGES)];
  return {
    name: `${file} (JSON)`,
    format: { type: 'json' },
    required: ['ariregistri_kood', list],
    parties: {
      set,
      split: (record: Tree) => splitPersons(record, lists),
      map: (row: Tree, context: MapContext<null>) => mapRow(row, list, context),
    },
  };
}

function splitPersons(record: Tree, lists: readonly string[]): Tree[] {
  const common = Object.fromEntries(Object.entries(record).filter(([key]) => !lists.includes(key)));
  return lists.flatMap((key) => treesOf(record, key).map((item) => ({ ...common, [key]: [item] })));
}

function isOrganisation(item: Tree): boolean {
  return textOf(item, 'isiku_tyyp') === 'J';
}

function mapRow(row: Tree, list: string, context: MapContext<null>): MappedParty | Rejection {
  if (PLEDGES in row) return { rejected: 'a pledge of shares', expected: true };
  const company = textOf(row, 'ariregistri_kood');
  if (company === '') return { rejected: 'no registry code' };
  const [person = {}] = treesOf(row, MEMBERS in row ? MEMBERS : list);
  const firstName = isOrganisation(person) ? '' : textOf(person, 'eesnimi');
  const name = readText(joinFilled([firstName, textOf(person, 'nimi_arinimi')], ' '));
  if (name === null) return { rejected: 'no name' };
  const [code, label] = [textOf(person, 'isiku_roll'), textOf(person, 'isiku_roll_tekstina')];
  const role = MEMBERS in row ? 'member' : (ROLES.get(code) ?? LABELS.get(fold(label)) ?? 'other');
  const until = readDayOf(person, 'lopp_kpv', context);
  return {
    company: company.padStart(8, '0'),
    key: textOf(person, 'kirje_id') || `${code}/${name}`,
    role,
    roleText: label || code,
    ...readIdentity(person),
    name,
    interests: role === 'shareholder' ? [{ type: 'shares', share: readShare(person, context) }] : [],
    from: readDayOf(person, 'algus_kpv', context),
    until,
    current: until === null,
    absence: null,
  };
}

function readIdentity(item: Tree): Pick<MappedParty, 'kind' | 'number' | 'link' | 'countryCode'> {
  if (!isOrganisation(item)) {
    const kind = textOf(item, 'isiku_tyyp') === 'F' ? 'person' : 'unknown';
    return { kind, number: null, link: null, countryCode: null };
  }
  const kind = 'organisation';
  const number = textOf(item, 'isikukood_registrikood');
  if (number !== '') {
    const link = /^\d{7,8}$/.test(number) ? { register: 'ee', number: number.padStart(8, '0') } : null;
    return { kind, number, link, countryCode: 'EE' };
  }
  const foreign = textOf(item, 'valis_kood');
  const [register, form] = FOREIGN[textOf(item, 'valis_kood_riik')] ?? [];
  const link = register !== undefined && form?.test(foreign) ? { register, number: foreign } : null;
  const country = textOf(item, 'valis_kood_riik_tekstina') || textOf(item, 'aadress_riik_tekstina');
  return { kind, number: readText(foreign), link, countryCode: findCountryCode(country, ['et']) };
}

/** A share of several owners (`osaluse_omandiliik` other than L) is written with each of them: each owns at most as much. */
function readShare(person: Tree, context: MapContext<null>) {
  const text = textOf(person, 'osaluse_protsent');
  const percent = readAmount(text);
  if (percent === null || percent < 0 || percent > 100) {
    if (text !== '') context.report('osanikud.osaluse_protsent', text, 'not a percentage');
    return null;
  }
  // Percentages are rounded, so 0 is a very small share.
  if (percent === 0) return null;
  return textOf(person, 'osaluse_omandiliik') === 'L' ? { exact: percent } : { max: percent };
}
