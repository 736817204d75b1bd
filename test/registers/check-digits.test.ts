/** What golden records do not show: exactly one of all check digits is right. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addCheckDigit } from '../../src/registers/check-digits.ts';
import { findCheckDigits, isValidLei } from '../../src/registers/gleif/map.ts';
import { hasValidCheckDigit as isValidLt } from '../../src/registers/lt/register.ts';
import { hasValidCheckDigit as isValidLv } from '../../src/registers/lv/register.ts';
import { hasValidCheckDigit as isValidMd, readNumber } from '../../src/registers/md/register.ts';
import { isValidNumber as isValidNo } from '../../src/registers/no/register.ts';
import { isValidTaxNumber as isValidRo } from '../../src/registers/ro/register.ts';
import { isValidNumber as isValidUa } from '../../src/registers/ua/register.ts';

interface Numbers {
  readonly isValid: (number: string) => boolean | null;
  /** The digits before the check digit. The check digit is null if no number that starts with them is valid. */
  readonly digits: readonly (readonly [digits: string, check: number | null])[];
  readonly valid: readonly string[];
  readonly invalid: readonly string[];
  /** They have no check digit. */
  readonly unknown?: readonly string[];
}

const NUMBERS: Readonly<Record<string, Numbers>> = {
  lt: {
    isValid: isValidLt,
    digits: [
      // The first weights give 3 + 7 = 10, the second 9 + 9 = 18, so 7.
      ['30000010', 7],
      ['77435615', 8],
      // Both give 10.
      ['22973873', 0],
      // The first weights give 9, so the second, which would give another digit, do not count.
      ['32271836', 9],
    ],
    valid: ['110003978'],
    invalid: ['110003979'],
    unknown: ['1234567', '12345678', '1234567890'],
  },
  lv: {
    isValid: isValidLv,
    digits: [['9363776995', 4]],
    valid: ['40000000104', '47382916507', '47382916511', '47382916526'],
    invalid: ['40000000105'],
    unknown: ['000700123', '400000001040'],
  },
  md: {
    isValid: isValidMd,
    digits: [
      ['109960012346', 1],
      ['989813879241', 1],
      ['797951445759', 0],
    ],
    valid: ['1099600123450'],
    invalid: ['1099600123460', '10996001234610', '109960012346X', '41290X'],
    unknown: ['412907', '989813879241'],
  },
  no: {
    isValid: isValidNo,
    digits: [
      ['93736631', 0],
      ['63448812', null],
      ['86963194', 9],
      ['98622242', 1],
    ],
    valid: ['974760673', '971032081', '987654325'],
    invalid: ['974760674', '97476067', '9747606730', '97476067X', '9747606X0', ''],
  },
  ro: {
    isValid: isValidRo,
    digits: [
      ['1', 9],
      ['934523867', 3],
      ['195255126', 9],
      // The sum times 10 is 10 modulo 11, which is written as 0.
      ['362178182', 0],
    ],
    valid: ['14399840'],
    invalid: ['14399841', '9', '09345238673'],
  },
  ua: {
    isValid: isValidUa,
    digits: [
      // Numbers from 30000000 and below 60000000 have their own weights. With the others the check digits would be 5, 3, 6 and 9.
      ['2999999', 3],
      ['3000000', 5],
      ['5999999', 4],
      ['6000000', 6],
      // The second weights count only if the first give 10; if they give 10 too, the check digit is 0.
      ['1437096', 4],
      ['1191747', 4],
      ['1437918', 0],
      ['3295912', 6],
      ['4528795', 2],
      ['3286185', 0],
      // The first weights give 9 and 0, so the second weights do not count.
      ['2311777', 9],
      ['9296659', 0],
    ],
    valid: ['26535980', '14360570', '32855961'],
    invalid: ['2653598', '026535980', '265359800', '2653598X', ''],
  },
  gleif: {
    isValid: isValidLei,
    digits: [],
    valid: [
      ...['001GPB6A9XPE8XJICC14', '004L5FPTUREIWK9T2N63', 'EVK05KS7XY1DEII3R011'],
      ...['SZMRRRHB93LMO4KB9707', 'LC88782HHM0904TRPJ98'],
    ],
    invalid: [
      ...['001GPB6A9XPE8XJICC15', '001GPB6A9XPE8XJICC1', '001GPB6A9XPE8XJICC140', '001gpb6a9xpe8xjicc14', ''],
      // Their remainder is right, but they have 19 and 22 characters.
      ...['01GPB6A9XPE8XJICC14', '001GPB6A9XPE8XJICC1495'],
    ],
  },
};

for (const [id, { isValid, digits, valid, invalid, unknown = [] }] of Object.entries(NUMBERS)) {
  test(`check digits of ${id}`, () => {
    for (const [start, check] of digits) {
      const found = Array.from({ length: 10 }, (_, digit) => digit).filter((digit) => isValid(`${start}${digit}`));
      assert.deepEqual(found, check === null ? [] : [check], start);
    }
    assert.deepEqual(valid.map(isValid), Array(valid.length).fill(true));
    assert.deepEqual(invalid.map(isValid), Array(invalid.length).fill(false));
    assert.deepEqual(unknown.map(isValid), Array(unknown.length).fill(null));
  });
}

test('generated numbers need check digits: those of an LEI are padded, some numbers of Norway have none', () => {
  assert.deepEqual([findCheckDigits('SZMRRRHB93LMO4KB97'), findCheckDigits('LC88782HHM0904TRPJ')], ['07', '98']);
  assert.deepEqual([addCheckDigit(isValidNo, '63448812'), addCheckDigit(isValidNo, '9')], [null, null]);
});

test('numbers of md are read from text cells and number cells', () => {
  const numbers = ['1.09960012345E12', '1099600123450.0', ' 1099600123450 ', '1E20', '-', ' '].map(readNumber);
  assert.deepEqual(numbers, ['1099600123450', '1099600123450', '1099600123450', '1E20', null, null]);
});
