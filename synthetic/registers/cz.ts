/** Invented subjects in `res_data` and `res_pf_nace`, with two code lists, in one zip. */

import { listColumns } from '../../src/registers/contract.ts';
import { isValidNumber, LEGAL_FORMS, LISTS } from '../../src/registers/cz/register.ts';
import {
  type Chance,
  completeNumber,
  createChance,
  createCsvFiles,
  createSerials,
  pickByShare,
  type Shares,
} from '../chance.ts';
import { makeArchive, type SyntheticFile } from '../file.ts';

const CSV = { delimiter: ',', quote: '"', encoding: 'utf-8' } as const;

export function generateSubjects(rows: number, seed: number): SyntheticFile {
  const file = createCsvFiles({ dialect: CSV, quoting: 'all', lineEnd: '\r\n' });
  return makeArchive('res_2026-05-31.zip', [
    file('res_data.csv', COLUMNS, () => generateRows(rows, seed)),
    file('res_pf_nace.csv', listColumns('cz', 'res_pf_nace'), () => generateActivities(rows, seed)),
    file('cis_56.csv', ['KODCIS', 'CHODNOTA', 'TEXT'], () => FORM_TEXTS.values()),
    file('cis_80004.csv', ['KODCIS', 'CHODNOTA', 'TEXT'], () => NACE.values()),
    file('cis_109.csv', ['KODCIS', 'CHODNOTA', 'TEXT'], () => DISTRICTS.values()),
    file('cis_572.csv', ['KODCIS', 'CHODNOTA', 'TEXT'], () => END_REASONS.values()),
    file('cis_5161.csv', ['KODCIS', 'CHODNOTA', 'TEXT'], () => SECTORS.values()),
  ]);
}

const SNAPSHOT_DATE = '2026-05-31';
const UPDATED = '2026-01-15';
const FORMS: Shares<string> = [
  [0.65, '101'],
  [0.95, '112'],
  [0.97, '121'],
  [0.99, '325'],
  [1, '331'],
];
const FORM_TEXTS = LEGAL_FORMS.map((pair) => [String(LISTS.legalForm), ...pair]);
const NACE = [
  ['56100', 'Stravování v restauracích'],
  ['4120', 'Výstavba budov'],
  ['62', 'Činnosti v oblasti informačních technologií'],
  ['68200', 'Pronájem a správa nemovitostí'],
  ['85590', 'Ostatní vzdělávání'],
].map((pair) => [String(LISTS.nace), ...pair]);
const DISTRICTS = [
  ['CZ0100', 'Hlavní město Praha'],
  ['CZ0642', 'Brno-město'],
  ['CZ0806', 'Ostrava-město'],
  ['CZ0323', 'Plzeň-město'],
  ['CZ0634', 'Třebíč'],
].map((pair) => [String(LISTS.district), ...pair]);
/** The texts of the reasons are invented. */
const END_REASONS = [
  ['01', 'Likvidace'],
  ['02', 'Fúze'],
  ['05', 'Výmaz'],
].map((pair) => [String(LISTS.endReason), ...pair]);
const SECTORS = [
  ['11002', 'Nefinanční podniky soukromé národní'],
  ['14100', 'Domácnosti zaměstnavatelé'],
].map((pair) => [String(LISTS.sector), ...pair]);
const WORDS = (
  'Borovice Bříza Dub Hora Hvězda Jabloň Javor Jezero Jiskra Kámen Kaplan Kovárna Křišťál Květ Labe Les Lípa Louka Mlýn Modřín Mlha ' +
  'Morava Oáza Obzor Orel Ořech Pila Pramen Říčka Sázava Skála Sokol Stavba Šumava Tábor Údolí Úsvit Vltava Vrch Záře Žito'
).split(' ');
const TRADES =
  'Consulting|Design|Elektro|Finance|Holding|Invest|Logistika|Reality|Servis|Software|Stavby|Trade|Transport'.split(
    '|',
  );
const FORENAMES = 'Jan Petr Josef Pavel Martin Tomáš Jana Marie Eva Hana Anna Lenka Kateřina'.split(' ');
const SURNAMES =
  'Beran Čermák Doležal Fiala Hájek Jelínek Kučera Krejčí Marek Němec Pokorný Říha Sedlák Šimek Vlk Zeman'.split(' ');
