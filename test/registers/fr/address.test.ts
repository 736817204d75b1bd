import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAddress } from '../../../src/registers/fr/address.ts';
import { readText } from '../../../src/registers/parsing.ts';

const read = (fields: Readonly<Record<string, string>>, second: '' | '2' = '') =>
  readAddress((field) => readText(fields[field] ?? ''), second);

test('mail with a CEDEX is addressed to it, and the post code of the place is kept', () => {
  const address = read({
    numeroVoie: '8',
    typeVoie: 'AV',
    libelleVoie: 'HOCHE',
    distributionSpeciale: 'BP 12',
    codePostal: '75008',
    libelleCommune: 'PARIS 8',
    codeCedex: '75382',
    libelleCedex: 'PARIS CEDEX 08',
  });
  assert.deepEqual(address, {
    text: '8 AV HOCHE, BP 12, 75382 PARIS CEDEX 08',
    number: '8',
    street: 'AV HOCHE',
    postCode: '75008',
    city: 'PARIS 8',
    countryCode: 'FR',
    specialDistribution: 'BP 12',
    cedexCode: '75382',
    cedex: 'PARIS CEDEX 08',
  });
});

test('an address abroad has the country of the file and its code of INSEE, which is not a country code of ISO', () => {
  const abroad = {
    libelleVoie: '12 HIGH STREET',
    libelleCommuneEtranger: 'LONDON',
    codePaysEtranger: '99132',
    libellePaysEtranger: 'ROYAUME-UNI',
  };
  assert.deepEqual(read(abroad), {
    text: '12 HIGH STREET, LONDON, ROYAUME-UNI',
    street: '12 HIGH STREET',
    city: 'LONDON',
    country: 'ROYAUME-UNI',
    countryCode: 'GB',
    countryInseeCode: '99132',
  });
  assert.equal(read({ codePostal: '98000', libelleCommune: 'MONACO' })?.countryCode, undefined);
});

test('the second address has its own columns, and an empty one is null', () => {
  assert.equal(read({ libelleCommune2: 'LYON', codePostal2: '69001' }, '2')?.text, '69001 LYON');
  assert.equal(read({ libelleCommune: 'LYON' }, '2'), null);
});
