/** Invented companies as objects of the open data. */

import { addCheckDigit } from '../../src/registers/check-digits.ts';
import type { Json } from '../../src/registers/contract.ts';
import { isValidNumber } from '../../src/registers/fi/register.ts';
import { type Chance, completeNumber, createChance, createSerials, pickByShare, type Shares } from '../chance.ts';
import type { SyntheticFile } from '../file.ts';

const STARTS =
  'Aalto Aura Halla Harju Hauki Honka Ilves Järvi Kaiku Kallio Kanerva Karhu Kaski Kataja Kide Kivi Koivu Korpi Koski Kuura Kyy Lampi Lehto Luoto Metsä Myrsky Niitty Niemi Otso Peura Pohja Poro Purje Pyry Rae Ranta Revontuli Routa Saari Salo Sarka Selkä Suo Sydän Syys Tähti Talvi Tammi Tuuli Usva Vaara Virta Vuori Väylä Yö Äyräs Öljy'.split(
    ' ',
  );
const TRADES =
  'Rakennus Kiinteistöt Kuljetus Konsultointi Ohjelmistot Sähkö Putki Maalaus Metalli Puu Huonekalut Ravintola Kahvila Leipomo Kampaamo Hammaslääkärit Tilitoimisto Kauppa Invest Holding Energia Logistiikka Media Sauna Kala Metsäpalvelu Koneurakointi Autohuolto Design Viestintä'.split(
    ' ',
  );
const SURNAMES =
  'Korhonen Virtanen Mäkinen Nieminen Mäkelä Hämäläinen Laine Heikkinen Koskinen Järvinen Söderström Öhman'.split(' ');
const STREETS =
  'Mannerheimintie Hämeenkatu Kauppakatu Rantatie Teollisuuskatu Valimotie Koulutie Kirkkokatu Satamakatu Metsätie'.split(
    ' ',
  );
/** Post code, city in Finnish, city in Swedish, municipality code. */
const CITIES = [
  ['00380', 'HELSINKI', 'HELSINGFORS', '091'],
  ['02100', 'ESPOO', 'ESBO', '049'],
  ['33100', 'TAMPERE', 'TAMMERFORS', '837'],
  ['20100', 'TURKU', 'ÅBO', '853'],
  ['90100', 'OULU', 'ULEÅBORG', '564'],
  ['65100', 'VAASA', 'VASA', '905'],
] as const;
const FORMS: Shares<readonly [string, string, string, string, string]> = [
  [0.55, ['16', 'Osakeyhtiö', 'Aktiebolag', 'Limited company', 'Oy']],
  [0.75, ['2', 'Asunto-osakeyhtiö', 'Bostadsaktiebolag', 'Housing company', 'As Oy']],
  [0.85, ['13', 'Kommandiittiyhtiö', 'Kommanditbolag', 'Limited partnership', 'Ky']],
  [0.9, ['5', 'Avoin yhtiö', 'Öppet bolag', 'General partnership', 'Ay']],
  [0.97, ['29', 'Aatteellinen yhdistys', 'Ideell förening', 'Association', 'ry']],
  [1, ['14', 'Osuuskunta', 'Andelslag', 'Co-operative', 'osk']],
];
const LINES = [
  ['82200', 'Puhelinpalvelukeskusten toiminta', 'Callcenterverksamhet', 'Activities of call centres'],
  ['68202', 'Asuntojen ja asuinkiinteistöjen hallinta', 'Förvaltning av bostäder', 'Operation of dwellings'],
  ['41000', 'Asuin- ja muiden rakennusten rakentaminen', 'Byggande av hus', 'Construction of buildings'],
  ['62100', 'Ohjelmistojen suunnittelu ja valmistus', 'Dataprogrammering', 'Computer programming'],
  ['56110', 'Ravintolat', 'Restauranger', 'Restaurants'],
] as const;

/** Codes of `tradeRegisterStatus`. */
const TRADE_REGISTER: Shares<string> = [
  [0.001, '3'],
  [0.02, '0'],
  [0.025, '2'],
  [1, '1'],
];

function* generateCompanies(rows: number, seed: number): Generator<Json> {
  const chance = createChance(seed);
  const takeSerial = createSerials(chance, 7);
  for (let row = 0; row < rows; row++) yield makeCompany(chance, takeNumber(chance, takeSerial));
}

/** Skips serials that have no check digit. The check digit is wrong for 0.1 % of the companies. */
function takeNumber(chance: Chance, takeSerial: () => string): string {
  for (;;) {
    const body = `${takeSerial()}-`;
    if (addCheckDigit(isValidNumber, body) !== null) return completeNumber(isValidNumber, body, chance.is(0.001));
  }
}

