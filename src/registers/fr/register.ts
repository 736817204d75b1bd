/** France: Sirene, the legal units that INSEE registers, joined with the establishments that are their seats. */
import { compileStyle, findCountryCode } from '../address.ts';
import { checkLuhn } from '../check-digits.ts';
import { type Activity, type Cell, defineRegister, type EntityStatus, type MapContext } from '../contract.ts';
import { readCodeLists, readRows } from '../data-files.ts';
import { type Common, type Field, fieldsOf, NO_COMMON } from '../fields.ts';
import { compact, readDayOf, type Tree, textOf, treesOf } from '../parsing.ts';
import { describeRecord, otherNumber, ownEnd, ownNumber, ownStatus, spread } from '../record.ts';

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
const isSiren = checkLuhn(9);
export const isSiret = checkLuhn(14);

const lists = readCodeLists('fr');
const [STATUSES, STATE_LABELS] = [lists.meanings<EntityStatus>('status'), lists.labels('status')];
/** Editions of the classification, by the code in the `nomenclature` column. */
const EDITIONS = new Map(
  Array.from(lists.labels('edition'), ([code, edition]) => [code, { scheme: code.slice(0, 3), edition }]),
);
const NAF_2025 = { scheme: 'NAF', edition: '2025' };
const SCHEME = 'INSEE catégories juridiques';
/** INSEE's nomenclature of legal categories (catégories juridiques), third level, and 5498, which older units have. */
const LEGAL_FORMS = new Map(readRows('fr/legal-forms.tsv').map(([code = '', label = '']) => [code, label]));
/** The known flags. A flag with another value is missing, hidden or unknown. */
const FLAGS = new Map([
  ['O', true],
  ['true', true],
  ['N', false],
  ['false', false],
]);

/** Replaces a value that the publisher may not disclose, such as the name of a person who asked not to be named. */
const HIDDEN = '[ND]';

/** Hidden values read as empty, so that no parser takes them for data or reports them as errors. */
function readShown(cell: Cell, column: string): string {
  const text = cell(column);
  return text.includes(HIDDEN) && text.trim() === HIDDEN ? '' : text;
}

const { text, day, whole, is, texts, names, extend, joinLists, first, code, lookup, group } = fieldsOf<Unit, unknown>(
  (column) =>
    ({ cell }) =>
      readShown(cell, column),
);

const [STATE, CREATION] = ['etatAdministratifUniteLegale', 'dateCreationUniteLegale'];

const readPerson = group({
  firstNames: texts(...['1', '2', '3', '4'].map((rank) => `prenom${rank}UniteLegale`)),
  usualFirstName: text('prenomUsuelUniteLegale'),
  surname: text('nomUniteLegale'),
  usageName: text('nomUsageUniteLegale'),
  pseudonym: text('pseudonymeUniteLegale'),
  sex: text('sexeUniteLegale'),
});

/** The name that a person goes by: the usual first name, and the name in use or else the surname. */
const namePerson: FrField<string> = (...row) => {
  const person = readPerson(...row) ?? {};
  const { firstNames = [], usualFirstName = firstNames[0] ?? '', surname, usageName } = person;
  return `${usualFirstName} ${usageName ?? surname ?? ''}`.trim() || null;
};

const readOtherNames = joinLists<{ readonly name: string; readonly type: 'short' | 'trading' }>(
  names(texts('sigleUniteLegale'), { type: 'short' }),
  names(texts(...['1', '2', '3'].map((rank) => `denominationUsuelle${rank}UniteLegale`)), { type: 'trading' }),
);

const readSiren = text('siren');
const readCreation = day(CREATION);
const readNic = text('nicSiegeUniteLegale');

/** The number of the seat. */
const readSiret: FrField<string> = (...row) => {
  const [nic, { number }] = [readNic(...row), row[2]];
  return nic === null || number === null ? null : `${number}${nic}`;
};

/** A range of employees with its limits. */
function describeEmployees<Row>(
  field: Field<Row, unknown, { readonly code?: string; readonly year?: number }>,
): typeof field {
  return (...row) => {
    const found = field(...row);
    return found && { ...lists.ranges('employees').get(found.code ?? ''), ...found };
  };
}

/** A legal unit (company, association or sole trader) with the establishment that is its seat. */
const describeUnit = describeRecord<Unit, unknown>({
  // A purged unit may have lost its name and a person's name may be hidden, but a record needs a name.
  name: first(
    text('denominationUniteLegale'),
    namePerson,
    text('denominationUsuelle1UniteLegale'),
    text('sigleUniteLegale'),
  ),
  substitute: readSiren,
  nameless: 'neither SIREN nor name',
  number: readSiren,
  registeredAt(...row) {
    const created = readCreation(...row);
    // INSEE writes this day for units whose day of creation is not known.
    if (created !== '1900-01-01') return created;
    row[1].reportUnknown('date', CREATION, created);
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
    seat: spread((...row) => {
      const [seats, nic] = [row[2].rows(SEATS), readNic(...row)];
      // More than one row may be marked as seat. The unit has the number of its seat.
      const seat = seats.find((one) => one('nic').trim() === nic) ?? seats[0];
      return seat === undefined ? null : describeSeat(seat, row[1], readSiret(...row));
    }),
    endedAt: ownEnd,
    previousNames: listPreviousNames,
  },
});

