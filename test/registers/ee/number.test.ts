import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCheckDigit, isValidNumber } from '../../../src/registers/ee/number.ts';

test('the check digit uses the second weights if the first give ten, and is 0 if both do', () => {
  assert.equal(findCheckDigit('1000000'), 1);
  assert.equal(findCheckDigit('9000000'), 9, 'nine with the first weights');
  // 1·1 + 5·5 + 1·6 = 32 → 10, then 3·1 + 7·5 + 8·1 = 46 → 2.
  assert.equal(findCheckDigit('1000510'), 2);
  // 1·1 + 1·3 + 1·6 = 10, then 3 + 5 + 8 = 16 → 5.
  assert.equal(findCheckDigit('1010010'), 5);
  assert.equal(findCheckDigit('1000064'), 0, 'both weights give ten');
  for (const number of ['10000001', '10005102', '10000640']) assert.ok(isValidNumber(number), number);
  for (const number of ['10000002', '1000000', '100000011', '1000000X', '']) assert.ok(!isValidNumber(number), number);
});
