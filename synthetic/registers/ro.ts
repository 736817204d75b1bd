/** Generates a snapshot: five files that are joined by the register number, and the two code lists. */

import { listColumns } from '../../src/registers/contract.ts';
import { isValidTaxNumber } from '../../src/registers/ro/register.ts';
import {
  type Chance,
  completeNumber,
  createChance,
  createCsvFiles,
  createSerials,
  pickByShare,
  type Shares,
  writeDayFirst,
} from '../chance.ts';
import { makeArchive, type SyntheticFile } from '../file.ts';

export function generateCompanies(rows: number, seed: number): SyntheticFile {
  const file = createCsvFiles({
    dialect: { delimiter: '^', quote: null, encoding: 'utf-8' },
    bom: true,
    quoting: 'needed',
    lineEnd: '\r\n',
  });
  return makeArchive('firme-02-09-2026.zip', [
    file('OD_FIRME.CSV', listColumns('ro', 'OD_FIRME'), () => generateFirms(rows, seed)),
    file('OD_STARE_FIRMA.CSV', listColumns('ro', 'OD_STARE_FIRMA'), () => generateStatuses(rows, seed)),
    file('OD_CAEN_AUTORIZAT.CSV', listColumns('ro', 'OD_CAEN_AUTORIZAT'), () => generateActivities(rows, seed)),
    file('OD_REPREZENTANTI_LEGALI.CSV', listColumns('ro', 'OD_REPREZENTANTI_LEGALI'), () =>
      generateRepresentatives(rows, seed),
    ),
    file('OD_SUCURSALE_ALTE_STATE_MEMBRE.CSV', listColumns('ro', 'OD_SUCURSALE_ALTE_STATE_MEMBRE'), () =>
      generateBranches(rows, seed),
    ),
    file('N_STARE_FIRMA.CSV', ['COD', 'DENUMIRE'], () => STATUS_LABELS.values()),
    file('N_CAEN.CSV', CAEN_HEADER, () => CAEN.map(writeClass).values()),
  ]);
}

const STATUS_LABELS = [
  ['1048', 'funcţiune'],
  ['1084', 'radiată'],
  ['2069', 'sediu expirat'],
  ['1052', 'lichidare'],
  ['1139', 'insolvenţă'],
];
/** In any order, as in the real file. A company that was struck off still has its row for code 1048, "in operation". */
const STATUS_SETS: Shares<readonly string[]> = [
  [0.55, ['1048']],
  [0.85, ['1048', '1084']],
  [0.9, ['1084', '1048']],
  [0.94, ['1048', '2069']],
  [0.97, ['1048', '1139']],
  [0.99, ['1052']],
  [1, ['1048', '1052', '1084']],
];
const CAEN_HEADER = ['SECTIUNEA', 'SUBSECTIUNEA', 'DIVIZIUNEA', 'GRUPA', 'CLASA', 'DENUMIRE', 'VERSIUNE_CAEN'];
const CAEN = [
  ['A', '0111', 'Cultivarea cerealelor'],
  ['C', '1071', 'Fabricarea pâinii'],
  ['F', '4120', 'Lucrări de construcţii a clădirilor'],
  ['G', '4711', 'Comerţ cu amănuntul în magazine nespecializate'],
  ['H', '4941', 'Transporturi rutiere de mărfuri'],
  ['I', '5610', 'Restaurante'],
  ['J', '6201', 'Activităţi de realizare a soft-ului la comandă'],
  ['M', '7022', 'Activităţi de consultanţă pentru afaceri şi management'],
];
const VERSION = '2';

function writeClass([section = '', code = '', label = '']: readonly string[]): string[] {
  return [section, '', code.slice(0, 2), code.slice(0, 3), code, label, VERSION];
}

/** Every file generates the same numbers, so that its rows belong to the companies of the main file. */
function* takeNumbers(rows: number, seed: number): Generator<{ row: number; number: string }> {
  const chance = createChance(seed);
  const takeSerial = createSerials(chance, 7);
  for (let row = 0; row < rows; row++) {
    const kind = chance.is(0.75) ? 'J' : chance.is(0.95) ? 'F' : 'C';
    const [serial, year, county] = [takeSerial(), chance.between(1991, 2025), chance.between(1, 40)];
    yield { row, number: chance.is(0.6) ? `${kind}${county}/${serial}/${year}` : `${kind}${year}0${serial}${county}` };
  }
}

function* generateStatuses(rows: number, seed: number): Generator<readonly string[]> {
  const chance = createChance(seed + 1);
  for (const { number } of takeNumbers(rows, seed)) {
    for (const code of pickByShare(chance, STATUS_SETS)) yield [number, code];
  }
}

function* generateActivities(rows: number, seed: number): Generator<readonly string[]> {
  const chance = createChance(seed + 2);
  for (const { number } of takeNumbers(rows, seed)) {
    const first = chance.between(0, CAEN.length - 1);
    for (let more = chance.between(0, 3); more >= 0; more--) {
      yield [number, CAEN[(first + more) % CAEN.length]?.[1] ?? '', VERSION];
    }
  }
}

