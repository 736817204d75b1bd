import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkModulo11, checkSum } from '../../src/registers/check-digits.ts';
import { NO_COMMON, tableFields } from '../../src/registers/fields.ts';
import {
  compact,
  joinFilled,
  parseDay,
  readCode,
  readCount,
  readDate,
  readSerialDate,
  readText,
} from '../../src/registers/parsing.ts';
import { createChance } from '../../synthetic/chance.ts';
import { addCheckDigit } from './mapping.ts';

describe('dates', () => {
  test('are read in all four formats; a day that does not exist is null', () => {
    assert.equal(readDate('29/02/2024'), '2024-02-29');
    assert.equal(readDate('29/02/2000'), '2000-02-29');
    assert.equal(readDate('01.12.1899'), '1899-12-01');
    assert.equal(readDate('09-08-1960'), '1960-08-09');
    assert.equal(readDate('2024-02-29'), '2024-02-29');
    assert.equal(readDate('2024-02-29T10:00:00Z'), '2024-02-29');
    for (const text of [
      '',
      ' ',
      '29/02/2023',
      '29/02/1900',
      '31/04/2020',
      '00/01/2020',
      '2020-13-01',
      '1/2/2020',
      '20200101',
      '2020-01-01x',
    ]) {
      assert.equal(readDate(text), null, text);
    }
  });

  test('spreadsheet serials start in 1900; the nonexistent 29 February 1900 is null', () => {
    assert.equal(readSerialDate('1'), '1900-01-01');
    assert.equal(readSerialDate('59'), '1900-02-28');
    assert.equal(readSerialDate('60'), null);
    assert.equal(readSerialDate('61'), '1900-03-01');
    assert.equal(readSerialDate('34116'), '1993-05-27');
    assert.equal(readSerialDate('45292.75'), '2024-01-01');
    for (const text of ['', '0', '-1', '20.08.1111', '99999999', '1e5']) assert.equal(readSerialDate(text), null, text);
  });
});

test('texts, counts, weighted sums and compact give null or nothing for values they cannot read', () => {
  assert.deepEqual([readText(' a '), readText(' '), readText('')], ['a', null, null]);
  assert.deepEqual(
    [readCount('007'), readCount(' 5'), readCount('-1'), readCount('1.5'), readCount('')],
    [7, 5, null, null, null],
  );
  assert.equal(checkSum([1, 2, 3], 100, 14)('123'), true);
  for (const digits of ['12', '12x', '1234']) assert.equal(checkSum([1, 2, 3], 1, 0)(digits), false, digits);
  assert.deepEqual(compact({ a: 0, b: false, c: '', d: null, e: [], f: {}, g: [0], h: 'x' }), {
    a: 0,
    b: false,
    g: [0],
    h: 'x',
  });
});

test('a modulo 11 check digit uses the second weights if the first give 10, and is 0 if these give 10 too', () => {
  const [first, second] = [
    [1, 2],
    [3, 4],
  ];
  // 1·2 + 2·3 = 8; 1·2 + 2·4 = 10, then 3·2 + 4·4 = 22; 1·0 + 2·5 = 10, then 3·0 + 4·5 = 20; 1·8 + 2·1 = 10, then 24 +
  // 4 = 28.
  assert.deepEqual(
    ['23', '24', '05', '81'].map((digits) => addCheckDigit(checkModulo11(first, second), digits)),
    ['238', '240', '059', '816'],
  );
  assert.equal(addCheckDigit(checkModulo11(first, [3, 2]), '05'), '050', 'ten in both rounds');
  for (const digits of ['5', '5x']) assert.equal(addCheckDigit(checkModulo11(first, second), digits), null);
});

test('the date in a column is read; an invalid one is reported', () => {
  const reports: string[][] = [];
  const reporter = { report: (...report: string[]) => void reports.push(report) };
  const read = (text: string) => parseDay('born', text, reporter);
  assert.deepEqual([read('2024-02-29'), read(''), read('2023-02-29')], ['2024-02-29', null, null]);
  assert.deepEqual(reports, [['born', '2023-02-29', 'not a date']]);
});

test('codes lose a trailing .0 and nothing else', () => {
  assert.deepEqual(['3101.0', ' 0111.00 ', '62.01', '62.01Z', '', 'x.0'].map(readCode), [
    '3101',
    '0111',
    '62.01',
    '62.01Z',
    null,
    'x.0',
  ]);
});

test('random values depend only on the seed', () => {
  const draw = (seed: number) => {
    const chance = createChance(seed);
    return [chance.next(), chance.between(1, 6), chance.pick(['a', 'b']), chance.is(0.5), chance.date(1990, 2020)];
  };
  assert.deepEqual(draw(42), draw(42));
  assert.notDeepEqual(draw(42), draw(43));
  const chance = createChance(1);
  for (let index = 0; index < 1_000; index++) {
    const number = chance.between(3, 5);
    assert.ok(number >= 3 && number <= 5);
  }
});

test('texts are joined without empty ones', () => {
  assert.equal(joinFilled(['a', null, '', undefined, 'b'], ', '), 'a, b');
  assert.equal(joinFilled(['', null], ', '), '');
});

test('a legal form has the filled ones of its two columns; a code without a text is reported', () => {
  const unknown: string[] = [];
  const reportUnknown = (...report: readonly string[]) => void unknown.push(report.join(' '));
  const context = { codes: null, report: () => undefined, reportUnknown };
  const readForm = tableFields().legalForm('code', 'label');
  const read = (code: string, label: string) =>
    readForm((column) => (column === 'code' ? code : label), context, NO_COMMON);
  assert.deepEqual(read(' 310 ', ' Company '), { code: '310', label: 'Company' });
  assert.deepEqual(read(' ', 'Company'), { label: 'Company' });
  assert.equal(read(' ', ''), null);
  assert.deepEqual(unknown, []);
  assert.deepEqual(read('310', ' '), { code: '310' });
  assert.deepEqual(unknown, ['legalForm code 310']);
});
