import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composeAddress, ENGLISH_STYLE, EUROPEAN_STYLE, findCountryCode } from '../../src/registers/address.ts';

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
    composeAddress(PARTS, { numberFirst: true, postCodeFirst: true })?.text,
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
  const cases: readonly (readonly [string, string, string | null])[] = [
    ['Duitsland (Bondsrep.)', 'nl,fr', 'DE'],
    ['Allemagne (Rép.féd.)', 'nl,fr', 'DE'],
    ['Verenigde Staten van Amerika', 'nl,fr', 'US'],
    ['Luxemburg (Groot-Hertogdom)', 'nl,fr', 'LU'],
    ['PAYS-BAS', 'fr', 'NL'],
    // As the Crossroads Bank for Enterprises writes them.
    ['Monaco /Vorstendom/', 'nl,fr', 'MC'],
    ['Koweit/Principauté de/', 'nl,fr', 'KW'],
    ["Afrique du Sud /Rép. d'/", 'nl,fr', 'ZA'],
    ['Congo (Dem. Rep.)', 'nl,fr', 'CD'],
    ['Congo (Rép. dém.)', 'nl,fr', 'CD'],
    ['China (Hongkong SAR)', 'nl,fr', 'HK'],
    ['Chine (Macao SAR)', 'nl,fr', 'MO'],
    ['China-Taïwan ( Rep. )', 'nl,fr', 'TW'],
    ['Centraalafrikaanse Republiek', 'nl,fr', 'CF'],
    ['Dominicaine /Rép./', 'nl,fr', 'DO'],
    ['Macédoine (Ex-Rép. yougoslave de)', 'nl,fr', 'MK'],
    ["Bermuda's", 'nl,fr', 'BM'],
    ['Democratic Republic of the Congo', 'en', 'CD'],
    ['The Bahamas', 'en', 'BS'],
    ['FALKLAND (ILHAS MALVINAS)', 'pt', 'FK'],
    ['TIMOR ORIENTAL', 'pt', 'TL'],
    ['CÔTE D’IVOIRE', 'fr', 'CI'],
    ['GUERNSEY', 'en', 'GG'],
    ['Northern Ireland', 'en', 'GB'],
    ['Virgin Islands, British', 'en', 'VG'],
    ['U.S.A.', 'en', 'US'],
    ['Marea Britanie', 'ro', 'GB'],
    ['Germania', 'ro', 'DE'],
    ['CAYMAN,ILHAS', 'pt', 'KY'],
    ['PAÍSES BAIXOS (HOLANDA)', 'pt', 'NL'],
    ['CROACIA, REPUBLICA DA', 'pt', 'HR'],
    ['CINGAPURA', 'pt', 'SG'],
    ['COREIA REPUBLICA DA', 'pt', 'KR'],
    // A name in a language that the register does not use, more than one country, and no country.
    ['Germania', 'en', null],
    ['Korea', 'en', null],
    ['Virgens, Ilhas', 'pt', null],
    ['Canal (Ilhas Normandas)', 'pt', null],
    ['European Union', 'en', null],
    ['Congo', 'nl,fr', null],
    ['Franse Antillen', 'nl,fr', null],
    ['Bristol', 'en', null],
    ['', 'en', null],
  ];
  const found = cases.map(([name, languages]) => [name, languages, findCountryCode(name, languages.split(','))]);
  assert.deepEqual(found, cases);
});