const PEOPLE = ['POP ION', 'IONESCU MARIA', 'DUMITRU ANDREI', 'STAN ELENA', 'MUNTEANU RADU', 'ŞERBAN ANA'];
const POSITIONS: Shares<string> = [
  [0.9, 'administrator'],
  [0.95, 'preşedinte'],
  [0.98, 'împuternicit'],
  [1, 'lichidator'],
];

function* generateRepresentatives(rows: number, seed: number): Generator<readonly string[]> {
  const chance = createChance(seed + 4);
  for (const { number } of takeNumbers(rows, seed)) {
    if (number.startsWith('F')) continue;
    const born = writeDayFirst(chance.date(1950, 2000), '/');
    const birth = [born, 'Turda', 'Cluj', 'România'];
    yield [number, chance.pick(PEOPLE), pickByShare(chance, POSITIONS), ...birth, 'Cluj-Napoca', 'Cluj', 'România'];
  }
}

function* generateBranches(rows: number, seed: number): Generator<readonly string[]> {
  for (const { row, number } of takeNumbers(rows, seed)) {
    if (row % 100 === 50) yield [number, 'SUCURSALA', `SUCURSALA WIEN ${row}`, `ATBRA.${row}`, '', 'Austria'];
  }
}

const WORDS = (
  'ALBA ARGEŞ BALADA BRAD BUCEGI CARPAŢI CASTEL CERNA CODRU CORMORAN COZIA DACIA DOINA DUNĂREA FAG FLORA GORUN ISTRU LUCEAFĂR ' +
  'MĂGURA MIORIŢA MOLID MUREŞ NERA OITUZ OLT PĂLTINIŞ PLOP RARĂU RETEZAT SIRET SOARE SOMEŞ STEJAR ŞOIM TEI TIMIŞ TISA ŢARINA ZIMBRU'
).split(' ');
const TRADES =
  'AGRO AUTO BUSINESS COM CONS CONSTRUCT DESIGN ENERGY EXPERT FARM FOOD GRUP IMPEX INVEST LEMN MEDIA PROD SERV TRANS'.split(
    ' ',
  );
const PLACES = [
  ['Bucureşti', 'Bucureşti Sectorul 6', '060787', '6'],
  ['Cluj', 'Municipiul Cluj-Napoca', '400001', ''],
  ['Iaşi', 'Municipiul Iaşi', '700010', ''],
  ['Timiş', 'Municipiul Timişoara', '300001', ''],
  ['Braşov', 'Oraş Râşnov', '505400', ''],
  ['Vâlcea', 'Sat Horezu', ' 245800', ''],
];
const STREETS = [
  'Şos. VIRTUŢII',
  'Str. MIHAI VITEAZU',
  'Bd. UNIRII',
  'Calea VICTORIEI',
  'Str. Ţepeş Vodă',
  'Aleea Teilor',
];
const FORMS: Shares<string> = [
  [0.62, 'SRL'],
  [0.64, 'SA'],
  [0.85, 'PFA'],
  [0.98, 'PF'],
  [0.99, 'SNC'],
  [1, 'SCS'],
];

function* generateFirms(rows: number, seed: number): Generator<readonly string[]> {
  const chance = createChance(seed + 3);
  for (const { row, number } of takeNumbers(rows, seed)) yield generateFirm(chance, row, number);
}

function generateFirm(chance: Chance, row: number, number: string): string[] {
  const form = pickByShare(chance, FORMS);
  const place = chance.pick(PLACES);
  const body = String(1_000_000 + row);
  const registered = writeDayFirst(chance.date(1991, 2025), '/');
  return [
    generateName(chance, form),
    chance.is(0.02) ? '0' : completeNumber(isValidTaxNumber, body, chance.is(0.002)),
    number,
    registered,
    `ROONRC.${number}`,
    form,
    'România',
    place[0] ?? '',
    place[1] ?? '',
    chance.pick(STREETS),
    String(chance.between(1, 200)),
    chance.is(0.3) ? `B${chance.between(1, 20)}` : '',
    chance.is(0.3) ? chance.pick(['A', 'B', '1']) : '',
    chance.is(0.3) ? String(chance.between(0, 10)) : '',
    chance.is(0.3) ? String(chance.between(1, 90)) : '',
    place[2] ?? '',
    place[3] ?? '',
    chance.is(0.1) ? 'spatiul E47' : '',
    chance.is(0.02) ? 'www.exemplu.ro' : '',
    chance.is(0.005) ? 'Germania' : '',
  ];
}

/** Some names begin with a quote, which is part of the name; a few have no closing quote. */
function generateName(chance: Chance, form: string): string {
  const firm = `${chance.pick(WORDS)} ${chance.pick(TRADES)} ${chance.between(1, 999)}`;
  const drawn = chance.next();
  if (drawn < 0.01) return `"${firm}" ${form}`;
  if (drawn < 0.012) return `" ${firm} ${form}`;
  return drawn < 0.3 ? `${firm.replaceAll('Ţ', 'Ț').replaceAll('Ş', 'Ș')} ${form}` : `${firm} ${form}`;
}
