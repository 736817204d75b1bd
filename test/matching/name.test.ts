import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readNames } from '../../src/matching/name.ts';
import { MAX_WORDS } from '../../src/matching/tokens.ts';

/** Written as words, then the classes of the legal forms. */
function describe(text: string, country?: string): string {
  return readNames(text, country)
    .map(({ key, forms }) => [key, ...forms.map(({ meanings }) => meanings[0]?.class ?? '')].join(' | '))
    .join(' || ');
}

const cases: readonly (readonly [text: string, read: string, country?: string])[] = [
  ['ALBION ELM HOLDINGS LTD', 'albion elm holdings | limited'],
  ['SiemensAG', 'siemens | stock'],
  ['Siemens Aktiengeselschaft', 'siemens | stock'],
  ['Foo GmbH & Co. KG', 'foo | limited partnership'],
  ['OOO "Лукойл"', 'lukoil | limited'],
  ['Акционерное общество Завод', 'zavod | stock'],
  ['ТОВ «Київ Хліб»', 'kyiv khlib | limited', 'UA'],
  ['Societatea cu Răspundere Limitată PRO TRAFFIC', 'pro traffic | limited'],
  ['FABERLIC EUROPE Sp. z o.o.', 'faberlic europe | limited'],
  ['SIA Latvijas Gāze', 'latvijas gaze | limited', 'LV'],
  ['AS Tallink', 'tallink | stock', 'EE'],
  ['Nordic Water AS', 'nordic water | limited', 'NO'],
  ['P.T. Astra International', 'astra international | limited', 'ID'],
  ['A.B.C. Company', 'abc | company'],
  ['A-B-C Company', 'abc | company'],
  ['AT&T Inc.', 'at t | corporation'],
  ['H & M Hennes and Mauritz AB', 'hm hennes mauritz | limited'],
  ['JOINT STOCK COMPAN Missiles', 'missiles | stock'],
  ['Fund II', 'fund 2'],
  ['Fund Second', 'fund 2'],
  ['2nd Fund', '2 fund'],
  ['KKR Asian Fund I L.P.', 'kkr asian fund 1 | limited partnership'],
  ['Brigade Forty-Four', 'brigade 44'],
  ['COOP', 'coop'],
  ['CORP', 'corp'],
  ['Limited', 'limited'],
  ['The Pudney Trust', 'pudney trust'],
  ['Foo Ltd t/a Bar', 'foo ltd bar || foo | limited || bar'],
  ['Foo Ltd c/o Bar Inc', 'foo | limited || bar'],
  ['PwC (PricewaterhouseCoopers)', 'pwc pricewaterhousecoopers || pwc || pricewaterhousecoopers'],
  ['Deutsche Bank (Schweiz) AG', 'deutsche bank schweiz | stock'],
  ['ΑΝΩΝΥΜΗ ΕΤΑΙΡΕΙΑ ΤΡΑΠΕΖΑ', 'trapeza | stock'],
];

for (const [text, read, country] of cases) {
  test(`reads ${text}`, () => assert.equal(describe(text, country), read));
}

test('a word that is a form in another country stays a word', () => {
  assert.equal(describe('SAS Institute', 'CA'), 'sas institute');
});

test('countries are recognized in several languages', () => {
  const codes = ['México', 'Schweiz', 'Norge', 'Hong Kong', 'Suomi'].map(
    (name) => readNames(`Foo ${name}`)[0]?.words.at(-1)?.place,
  );
  assert.deepEqual(codes, ['MX', 'CH', 'NO', 'HK', 'FI']);
});

test('of long names only the beginning is read', () => {
  for (const text of [
    'a'.repeat(10_000),
    'word '.repeat(200),
    'a '.repeat(5_000),
    '('.repeat(10_000),
    'a.'.repeat(5_000),
    'x/ '.repeat(3_000),
  ]) {
    for (const { words, joined } of readNames(text)) {
      assert.ok(words.length <= MAX_WORDS);
      assert.ok(joined.length <= 300);
    }
  }
});
