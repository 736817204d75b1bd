/** France: Sirene, the legal units that INSEE registers, joined with the establishments that are their seats. */
import { checkLuhn } from '../check-digits.ts';
import { type Activity, type Cell, defineRegister, type EntityStatus, type MapContext } from '../contract.ts';
import { readCodeLists, readRows } from '../data-files.ts';
import { type Common, type Field, fieldsOf } from '../fields.ts';
import { compact, readDayOf, type Tree, textOf, treesOf } from '../parsing.ts';
import { describeRecord, otherNumber, ownEnd, ownNumber, ownStatus, spread } from '../record.ts';
import { describeEmployees, describeSeat, EDITIONS, FLAGS, findShown, HIDDEN, NAF_2025, readShown } from './seat.ts';

type Context = MapContext<unknown>;
type FrField<Value> = Field<Unit, unknown, Value>;

/** A legal unit of the files, or of the API with its periods, the latest first. */
interface Unit {
  readonly cell: Cell;
  readonly periods: readonly Period[];
}

interface Period {
  readonly tree: Tree;
  readonly from: string | null;
  /** The last day; null for the current period. */
  readonly until: string | null;
}

const AUTHORITY = 'INSEE';
const SEATS = 'StockEtablissement';

/** SIREN (nine digits) and SIRET (fourteen digits) end with a check digit. */
export const isSiren = checkLuhn(9);
export const isSiret = checkLuhn(14);

const { text, day, whole, is, texts, names, extend, joinLists, first, code, lookup, group } = fieldsOf<Unit, unknown>(
  (column) => {
    const read = findShown(column);
    return ({ cell }) => read(cell);
  },
);

const [STATE, CREATION] = ['etatAdministratifUniteLegale', 'dateCreationUniteLegale'];
const lists = readCodeLists('fr');
const [STATUSES, STATE_LABELS] = [lists.meanings<EntityStatus>('status'), lists.labels('status')];

const readPerson = group({
  firstNames: texts(...['1', '2', '3', '4'].map((rank) => `prenom${rank}UniteLegale`)),
  usualFirstName: text('prenomUsuelUniteLegale'),
  surname: text('nomUniteLegale'),
  usageName: text('nomUsageUniteLegale'),
  pseudonym: text('pseudonymeUniteLegale'),
  sex: text('sexeUniteLegale'),
});

/** The name that a person goes by: the usual first name, and the name in use or else the surname. */
const namePerson: FrField<string> = (unit, context, common) => {
  const person = readPerson(unit, context, common) ?? {};
  const { firstNames = [], usualFirstName = firstNames[0] ?? '', surname, usageName } = person;
  return `${usualFirstName} ${usageName ?? surname ?? ''}`.trim() || null;
};

const readOtherNames = joinLists<{ readonly name: string; readonly type: 'short' | 'trading' }>(
  names(texts('sigleUniteLegale'), { type: 'short' }),
  names(texts(...['1', '2', '3'].map((rank) => `denominationUsuelle${rank}UniteLegale`)), { type: 'trading' }),
);

const SCHEME = 'INSEE catégories juridiques';
/** INSEE's nomenclature of legal categories (catégories juridiques), third level, and 5498, which older units have. */
const LEGAL_FORMS = new Map(readRows('fr/legal-forms.tsv').map(([code = '', label = '']) => [code, label]));

const readSiren = text('siren');
const readName = first(
  text('denominationUniteLegale'),
  namePerson,
  text('denominationUsuelle1UniteLegale'),
  text('sigleUniteLegale'),
);
const readCreation = day(CREATION);

const readNic = text('nicSiegeUniteLegale');

/** The number of the seat. */
const readSiret: FrField<string> = (unit, context, common) => {
  const nic = readNic(unit, context, common);
  return nic === null || common.number === null ? null : `${common.number}${nic}`;
};

/** A legal unit (company, association or sole trader) with the establishment that is its seat. */
const describeUnit = describeRecord<Unit, unknown>({
  // A purged unit may have lost its name and a person's name may be hidden, but a record needs a name.
  name: readName,
  substitute: readSiren,
  nameless: 'neither SIREN nor name',
  number: readSiren,
  registeredAt(unit, context, common) {
    const created = readCreation(unit, context, common);
    // INSEE writes this day for units whose day of creation is not known.
    if (created !== '1900-01-01') return created;
    context.reportUnknown('date', CREATION, created);
    return null;
  },
  endedAt: ({ cell, periods }) => (cell(STATE).trim() === 'C' ? findEnd(periods) : null),
  status({ cell }, context) {
    const code = cell(STATE).trim();
    const status = STATUSES.get(code);
    if (status === undefined) context.reportUnknown('status', STATE, code);
    return { status: status ?? 'unknown', ...(code !== HIDDEN && { code, label: STATE_LABELS.get(code) }) };
  },
  legalForm: extend(code('categorieJuridiqueUniteLegale', LEGAL_FORMS, 'legalForm'), { scheme: SCHEME }),
  registrations: [
    ownNumber(AUTHORITY, isSiren),
    otherNumber(AUTHORITY, 'branch', readSiret, isSiret),
    otherNumber('RNA', 'association', text('identifiantAssociationUniteLegale')),
  ],
  activities: listActivities,
  registry: {
    status: ownStatus,
    otherNames: (...row) => readOtherNames(...row)?.filter(({ name }) => name !== row[2].name) ?? null,
    person: readPerson,
    stateSince: day('dateDebut'),
    diffusion: text('statutDiffusionUniteLegale'),
    purged: is('unitePurgeeUniteLegale', /^true$/i),
    employees: describeEmployees(
      group({ code: text('trancheEffectifsUniteLegale'), year: whole('anneeEffectifsUniteLegale') }),
    ),
    size: group({
      code: text('categorieEntreprise'),
      label: lookup('categorieEntreprise', lists.labels('size')),
      year: whole('anneeCategorieEntreprise'),
    }),
    employer: lookup('caractereEmployeurUniteLegale', FLAGS),
    socialEconomy: lookup('economieSocialeSolidaireUniteLegale', FLAGS),
    missionCompany: lookup('societeMissionUniteLegale', FLAGS),
    periods: whole('nombrePeriodesUniteLegale'),
    lastProcessedAt: day('dateDernierTraitementUniteLegale'),
    seat: spread((unit, context, common) => {
      const seats = common.rows(SEATS);
      const nic = readNic(unit, context, common);
      // More than one row may be marked as seat. The unit has the number of its seat.
      const seat = seats.find((row) => row('nic').trim() === nic) ?? seats[0];
      return seat === undefined ? null : describeSeat(seat, context, readSiret(unit, context, common));
    }),
    endedAt: ownEnd,
    previousNames: listPreviousNames,
  },
});

