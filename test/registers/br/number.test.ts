import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCheckDigits, isValidNumber } from '../../../src/registers/br/number.ts';

test('check digits are verified, also those of numbers with letters', () => {
  for (const number of ['33683111000280', '19131243000197']) assert.equal(isValidNumber(number), true);
  assert.equal(isValidNumber('33683111000281'), false);
  assert.equal(isValidNumber('3368311100028'), false);
  assert.equal(isValidNumber('336831110002980'), false, 'one digit too many');
  assert.equal(isValidNumber('12ABC34501DE35'), true, 'an example of the tax office');
  assert.equal(isValidNumber('12ABC34501DF35'), false);
  assert.equal(isValidNumber('12abc34501de35'), false);
});

test('a remainder of 0 or 1 gives the check digit 0, and a remainder of 2 gives 9', () => {
  assert.equal(findCheckDigits('000000000000'), '00', 'both remainders are 0');
  assert.equal(findCheckDigits('000000000006'), '04', 'the first remainder is 1');
  assert.equal(findCheckDigits('000000000018'), '30', 'the second remainder is 1');
  assert.equal(findCheckDigits('000000000001'), '91', 'the first remainder is 2, the second 10');
  assert.equal(findCheckDigits('000000000009'), '49', 'the second remainder is 2');
});
