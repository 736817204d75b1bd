import type { EntityStatus } from '../../src/base/entity-status.ts';
import { fold } from '../../src/base/fold.ts';
import { activityKeys, numberKeys } from '../../src/base/search-keys.ts';
import { type Chance, createChance } from '../../synthetic/chance.ts';
import { COUNTRIES, type Country, type Form, pickShare } from './countries.ts';
import { ACTIVITIES, pickCity, pickSkewed, pickWord, TOWNS, TRADES } from './words.ts';

/** Invents the companies of `bench search` one by one, the same on every machine. */
export function createInventor(rows: number): (serial: number) => readonly string[] {
  const chance = createChance(20_260_714);
  // Ids ascend, so that SQLite does not have to write its index in random order.
  return (serial) => inventEntity(serial, (serial - 1) / rows, chance);
}

const STATUSES: readonly EntityStatus[] = [
  'active',
  'dissolved',
  'inactive',
  'in_liquidation',
  'insolvent',
  'delisted',
  'unknown',
];
const FIRST_IMPORT = 1_767_225_600_000;
const WEEK = 7 * 24 * 3_600_000;

/** Returns texts in the order of `inventedColumns` in store.ts. */
function inventEntity(serial: number, share: number, chance: Chance): readonly string[] {
  const country = pickShare(COUNTRIES, chance.next());
  const form = pickShare(country.forms, chance.next());
  const name = writeName(country, form, chance);
  const number = country.number(serial);
  const registeredAt = chance.date(1994 + Math.floor(chance.next() * 30), 2026);
  const status = pickSkewed(STATUSES, chance.next() ** 2);
  const activities = new Set<string>();
  for (let left = 1 + Math.floor(chance.next() ** 3 * 4); left > 0; left--) {
    activities.add(pickSkewed(country.code === 'MD' && chance.is(0.3) ? LICENSED : UNLICENSED, chance.next(), 2));
  }
  return [
    inventId(share, chance),
    fold(name),
    name,
    country.code,
    status,
    form.legalForm,
    FORM_CODES.get(form.legalForm) ?? '',
    registeredAt,
    String(FIRST_IMPORT + chance.between(0, 40) * WEEK),
    numberKeys([number]),
    [...activities].join('\n'),
    country.code.toLowerCase(),
    number,
    pickCity(createChance(serial).next()),
    String(serial),
    `[{"authority":"Companies register of ${country.code}","type":"company","number":"${number}","status":"${status}",` +
      `"registeredAt":"${registeredAt}","endedAt":null}]`,
    pickSkewed(REGISTRY, chance.next()),
    `{"CompanyName":${JSON.stringify(name)},"CompanyNumber":"${number}",${pickSkewed(SOURCE, chance.next())}`,
  ];
}

function writeName(country: Country, form: Form, chance: Chance): string {
  return (form.before ?? '') + country.write(inventWords(chance), chance) + (form.after ?? '');
}

/** Invents a name as companies of the country have it. */
export function inventName(countryCode: string, chance: Chance): string {
  const country = COUNTRIES.find(({ code }) => code === countryCode) as Country;
  return writeName(country, pickShare(country.forms, chance.next()), chance);
}

const FORM_NAMES = new Set(COUNTRIES.flatMap(({ forms }) => forms.map(({ legalForm }) => legalForm)));
const FORM_CODES = new Map([...FORM_NAMES].map((name, index) => [name, `F${index}`]));

/** The keys of each activity, computed once. A record's keys are those of its activities. */
const UNLICENSED = ACTIVITIES.map((activity) => activityKeys([{ type: 'unlicensed', ...activity }]));
const LICENSED = ACTIVITIES.map((activity) => activityKeys([{ type: 'licensed', ...activity }]));

/** Returns a UUID in the form of version 5 that grows with `share`. */
function inventId(share: number, chance: Chance): string {
  const high = Math.floor(share * 2 ** 32);
  const head = `${HEX[high >>> 16]}${HEX[high & 0xffff]}-${HEX[Math.floor(share * 2 ** 48) % 65_536]}`;
  const [a, b] = [chance.next() * 2 ** 32, chance.next() * 2 ** 32];
  const middle = `5${HEX[a >>> 16]?.slice(1)}-9${HEX[a & 0xffff]?.slice(1)}`;
  return `${head}-${middle}-${HEX[b >>> 16]}${HEX[b & 0xffff]}${HEX[high & 0xffff]}`;
}

const HEX = Array.from({ length: 65_536 }, (_, value) => value.toString(16).padStart(4, '0'));

/** Invents a name in lower case, without the legal form. */
function inventWords(chance: Chance): string {
  const word = () => pickWord(chance.next());
  const letter = () => chance.pick(INITIALS);
  const kind = chance.next();
  let name = word();
  if (kind < 0.28) name += ` ${word()}`;
  else if (kind < 0.34) name += ` & ${word()}`;
  else if (kind < 0.37) name += ' & sons';
  else if (kind < 0.42) name = `${letter()}.${letter()}. ${name}`;
  else if (kind < 0.46) name = `${letter()} ${letter()} ${name}`;
  else if (kind < 0.53) name = `${pickSkewed(TOWNS, chance.next())} ${name}`;
  else if (kind < 0.57) name += ` ${chance.between(1, 999)}`;
  else if (kind < 0.6) name = `${chance.between(1, 400)} ${name} ${chance.pick(STREETS)}`;
  else if (kind < 0.63) name = `${name}-${word()}`;
  const trades = chance.next();
  if (trades < 0.62) name += ` ${pickSkewed(TRADES, chance.next())}`;
  if (trades < 0.14) name += ` ${pickSkewed(TRADES, chance.next())}`;
  if (chance.is(0.025)) name += ` (${chance.pick(PLACES)})`;
  return name;
}

const INITIALS = [...'abcdefghjklmnprstw'];
const STREETS = ['road', 'street', 'house', 'court', 'gardens', 'avenue'];
const PLACES = ['uk', 'uk', 'london', 'holdings', 'gb', 'scotland', 'europe', '2015'];

/** National fields and the source row, 600 bytes in all. No index uses them, but every scan of the store reads past them. */
const REGISTRY = Array.from({ length: 500 }, (_, index) => {
  const chance = createChance(index);
  return JSON.stringify({
    companyCategory: 'Private Limited Company',
    accounts: { category: 'MICRO ENTITY', lastMadeUpTo: chance.date(2020, 2026), nextDueOn: chance.date(2025, 2027) },
    returns: { nextDueOn: chance.date(2025, 2027), lastMadeUpTo: chance.date(2020, 2025) },
    mortgages: { charges: chance.between(0, 9), outstanding: chance.between(0, 9), satisfied: 0 },
  });
});

const SOURCE = Array.from({ length: 500 }, (_, index) => {
  const chance = createChance(1_000 + index);
  const town = chance.pick(TOWNS).toUpperCase();
  const row = {
    'RegAddress.AddressLine1': `${chance.between(1, 400)} ${pickWord(chance.next()).toUpperCase()} STREET`,
    'RegAddress.PostTown': town,
    'RegAddress.PostCode': `${town.slice(0, 2)}${chance.between(1, 30)} ${chance.between(1, 9)}QX`,
    CompanyStatus: 'Active',
    CountryOfOrigin: 'United Kingdom',
    IncorporationDate: chance.date(1990, 2026),
    'Accounts.AccountCategory': 'MICRO ENTITY',
    'Mortgages.NumMortCharges': '0',
    ConfStmtNextDueDate: chance.date(2025, 2027),
  };
  return JSON.stringify(row).slice(1);
});