function listActivities({ cell }: Unit, context: Context): Activity[] {
  return listCodes(cell, UNIT_ACTIVITY).map(({ code, scheme, edition }) => {
    const isUnknown = edition === undefined && scheme !== 'NAF';
    if (isUnknown) context.reportUnknown('activity', 'nomenclatureActivitePrincipaleUniteLegale', scheme);
    return { type: 'unlicensed', code, label: null, scheme, ...(edition !== undefined && { edition }), main: true };
  });
}

const [UNIT_ACTIVITY, SEAT_ACTIVITY] = ['UniteLegale', 'Etablissement'].map((of) => [
  `activitePrincipale${of}`,
  `nomenclatureActivitePrincipale${of}`,
  `activitePrincipaleNAF25${of}`,
]) as [string[], string[]];

/** The codes of both editions. A nomenclature that is not known is kept as the scheme. */
function listCodes(cell: Cell, columns: readonly string[]) {
  const [code = '', nomenclature = '', naf2025 = ''] = columns.map((column) => readShown(cell, column).trim());
  const known: { scheme: string; edition?: string } = EDITIONS.get(nomenclature) ?? { scheme: nomenclature || 'NAF' };
  const found = code === '' ? [] : [{ code, ...known }];
  return naf2025 === '' ? found : [...found, { code: naf2025, ...NAF_2025 }];
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
  const open = periods.findIndex(({ tree }) => textOf(tree, STATE) !== 'C');
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

/** The fields of the seat. The files have an address for the seat, but not for the unit. */
const seat = fieldsOf<Cell, unknown>((name) => {
  const column = name === 'dateDebut' ? name : `${name}Etablissement`;
  return (cell) => readShown(cell, column);
});

const readSeat = seat.group({
  name: seat.text('denominationUsuelle'),
  from: seat.day('dateCreation'),
  status: seat.group({
    code: seat.text('etatAdministratif'),
    label: seat.lookup('etatAdministratif', lists.labels('seat status')),
    since: seat.day('dateDebut'),
  }),
  signs: seat.texts('enseigne1', 'enseigne2', 'enseigne3'),
  // These activities describe the establishment, so a search by activity does not use them.
  activities: (cell) => listCodes(cell, SEAT_ACTIVITY),
  tradesActivityCode: seat.text('activitePrincipaleRegistreMetiers'),
  employees: describeEmployees(seat.group({ code: seat.text('trancheEffectifs') })),
  employer: seat.lookup('caractereEmployeur', FLAGS),
  diffusion: seat.text('statutDiffusion'),
});

function describeSeat(row: Cell, context: Context, number: string | null) {
  const second = readSecondAddress(row, context, NO_COMMON);
  return compact({
    address: readAddress(row, context, NO_COMMON),
    addresses: second && [{ type: 'other' as const, ...second }],
    establishments: [{ isSeat: true, ...compact({ number }), ...readSeat(row, context, NO_COMMON) }],
  });
}

const [readAddress, readSecondAddress] = [describeAddress(''), describeAddress('2')] as const;

/** `second` selects the columns of the first or of the second address of an establishment. */
function describeAddress(second: '' | '2') {
  const part = (name: string) => seat.text(`${name}${second}`);
  const [readCedex, readCedexCode] = [part('libelleCedex'), part('codeCedex')];
  const [readCountry, readPostCode] = [part('libellePaysEtranger'), part('codePostal')];
  const readCity = seat.first(part('libelleCommune'), part('libelleCommuneEtranger'));
  return seat.address(
    seat.group({
      building: part('complementAdresse'),
      number: seat.concat(' ', `numeroVoie${second}`, `indiceRepetition${second}`),
      street: seat.concat(' ', `typeVoie${second}`, `libelleVoie${second}`),
      postCode: readPostCode,
      city: readCity,
      country: readCountry,
      // Addresses abroad have a country. Codes from 98000 belong to Monaco and to territories in the Pacific.
      countryCode(...row) {
        const [country, postCode] = [readCountry(...row), readPostCode(...row)];
        if (country !== null) return findCountryCode(country, 'fr');
        return postCode !== null && !postCode.startsWith('98') ? 'FR' : null;
      },
      cityCode: part('codeCommune'),
      specialDistribution: part('distributionSpeciale'),
      cedexCode: readCedexCode,
      cedex: readCedex,
      countryInseeCode: part('codePaysEtranger'),
    }),
    compileStyle('{building}, {number} {street}, {specialDistribution}, {townCode} {town}, {country}', 'kept'),
    // Mail to a company with a CEDEX goes there instead of to its post code.
    seat.group({
      townCode: (...row) => (readCedex(...row) === null ? readPostCode : readCedexCode)(...row),
      town: seat.first(readCedex, readCity),
    }),
  );
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