function makeCompany(chance: Chance, number: string): Json {
  const form = pickByShare(chance, FORMS);
  const since = chance.date(1975, 2025);
  const isEnded = chance.is(0.15);
  const situation = chance.next();
  const address = makeAddress(chance, since);
  const line = chance.pick(LINES);
  return {
    businessId: { value: number, registrationDate: since, source: '3' },
    ...(form[0] === '16' && { euId: { value: `FIFPRO.${number}`, source: '1' } }),
    names: makeNames(chance, form[4], since),
    ...(chance.is(0.8) && {
      mainBusinessLine: {
        type: line[0],
        descriptions: describe(line[1], line[2], line[3]),
        typeCodeSet: 'TOIMI4',
        registrationDate: '2026-01-01',
        source: '2',
      },
    }),
    ...(chance.is(0.2) && {
      website: { url: `www.${chance.pick(STARTS)}.example`.toLowerCase(), registrationDate: since, source: '0' },
    }),
    companyForms: [{ type: form[0], descriptions: describe(form[1], form[2], form[3]), version: 1, source: '1' }],
    companySituations:
      situation < 0.005 ? [makeSituation(chance, 'KONK')] : situation < 0.012 ? [makeSituation(chance, 'SELTILA')] : [],
    registeredEntries: makeEntries(chance, since),
    addresses: chance.is(0.5)
      ? [{ type: 1, ...address }]
      : [
          { type: 1, ...address },
          { type: 2, ...address, postOfficeBox: '' },
        ],
    tradeRegisterStatus: isEnded ? '4' : pickByShare(chance, TRADE_REGISTER),
    status: '2',
    registrationDate: since,
    ...(isEnded && { endDate: chance.date(2025, 2026) }),
    lastModified: `${chance.date(2025, 2026)}T12:09:25`,
  };
}

function describe(finnish: string, swedish: string, english: string): Json {
  return [
    { languageCode: '3', description: english },
    { languageCode: '2', description: swedish },
    { languageCode: '1', description: finnish },
  ];
}

function makeSituation(chance: Chance, type: string): Json {
  return { type, registrationDate: chance.date(2025, 2026), source: '1' };
}

function makeNames(chance: Chance, ending: string, since: string): Json {
  const name = () => {
    const first = chance.pick(STARTS);
    const second = chance.is(0.4) ? chance.pick(SURNAMES) : chance.pick(STARTS).toLowerCase();
    const trade = chance.pick(TRADES);
    if (ending === 'As Oy') return `Asunto Oy ${first}n${second} ${chance.between(1, 99)}`;
    return chance.is(0.1) ? `${ending} ${first} & ${second} ${trade} Ab` : `${first}${second} ${trade} ${ending}`;
  };
  const names: Json[] = [{ name: name(), type: '1', registrationDate: since, version: 1, source: '1' }];
  if (chance.is(0.15)) {
    names.push({
      name: name(),
      type: '1',
      registrationDate: since,
      endDate: chance.date(2025, 2026),
      version: 2,
      source: '1',
    });
  }
  if (chance.is(0.1)) names.push({ name: name(), type: '3', registrationDate: since, version: 1, source: '1' });
  return names;
}

function makeEntries(chance: Chance, since: string): Json {
  const entry = (type: string, register: string, authority: string) => ({
    type,
    descriptions: describe('Rekisterissä', 'Registrerad', 'Registered'),
    registrationDate: since,
    register,
    authority,
  });
  const entries: Json[] = [entry('1', '1', '2'), entry('1', '4', '1')];
  if (chance.is(0.5)) {
    const descriptions = describe(
      'Liiketoiminnasta arvonlisäverovelvollinen',
      'Momsskyldig för rörelseverksamhet',
      'VAT-liable for business activity',
    );
    entries.push({ ...entry('80', '6', '1'), descriptions });
  }
  return entries;
}

function makeAddress(chance: Chance, since: string) {
  const [postCode, city, swedish, municipalityCode] = chance.pick(CITIES);
  return {
    street: chance.pick(STREETS),
    postCode,
    postOffices: [
      { city: swedish, languageCode: '2', municipalityCode },
      { city, languageCode: '1', municipalityCode },
    ],
    buildingNumber: String(chance.between(1, 150)),
    entrance: chance.is(0.2) ? 'A' : '',
    apartmentNumber: chance.is(0.2) ? String(chance.between(1, 60)) : '',
    apartmentIdSuffix: '',
    co: '',
    registrationDate: since,
    source: '0',
  };
}

/** A file in the layout of the publisher. */
export function generateFile(rows: number, seed: number): SyntheticFile {
  return {
    name: 'all_companies.zip',
    packing: 'zip',
    content: { type: 'json', layout: 'array', values: generateCompanies(rows, seed) },
  };
}
