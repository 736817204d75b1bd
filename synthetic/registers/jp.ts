/** Invented legal entities in the layout of 30 columns, which has no header. */
import { listColumns } from '../../src/registers/contract.ts';
import { isValidNumber } from '../../src/registers/jp/register.ts';
import { type Chance, createChance, createSerials, makeCsv, pickByShare, type Shares } from '../chance.ts';
import type { SyntheticFile } from '../file.ts';

const WORDS =
  'さくら 北斗 青葉 富士見 大和 若葉 東雲 みなと 瑞穂 白鳥 オリオン スバル Ａｕｒｏｒａ ２１世紀 Ｔ＆Ｍ'.split(' ');
const TRADES = '商事 建設 運輸 食品 システムズ 不動産 製作所 観光 コンサルティング 電機 農園 印刷'.split(' ');
const PLACES = [
  ['東京都', '千代田区', '霞が関', '13', '101', '1000013', 'Chiyoda ku', 'Tokyo'],
  ['東京都', '港区', '北青山', '13', '103', '1070061', 'Minato ku', 'Tokyo'],
  ['大阪府', '大阪市北区', '梅田', '27', '127', '5300001', 'Kita ku, Osaka shi', 'Osaka'],
  ['鳥取県', '鳥取市', '東町', '31', '201', '6800011', 'Tottori shi', 'Tottori'],
  ['鳥取県', '岩美郡岩美町', '大字浦富', '31', '302', '6810003', 'Iwami cho, Iwami gun', 'Tottori'],
  ['北海道', '札幌市中央区', '北一条西', '01', '101', '0600001', 'Chuo ku, Sapporo shi', 'Hokkaido'],
] as const;
/** Most names have the form in them. */
const KINDS: Shares<readonly [kind: string, form: string]> = [
  [0.6, ['301', '株式会社']],
  [0.8, ['302', '有限会社']],
  [0.88, ['305', '合同会社']],
  [0.89, ['303', '合名会社']],
  [0.9, ['304', '合資会社']],
  [0.96, ['399', '一般社団法人']],
  [0.97, ['101', '']],
  [0.98, ['201', '']],
  [0.99, ['401', '']],
  [1, ['499', '']],
];
const CAUSES: Shares<string> = [
  [0.7, '01'],
  [0.9, '11'],
  [0.98, '21'],
  [1, '31'],
];
const COLUMNS = listColumns('jp', 'companies');

function* generateRows(rows: number, seed: number): Generator<readonly string[]> {
  const chance = createChance(seed);
  const takeSerial = createSerials(chance, 12);
  for (let row = 1; row <= rows; row++) {
    const made: Readonly<Record<string, string>> = { sequenceNumber: String(row), ...makeRow(chance, takeSerial()) };
    yield COLUMNS.map((column) => made[column] ?? '');
  }
}

function makeRow(chance: Chance, serial: string): Record<string, string> {
  const [kind, form] = pickByShare(chance, KINDS);
  const [prefectureName, cityName, street, prefectureCode, cityCode, postCode, enCity, enPrefectureName] =
    chance.pick(PLACES);
  const assigned = chance.is(0.8) ? '2015-10-05' : chance.date(2016, 2026);
  const row: Record<string, string> = {
    corporateNumber: makeNumber(serial, chance.is(0.002)),
    process: chance.pick(['01', '01', '11', '12']),
    correct: chance.is(0.02) ? '1' : '0',
    updateDate: chance.date(2016, 2026),
    changeDate: assigned,
    name: makeName(chance, form),
    kind,
    ...{ prefectureName, cityName, prefectureCode, cityCode },
    streetNumber: `${street}${writeWide(chance.between(1, 9))}丁目${writeWide(chance.between(1, 40))}番${writeWide(chance.between(1, 20))}号`,
    postCode: chance.is(0.01) ? '' : postCode,
    assignmentDate: assigned,
    latest: '1',
    furigana: chance.is(0.3) ? 'サクラシヨウジ' : '',
    hihyoji: chance.is(0.01) ? '1' : '0',
  };
  if (chance.is(0.12)) {
    Object.assign(row, { process: '21', closeDate: chance.date(2016, 2026), closeCause: pickByShare(chance, CAUSES) });
    if (row.closeCause === '11') row.successorCorporateNumber = makeNumber(serial.split('').reverse().join(''));
  }
  if (chance.is(0.01)) row.nameImageId = String(chance.between(1, 9999)).padStart(8, '0');
  if (kind === '401') {
    row.addressOutside = `Ｏｎｅ　Ｌｉｍｅ　Ｓｔｒｅｅｔ　Ｌｏｎｄｏｎ　ＥＣ３Ｍ　${writeWide(chance.between(1, 9))}ＨＡ　ＵＫ`;
  }
  if (chance.is(0.05))
    Object.assign(row, {
      enName: `${chance.pick(['Sakura', 'Hokuto', 'Aoba'])} "${chance.pick(['Trading', 'Foods'])}" Co., Ltd.`,
      enPrefectureName,
      enCityName: `${chance.between(1, 40)}-${chance.between(1, 20)}, ${enCity}`,
    });
  return row;
}

/** The check digit comes first. */
function makeNumber(serial: string, isWrong = false): string {
  const digit = [1, 2, 3, 4, 5, 6, 7, 8, 9].find((first) => isValidNumber(`${first}${serial}`)) ?? 1;
  return `${isWrong ? (digit % 9) + 1 : digit}${serial}`;
}

function makeName(chance: Chance, form: string): string {
  const name = `${chance.pick(WORDS)}${chance.pick(WORDS)}${chance.pick(TRADES)}`;
  return chance.is(0.6) ? `${form}${name}` : `${name}${form}`;
}

/** Digits are as wide as other characters. */
function writeWide(number: number): string {
  return String(number).replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0));
}

/** A file in the layout of the publisher. */
export function generateFile(rows: number, seed: number): SyntheticFile {
  const csv = { dialect: { delimiter: ',', quote: '"', encoding: 'utf-8' }, quoting: 'text' } as const;
  return {
    name: '00_zenkoku_all_20261031.zip',
    packing: 'zip',
    content: makeCsv(csv, [], () => generateRows(rows, seed)),
  };
}
