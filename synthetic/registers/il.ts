/** Invented companies and partnerships in the two tables of the Corporations Authority. */
import { listColumns } from '../../src/registers/contract.ts';
import { isValidNumber } from '../../src/registers/il/register.ts';
import {
  type Chance,
  completeNumber,
  createChance,
  createCsvFiles,
  createSerials,
  pickByShare,
  writeDayFirst,
} from '../chance.ts';
import { makeArchive, type SyntheticFile } from '../file.ts';
import { readLists } from '../lists.ts';

const lists = readLists('il');
const [KINDS, STATUSES] = [lists.shares('kind'), lists.shares('status')];
const makeFile = createCsvFiles({
  dialect: { delimiter: ',', quote: '"', encoding: 'utf-8' },
  quoting: 'needed',
  lineEnd: '\r\n',
});
/** Only answers of the API have these. */
const OF_API = new Set(['_id', 'rank']);

/** One of twenty rows is a partnership. */
export function generateFiles(rows: number, seed: number): SyntheticFile {
  const partnerships = Math.floor(rows / 20);
  const make = (table: string, count: number, makeRow: MakeRow) => {
    const columns = listColumns('il', table).filter((column) => !OF_API.has(column));
    return makeFile(`ica_${table}.csv`, columns, () => generateRows(columns, count, seed, makeRow));
  };
  return makeArchive('ica-2026-11.zip', [
    make('companies', rows - partnerships, makeCompany),
    make('partnerships', partnerships, makePartnership),
  ]);
}

type MakeRow = (chance: Chance, serial: string) => Readonly<Record<string, string>>;

function* generateRows(columns: readonly string[], count: number, seed: number, make: MakeRow): Generator<string[]> {
  const chance = createChance(seed);
  const takeSerial = createSerials(chance, 6);
  for (let row = 0; row < count; row++) {
    const made = make(chance, takeSerial());
    yield columns.map((column) => made[column] ?? '');
  }
}

function makeCompany(chance: Chance, serial: string) {
  const [[kind = ''], [status = '', code = '']] = [pickByShare(chance, KINDS), pickByShare(chance, STATUSES)];
  const [place = '', street = ''] = chance.pick(lists.rows('place'));
  const [word, trade] = [chance.between(0, 14), chance.between(0, 9)];
  const name = (words: string, trades: string) => `${lists.words(words)[word]} ${lists.words(trades)[trade]}`;
  return {
    'מספר חברה': completeNumber(isValidNumber, `51${serial}`, chance.is(0.002)),
    'שם חברה': `${name('words', 'trades')} ${chance.is(0.9) ? 'בע~מ' : 'בעמ'}`,
    'שם באנגלית': chance.is(0.4) ? `${name('latin', 'latin trades')} LTD` : '',
    'סוג תאגיד': kind,
    'סטטוס חברה': status,
    'מטרת החברה': 'לעסוק בסוגי עיסוק שפורטו בתקנון',
    'תאריך התאגדות': writeDayFirst(chance.date(1950, 2025), '/'),
    'חברה ממשלתית': chance.is(0.01) ? 'כן' : 'לא',
    מגבלות: 'מוגבלת',
    מפרה: chance.is(0.3) ? 'מפרה' : '',
    'שנה אחרונה של דוח שנתי (שהוגש)': chance.is(0.7) ? String(chance.between(2005, 2025)) : '',
    'שם עיר': place,
    'שם רחוב': street,
    'מספר בית': String(chance.between(1, 150)),
    מיקוד: String(chance.between(1_000_000, 9_999_999)),
    'ת.ד.': chance.is(0.2) ? String(chance.between(1, 9999)) : '',
    מדינה: 'ישראל',
    'קוד סטטוס חברה': code,
  };
}

function makePartnership(chance: Chance, serial: string) {
  const [place = '', street = ''] = chance.pick(lists.rows('place'));
  return {
    'מספר שותפות': completeNumber(isValidNumber, `53${serial}`),
    'שם שותפות': `${chance.pick(lists.words('words'))} ${chance.pick(lists.words('trades'))}`,
    'סוג תאגיד': 'חו~ל שותפות חו~ל מהסבה',
    'סטטוס תאגיד': chance.pick(['פעילה', 'מחוקה']),
    'תאריך התאגדות': writeDayFirst(chance.date(1950, 2025), '/'),
    ישוב: place,
    רחוב: street,
    'מספר בית': String(chance.between(1, 150)),
    מדינה: 'ישראל',
  };
}