const PLACES = [
  ['CZ0100', '500054', 'Praha', 'Staré Město', '11000'],
  ['CZ0642', '582786', 'Brno', 'Žabovřesky', '61600'],
  ['CZ0806', '554821', 'Ostrava', 'Poruba', '70800'],
  ['CZ0323', '554791', 'Plzeň', 'Bolevec', '32300'],
  ['CZ0634', '590266', 'Třebíč', 'Borovina', '67401'],
];
const LIQUIDATION = [' v likvidaci', ' "v likvidaci"'];
const STREETS = ['Dlouhá', 'Na Příkopě', 'Školní', 'U Řeky', 'Husova', 'Nádražní'];

function* takeNumbers(rows: number, seed: number): Generator<string> {
  const chance = createChance(seed);
  const takeSerial = createSerials(chance, 7);
  for (let row = 0; row < rows; row++) {
    yield completeNumber(isValidNumber, takeSerial(), chance.is(0.002));
  }
}

function* generateRows(rows: number, seed: number): Generator<readonly string[]> {
  const chance = createChance(seed + 1);
  for (const number of takeNumbers(rows, seed)) yield generateRow(chance, number);
}

/** Generates the subjects again, so that both tables match. */
function* generateActivities(rows: number, seed: number): Generator<readonly string[]> {
  const chance = createChance(seed + 2);
  for (const subject of generateRows(rows, seed)) {
    const [number = ''] = subject;
    if (subject[NAME] === '') {
      yield [number, '', '', '', SNAPSHOT_DATE, '', ''];
      continue;
    }
    const first = chance.between(0, NACE.length - 1);
    for (let more = chance.between(0, 2); more >= 0; more--) {
      const [codeList = '', code = ''] = NACE[(first + more) % NACE.length] ?? [];
      yield [number, '411', codeList, code, SNAPSHOT_DATE, UPDATED, chance.is(0.05) ? 'Z' : ''];
    }
  }
}

function generateRow(chance: Chance, number: string): string[] {
  const form = pickByShare(chance, FORMS);
  const [district = '', unit = '', city = '', part = '', post = ''] = chance.pick(PLACES);
  const [house, orientation] = [String(chance.between(1, 2500)), chance.is(0.5) ? String(chance.between(1, 90)) : ''];
  const street = chance.is(0.85) ? chance.pick(STREETS) : '';
  const isEnded = chance.is(0.3);
  const founded = chance.date(1990, 2022);
  const ended = isEnded ? [chance.date(2023, 2025), chance.pick(['01', '02', '05'])] : ['', ''];
  const isPerson = form === '101';
  // The official file has only the number of a former sole trader. A seventh of its rows are such, but a sample with so
  // many numbers for names would be hard to read.
  if (isEnded && isPerson && number[1] === '7') return eraseSubject(number, ended[0] ?? '');
  const hasAddressPoint = !number.endsWith('1');
  return [
    number,
    district,
    founded,
    ...(isPerson ? ['', ''] : ended),
    chance.date(2024, 2025),
    form,
    form,
    chance.is(0.5) ? '000' : chance.pick(['110', '120', '130']),
    chance.pick(NACE)[1] ?? '',
    chance.is(0.5) ? '56110' : '00',
    unit,
    generateName(chance, form),
    isPerson ? '14100' : '11002',
    ...(hasAddressPoint
      ? [String(chance.between(20_000_000, 29_999_999)), '', post, city, part, street, '1', house, orientation]
      : ['', `${street || part} ${house}, ${post} ${city}`, '', '', '', '', '', '', '']),
    SNAPSHOT_DATE,
    chance.is(0.05) ? chance.pick(['P', 'Z']) : '',
  ];
}

const COLUMNS = listColumns('cz', 'res_data');
const NAME = COLUMNS.indexOf('FIRMA');

function eraseSubject(number: string, endedAt: string): string[] {
  const cells: Readonly<Record<string, string>> = { ICO: number, DDATZAN: endedAt, DATPLAT: SNAPSHOT_DATE };
  return COLUMNS.map((column) => cells[column] ?? '');
}

function generateName(chance: Chance, form: string): string {
  if (form === '101') return `${chance.pick(FORENAMES)} ${chance.pick(SURNAMES)}`;
  const firm = `${chance.pick(WORDS)} ${chance.pick(TRADES)} ${chance.between(1, 999)}`;
  const ending = form === '121' ? ', a.s.' : form === '112' ? (chance.is(0.5) ? ' s.r.o.' : ', spol. s r.o.') : '';
  return `${firm}${ending}${ending !== '' && chance.is(0.02) ? LIQUIDATION[firm.length % 2] : ''}`;
}
