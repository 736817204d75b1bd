/** What golden records do not show: exactly one of all check digits is right. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isValidNumber as isValidAr } from '../../src/registers/ar/register.ts';
import { isValidAbn, isValidAcn } from '../../src/registers/au/register.ts';
import { isValidNumber as isValidBe } from '../../src/registers/be/register.ts';
import { br } from '../../src/registers/br/register.ts';
import { addCheckDigit } from '../../src/registers/check-digits.ts';
import { isValidNumber as isValidCl } from '../../src/registers/cl/register.ts';
import { isValidNumber as isValidCz } from '../../src/registers/cz/register.ts';
import { isValidNumber as isValidEe } from '../../src/registers/ee/register.ts';
import { isValidNumber as isValidFi } from '../../src/registers/fi/register.ts';
import { isSiren, isSiret } from '../../src/registers/fr/register.ts';
import { findCheckDigits, isValidLei } from '../../src/registers/gleif/register.ts';
import { isValidNumber as isValidJp } from '../../src/registers/jp/register.ts';
import { hasValidCheckDigit as isValidLt } from '../../src/registers/lt/register.ts';
import { hasValidCheckDigit as isValidLv } from '../../src/registers/lv/register.ts';
import { hasValidCheckDigit as isValidMd, readNumber } from '../../src/registers/md/register.ts';
import { isValidNumber as isValidNo } from '../../src/registers/no/register.ts';
import { isValidNumber as isValidPe } from '../../src/registers/pe/register.ts';
import { isValidTaxNumber as isValidRo } from '../../src/registers/ro/register.ts';
import * as si from '../../src/registers/si/register.ts';
import { isValidNumber as isValidSk } from '../../src/registers/sk/register.ts';
import { isValidNumber as isValidTw } from '../../src/registers/tw/register.ts';
import { isValidNumber as isValidUa } from '../../src/registers/ua/register.ts';

/** Null: the number has no check digit. */
const CHECKS: Readonly<Record<string, (number: string) => boolean | null>> = {
  ar: isValidAr,
  'au (ACN)': isValidAcn,
  'au (ABN)': isValidAbn,
  be: isValidBe,
  br: (number) => br.checkNumber?.(number)?.valid === true,
  cl: isValidCl,
  cz: isValidCz,
  ee: isValidEe,
  fi: isValidFi,
  'fr (SIREN)': isSiren,
  'fr (SIRET)': isSiret,
  gleif: isValidLei,
  jp: isValidJp,
  lt: isValidLt,
  lv: isValidLv,
  md: isValidMd,
  no: isValidNo,
  pe: isValidPe,
  ro: isValidRo,
  si: si.isValidNumber,
  'si (tax number)': si.isValidTaxNumber,
  sk: isValidSk,
  tw: isValidTw,
  ua: isValidUa,
};

const rows = readFileSync(new URL('check-digits.tsv', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split('\t'));

const EXPECTED = new Map<string | undefined, boolean | null>([
  ['valid', true],
  ['invalid', false],
  ['unknown', null],
]);

for (const [name, check] of Object.entries(CHECKS)) {
  test(`check digits of ${name}`, () => {
    const own = rows.filter(([register]) => register === name);
    assert.ok(own.length > 0, `test/registers/check-digits.tsv: add numbers of ${name}`);
    for (const [, kind, text = '', digits = ''] of own) {
      if (kind !== 'digit') assert.equal(check(text), EXPECTED.get(kind) ?? null, `${kind}: ${text}`);
      else assert.deepEqual(findDigits(check, text, digits), digits === 'none' ? [] : [digits], text);
    }
  });
}

/** All check digits, as many as expected, that make a valid number of the text. */
function findDigits(check: (number: string) => boolean | null, text: string, expected: string): string[] {
  const length = expected === 'none' ? 1 : expected.length;
  return Array.from({ length: 10 ** length }, (_, digit) => String(digit).padStart(length, '0')).filter(
    (digits) => check(text + digits) === true,
  );
}

test('generated numbers need check digits: those of an LEI are padded, some numbers of Norway have none', () => {
  assert.deepEqual([findCheckDigits('SZMRRRHB93LMO4KB97'), findCheckDigits('LC88782HHM0904TRPJ')], ['07', '98']);
  assert.deepEqual([addCheckDigit(isValidNo, '63448812'), addCheckDigit(isValidNo, '9')], [null, null]);
});

test('numbers of md are read from text cells and number cells', () => {
  const numbers = ['1.09960012345E12', '1099600123450.0', ' 1099600123450 ', '1E20', '-', ' '].map(readNumber);
  assert.deepEqual(numbers, ['1099600123450', '1099600123450', '1099600123450', '1E20', null, null]);
});
