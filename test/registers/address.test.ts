import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  compileStyle,
  composeAddress,
  ENGLISH_STYLE,
  EUROPEAN_STYLE,
  findCountryCode,
} from '../../src/registers/address.ts';

const PARTS = {
  street: 'High Street',
  number: '1',
  unit: 'Flat 2',
  postCode: 'AB1 2CD',
  city: 'Exeter',
  region: 'Devon',
};

test('the text of an address has the parts in the order of the country', () => {
  assert.equal(composeAddress(PARTS, ENGLISH_STYLE)?.text, '1 High Street, Flat 2, Exeter Devon AB1 2CD');
  assert.equal(composeAddress(PARTS, EUROPEAN_STYLE)?.text, 'High Street 1, Flat 2, AB1 2CD Exeter, Devon');
  assert.equal(
    composeAddress(PARTS, compileStyle('{number} {street}, {unit}, {postCode} {city}, {region}'))?.text,
    '1 High Street, Flat 2, AB1 2CD Exeter, Devon',
  );
});

test('an address keeps the text that the source writes itself', () => {
  assert.deepEqual(composeAddress({ text: 'Pikk 1, Tallinn', city: 'Tallinn' }, EUROPEAN_STYLE), {
    text: 'Pikk 1, Tallinn',
    city: 'Tallinn',
  });
});

test('empty parts are left out, and a part that repeats the one before it is not written twice', () => {
  const parts = { lines: ['PO Box 1'], street: '', number: null, city: 'Singapore', country: 'Singapore' };
  assert.deepEqual(composeAddress(parts, ENGLISH_STYLE), {
    text: 'PO Box 1, Singapore',
    lines: ['PO Box 1'],
    city: 'Singapore',
    country: 'Singapore',
  });
});

test('a country code alone is no address', () => {
  assert.equal(composeAddress({ city: '', countryCode: 'GB' }, ENGLISH_STYLE), null);
});

test('a country is found by its name in the languages of the register', () => {
  const cases = readFileSync(new URL('country-names.tsv', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t'));
  assert.ok(cases.length > 40);
  for (const [name = '', languages = '', code] of cases)
    assert.equal(findCountryCode(name, languages) ?? 'none', code, `${name} ${languages}`);
});
