/** What golden records do not show: exactly one of all check digits is right. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isValidNumber as isValidCz } from '../../src/registers/cz/register.ts';
import { isValidNumber as isValidFi } from '../../src/registers/fi/register.ts';
import { findCheckDigits } from '../../src/registers/gleif/register.ts';
import { registers } from '../../src/registers/index.ts';
import { hasValidCheckDigit as isValidLt } from '../../src/registers/lt/register.ts';
import { hasValidCheckDigit as isValidLv } from '../../src/registers/lv/register.ts';
import { hasValidCheckDigit as isValidMd, readNumber } from '../../src/registers/md/register.ts';
import { isValidTaxNumber } from '../../src/registers/si/register.ts';
import { addCheckDigit } from './mapping.ts';

/** Null: the number has no check digit. */
type Check = (number: string) => boolean | null;

/** Checks of numbers in forms that a register has only in its file, and of numbers that are not its own. */
const OTHERS: Readonly<Record<string, Check>> = {
  cz: isValidCz,
  fi: isValidFi,
  lt: isValidLt,
  lv: isValidLv,
  md: isValidMd,
  'si (tax number)': isValidTaxNumber,
};

/** Returns what checks the numbers of a register: `au (ABN)` are numbers of the kind `ABN`. */
function findCheck(name: string): Check {
  const [id, kind] = name.split(/ \(|\)/);
  const register = registers.find((one) => one.id === id);
  return (number) => {
    const checked = register?.checkNumber?.(number.replace(/[.-]/g, '')) ?? null;
    return checked === null || (kind && checked.kind !== kind) ? false : checked.valid;
  };
}

const rows = readFileSync(new URL('check-digits.tsv', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split('\t'));

const EXPECTED = new Map<string | undefined, boolean | null>([
  ['valid', true],
  ['invalid', false],
  ['unknown', null],
]);

for (const [name = '', own] of Map.groupBy(rows, ([register]) => register)) {
  test(`check digits of ${name}`, () => {
    const check = OTHERS[name] ?? findCheck(name);
    for (const [, kind, text = '', digits = ''] of own) {
      if (kind !== 'digit') assert.equal(check(text), EXPECTED.get(kind) ?? null, `${kind}: ${text}`);
      else assert.deepEqual(findDigits(check, text, digits), digits === 'none' ? [] : [digits], text);
    }
  });
}

/** All check digits, as many as expected, that make a valid number of the text. */
function findDigits(check: Check, text: string, expected: string): string[] {
  const length = expected === 'none' ? 1 : expected.length;
  return Array.from({ length: 10 ** length }, (_, digit) => String(digit).padStart(length, '0')).filter(
    (digits) => check(text + digits) === true,
  );
}

test('generated numbers need check digits: those of an LEI are padded, some numbers of Norway have none', () => {
  assert.deepEqual([findCheckDigits('SZMRRRHB93LMO4KB97'), findCheckDigits('LC88782HHM0904TRPJ')], ['07', '98']);
  assert.deepEqual([addCheckDigit(findCheck('no'), '63448812'), addCheckDigit(findCheck('no'), '9')], [null, null]);
});

test('numbers of md are read from text cells and number cells', () => {
  const numbers = ['1.09960012345E12', '1099600123450.0', ' 1099600123450 ', '1E20', '-', ' '].map(readNumber);
  assert.deepEqual(numbers, ['1099600123450', '1099600123450', '1099600123450', '1E20', null, null]);
});