function listActivities({ cell }: Unit, context: Context): Activity[] {
  const activities: Activity[] = [];
  const code = readShown(cell, 'activitePrincipaleUniteLegale').trim();
  if (code !== '') {
    const edition = readEdition(readShown(cell, NOMENCLATURE).trim(), context);
    activities.push({ type: 'unlicensed', code, label: null, ...edition, main: true });
  }
  const naf2025 = readShown(cell, 'activitePrincipaleNAF25UniteLegale').trim();
  if (naf2025 !== '') activities.push({ type: 'unlicensed', code: naf2025, label: null, ...NAF_2025, main: true });
  return activities;
}

const NOMENCLATURE = 'nomenclatureActivitePrincipaleUniteLegale';

function readEdition(nomenclature: string, context: Context) {
  const known = EDITIONS.get(nomenclature);
  if (known !== undefined) return known;
  if (nomenclature !== '') context.reportUnknown('activity', NOMENCLATURE, nomenclature);
  return { scheme: nomenclature || 'NAF' };
}

/**
 * A record of the API keeps the fields that change over time in a list of periods, which the files do not have. The current period is the
 * one without an end date, or else the latest.
 */
function mapApiUnit(record: Tree, context: Context) {
  const periods = treesOf(record, 'periodesUniteLegale')
    .map((tree) => ({ tree, from: readDayOf(tree, 'dateDebut', context), until: readDayOf(tree, 'dateFin', context) }))
    .sort((one, other) => compare(other.until ?? LAST, one.until ?? LAST));
  const current = periods[0]?.tree ?? {};
  return describeUnit({ cell: (column) => textOf(record, column) || textOf(current, column), periods }, context);
}

const LAST = '9999-12-31';

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** A unit ended on the first day of the periods in which it is ceased, up to the current one. */
function findEnd(periods: readonly Period[]): string | null {
  const open = periods.findIndex(({ tree }) => textOf(tree, 'etatAdministratifUniteLegale') !== 'C');
  return periods[(open < 0 ? periods.length : open) - 1]?.from ?? null;
}

/** Consecutive periods with the same name are merged into one period. Names of persons are not listed. */
function listPreviousNames({ periods }: Unit, _context: Context, { name: currentName }: Common) {
  const names: { name: string; from: string | null; until: string | null }[] = [];
  for (const { tree, from, until } of periods) {
    const name = textOf(tree, 'denominationUniteLegale');
    const last = names.at(-1);
    if (last?.name === name) last.from = from;
    else if (name !== '' && name !== HIDDEN) names.push({ name, from, until });
  }
  const previous = names.filter(({ name, until }) => until !== null && name !== currentName);
  return previous.map(({ name, from, until }) => ({ name, ...compact({ from, until }) }));
}

/** La Poste has so many establishments that the digits of their numbers only have to add up to a multiple of 5. */
const LA_POSTE = '356000000';

function checkSiret(siret: string): boolean {
  const isExempt = siret.startsWith(LA_POSTE) && [...siret].reduce((sum, digit) => sum + Number(digit), 0) % 5 === 0;
  return isExempt || (isSiret(siret) && isSiren(siret.slice(0, 9)));
}

export const fr = defineRegister({
  id: 'fr',
  tables: {
    StockUniteLegale: { map: (cell, context, rows) => describeUnit({ cell, periods: [] }, context, rows) },
    [SEATS]: { joins: { keep: (cell) => cell('etablissementSiege').trim().toLowerCase() === 'true' } },
  },
  trees: { 'uniteLegale (API)': { map: mapApiUnit } },
  checkNumber(written) {
    const number = written.slice(0, 9);
    if (/^\d{9}$/.test(written)) return { kind: 'SIREN', number, valid: isSiren(written) };
    return /^\d{14}$/.test(written) ? { kind: 'SIRET', number, valid: checkSiret(written) } : null;
  },
});
