/** Invented businesses in the three files of the Ministry of Finance: in business, suspended, and ended. */
import { listColumns } from '../../src/registers/contract.ts';
import { isValidNumber } from '../../src/registers/tw/register.ts';
import { type Chance, completeNumber, createChance, createCsvFiles, createSerials, pickByShare } from '../chance.ts';
import { makeArchive, type SyntheticFile } from '../file.ts';
import { readLists } from '../lists.ts';

const lists = readLists('tw');
const FORMS = lists.shares('form');
/** The share of the rows that each file has. */
const FILES: readonly (readonly [name: string, from: number, to: number])[] = [
  ['BGMOPEN1', 0, 0.6],
  ['BGMOPEN1X', 0.6, 0.7],
  ['BGMOPEN1Y', 0.7, 1],
];
const makeFile = createCsvFiles({
  dialect: { delimiter: ',', quote: '"', encoding: 'utf-8' },
  bom: true,
  quoting: 'needed',
  lineEnd: '\n',
});

export function generateFiles(rows: number, seed: number): SyntheticFile {
  const files = FILES.map(([name, from, to]) => {
    const columns = listColumns('tw', name);
    return makeFile(`${name}.csv`, columns, () =>
      generateRows(columns, Math.floor(rows * from), Math.floor(rows * to), seed),
    );
  });
  return makeArchive('BGMOPEN1-2026-11.zip', files);
}

function* generateRows(
  columns: readonly string[],
  from: number,
  to: number,
  seed: number,
): Generator<readonly string[]> {
  const chance = createChance(seed + from);
  const takeSerial = createSerials(createChance(seed), 7);
  for (let row = 0; row < from; row++) takeSerial();
  for (let row = from; row < to; row++) {
    const made: Readonly<Record<string, string>> = makeRow(chance, takeSerial());
    yield columns.map((column) => made[column] ?? '');
  }
}

function makeRow(chance: Chance, serial: string): Record<string, string> {
  const [form = '', ending = ''] = pickByShare(chance, FORMS);
  const [city = '', district = '', street = ''] = chance.pick(lists.rows('place'));
  const name = `${chance.pick(lists.words('words'))}${chance.pick(lists.words('words'))}${chance.pick(lists.words('trades'))}`;
  const isBranch = form === '其他';
  const row: Record<string, string> = {
    營業地址: `${city}${district}${street}${writeWide(chance.between(1, 300))}號`,
    統一編號: completeNumber(isValidNumber, serial, false),
    總機構統一編號: isBranch ? completeNumber(isValidNumber, serial.split('').reverse().join('')) : '',
    營業人名稱: isBranch ? `${name}股份有限公司${city.slice(0, 2)}分公司` : `${name}${ending}`,
    資本額: isBranch ? '0' : String(chance.between(1, 5000) * 10_000),
    設立日期: writeMinguo(chance.date(1950, 2024)),
    停業日期: writeMinguo(chance.date(2025, 2026)),
    組織別名稱: form,
    使用統一發票: chance.is(0.7) ? 'Y' : 'N',
  };
  for (const suffix of chance.is(0.3) ? ['', '1', '2'] : ['']) {
    const [code = '', label = ''] = chance.pick(lists.rows('activity'));
    Object.assign(row, { [`行業代號${suffix}`]: code, [`名稱${suffix}`]: label });
  }
  return row;
}

/** `2024-03-21` is `1130321`. */
function writeMinguo(date: string): string {
  const [year, month, day] = date.split('-');
  return `${String(Number(year) - 1911).padStart(3, '0')}${month}${day}`;
}

/** Digits are as wide as other characters. */
function writeWide(number: number): string {
  return String(number).replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0));
}
