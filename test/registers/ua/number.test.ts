import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isValidNumber } from '../../../src/registers/ua/number.ts';

/** Exactly one of the ten numbers that begin with these digits is valid. */
function assertCheckDigit(digits: string, expected: number): void {
  const valid = Array.from({ length: 10 }, (_, digit) => `${digits}${digit}`).filter(isValidNumber);
  assert.deepEqual(valid, [`${digits}${expected}`]);
}

test('check digits of real numbers in both ranges; other lengths are invalid', () => {
  for (const number of ['26535980', '14360570', '32855961']) assert.equal(isValidNumber(number), true, number);
  for (const number of ['2653598', '026535980', '265359800', '2653598X', ''])
    assert.equal(isValidNumber(number), false, number);
});

test('numbers from 30000000 and below 60000000 have their own weights', () => {
  // With the other weights the check digits would be 5, 3, 6 and 9.
  assertCheckDigit('2999999', 3);
  assertCheckDigit('3000000', 5);
  assertCheckDigit('5999999', 4);
  assertCheckDigit('6000000', 6);
});

test('the second weights count only if the first give 10; if they give 10 too, the check digit is 0', () => {
  // 1437096: 1+8+9+28+0+54+42 = 142, 10 modulo 11; with weights 3 to 9: 202, so 4. 1437918: 153, then 219, 10 again.
  assertCheckDigit('1437096', 4);
  assertCheckDigit('1191747', 4);
  assertCheckDigit('1437918', 0);
  // In the middle range: 3295912 gives 109, then 171, so 6; 3286185 gives 131, then 197, 10 again.
  assertCheckDigit('3295912', 6);
  assertCheckDigit('4528795', 2);
  assertCheckDigit('3286185', 0);
  // The first weights give 9 and 0, so the second weights, which would give another digit, do not count.
  assertCheckDigit('2311777', 9);
  assertCheckDigit('9296659', 0);
});
