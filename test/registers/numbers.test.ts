import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isValidNumber as isValidAr } from '../../src/registers/ar/register.ts';
import { isValidAbn, isValidAcn } from '../../src/registers/au/register.ts';
import * as be from '../../src/registers/be/register.ts';
import { br, findCheckDigits } from '../../src/registers/br/register.ts';
import { addCheckDigit } from '../../src/registers/check-digits.ts';
import { isValidNumber as isValidCl } from '../../src/registers/cl/register.ts';
import { isValidNumber as isValidCz } from '../../src/registers/cz/register.ts';
import { isValidNumber as isValidEe } from '../../src/registers/ee/register.ts';
import { isValidNumber as isValidFi } from '../../src/registers/fi/register.ts';
import { isSiren, isSiret } from '../../src/registers/fr/register.ts';
import { isValidNumber as isValidJp } from '../../src/registers/jp/register.ts';
import { isValidNumber as isValidPe } from '../../src/registers/pe/register.ts';
import * as si from '../../src/registers/si/register.ts';
import { isValidNumber as isValidSk } from '../../src/registers/sk/register.ts';
import { isValidNumber as isValidTw } from '../../src/registers/tw/register.ts';

type Validate = (number: string) => boolean;

const NUMBERS: Readonly<Record<string, readonly [Validate, valid: readonly string[], invalid: readonly string[]]>> = {
  ar: [isValidAr, ['34710000019', '33710000013'], ['34710000018', '3471000001', '347100000190', '20710000017']],
  'au (ACN)': [isValidAcn, ['000000948', '001832391', '000047950', '010001000'], ['000000949', '010001001']],
  'au (ABN)': [
    isValidAbn,
    ['11000000948', '11001832391', '11000047950'],
    ['11000000949', '1100000094', '00000000000', '1100000094X', '110000009480'],
  ],
  be: [
    be.isValidNumber,
    // 97 · 10309 = 999973, so the remainder is 0 and the check digits are 97, not 00. One less leaves the remainder 96.
    ['0200.065.765', '0200.068.636', '0099.997.397', '0099.997.201'],
    ['0200.068.637', '2200.068.678', '0099.997.300'],
  ],
  br: [
    (number) => br.checkNumber?.(number)?.valid === true,
    ['33683111000280', '19131243000197', '12ABC34501DE35'],
    ['33683111000281', '3368311100028', '336831110002980', '12ABC34501DF35', '12abc34501de35'],
  ],
  // 2 · 5 = 10 leaves 10: 1. 3 · 4 = 12 leaves 1: K. 2 · 4 + 3 = 11: 0.
  cl: [
    isValidCl,
    ['77503124-7', '0000005-1', '0000040-K', '0000014-0'],
    ['77503124-8', '77503124-K', '0000040-0', '0000005'],
  ],
  ee: [isValidEe, ['10000001', '10005102', '10000640'], ['10000002', '1000000', '100000011', '1000000X', '']],
  fi: [
    isValidFi,
    ['0100130-4', '1234567-1', '1000010-0'],
    ['0100130-5', '01001304', '100130-4', ...Array.from({ length: 10 }, (_, digit) => `0000006-${digit}`)],
  ],
  'fr (SIREN)': [
    isSiren,
    // 5 doubled counts as 1, and 9 doubled as 9.
    ['000325175', '001807254', '026280206', '005880034', '000000059', '000000190', '000000000'],
    ['000325176', '32517', '00032517H'],
  ],
  si: [si.isValidNumber, ['5043611000', '3282490000', '1331647000'], ['5043612000', '504361']],
  'si (tax number)': [si.isValidTaxNumber, ['10001310'], ['10001311', '1000131', '100013100']],
  'fr (SIRET)': [isSiret, ['00588003400011'], ['00588003400012']],
  // 7 times 4 is 28, whose digits have the sum 10: 0 or 1. So 0000007 has the check digits 0 and 5, and 4 and 9.
  tw: [
    isValidTw,
    ['22099131', '03244509', '48300028', '00000070', '00000074', '00000000'],
    ['22099132', '00000071', '0000007', '000000000'],
  ],
  // The check digit comes first. The remainder 0 gives 9, never 0.
  jp: [
    isValidJp,
    ['9000000000000', '8000000000001', '7000000000010', '1000000000008', '9000000000009'],
    ['0000000000000', '0000000000009', '8000000000002', '90000000000000', '900000000000'],
  ],
};

for (const [name, [isValid, valid, invalid]] of Object.entries(NUMBERS)) {
  test(`${name}: check digits are verified`, () => {
    for (const number of valid) assert.equal(isValid(number), true, number);
    for (const number of invalid) assert.equal(isValid(number), false, number);
  });
}

function findDigit(isValid: Validate) {
  return (body: string) => {
    const number = addCheckDigit(isValid, body);
    return number === null ? null : Number(number.at(-1));
  };
}

/** Null: there is none. */
const DIGITS: readonly [
  name: string,
  find: (body: string) => number | string | null,
  digits: Readonly<Record<string, number | string | null>>,
][] = [
  // 1·7 + 1·3 = 10.
  ['au', findDigit(isValidAcn), { '01000100': 0, '0100010': null }],
  // The remainders of both digits: 0 and 0, 1, then 1, 2 and 10, then 2.
  [
    'br',
    findCheckDigits,
    { '000000000000': '00', '000000000006': '04', '000000000018': '30', '000000000001': '91', '000000000009': '49' },
  ],
  // The remainder 0 gives 11, so the check digit is 1; 1 gives 10, so it is 0; 10 gives 1.
  ['cz', findDigit(isValidCz), { '0000000': 1, '0000006': 0, '0000005': 1, '000000': null }],
  // The second weights count if the first give ten. 1000064: both do.
  // 5·3 = 15: the remainder is 4. 15 + 2·9 = 33: 11 is written as 0. 15 + 2·4 = 23: 10 is written as 9.
  ['ar', findDigit(isValidAr), { '3000000000': 7, '3000000009': 0, '3000000004': 9, '300000000': null }],
  ['ee', findDigit(isValidEe), { '1000000': 1, '9000000': 9, '1000510': 2, '1010010': 5, '1000064': 0 }],
  // 2·6 = 12: the remainder is 1, and 11 − 1 has two digits. 4 + 7 = 11: it is 0. 2·5 = 10: it is 10.
  [
    'fi',
    findDigit((number) => isValidFi(number.replace(/(?=.$)/, '-'))),
    { '0000006': null, '1000010': 0, '0000005': 1, '000000': null },
  ],
  // As in Czechia.
  ['sk', findDigit(isValidSk), { '0000000': 1, '0000006': 0, '0000005': 1, '000000': null }],
  // 2·6 = 12: the remainder is 1, and 11 − 1 is written as 0. 7 + 4 = 8 + 3 = 11: it is 0. 2·5 = 10: it is 10.
  // The remainder 0 gives 11, which is written as 1; 1 gives 10, which is written as 0.
  ['pe', findDigit(isValidPe), { '2000000000': 1, '2000000006': 1, '2000000001': 0 }],
  ['si', findDigit(si.isValidNumber), { '000006': 0, '100100': null, '000005': 1, '00000': null }],
  ['si (tax number)', findDigit(si.isValidTaxNumber), { '0000006': 0, '1000010': null, '0000005': 1, '000000': null }],
];

describe('the check digit', () => {
  for (const [name, find, digits] of DIGITS) {
    test(`of ${name} follows from the remainder`, () => {
      for (const [body, digit] of Object.entries(digits)) assert.equal(find(body), digit, body);
    });
  }
});
