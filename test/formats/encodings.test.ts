import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findOtherEncoding } from '../../src/formats/encodings.ts';

const CZECH = /[áčďéěíňóřšťúůýž]/iu;
const LATVIAN = /[āčēģīķļņōŗšūž]/iu;
const PORTUGUESE = /[áàâãçéêíóôõúü]/iu;
const UKRAINIAN = /[а-яґєії]/iu;

/** The bytes of a text in a code page, which Node cannot write. */
function encode(text: string, encoding: string): Uint8Array {
  const decoder = new TextDecoder(encoding);
  const bytes = new Map(Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]));
  return Uint8Array.from(text, (character) => bytes.get(character) ?? assert.fail(`${encoding} has no ${character}`));
}

const utf8 = (text: string) => Buffer.from(text);
const twice = (text: string, encoding: string) => utf8(new TextDecoder(encoding).decode(utf8(text)));

const CZECH_NAMES = 'Lukáš Dvořák\nŽižkovská pivnice\nŤulda a synové\nUčiliště Přerov\n';
const LATVIAN_NAMES = 'SIA "Ķekavas ceļš"\nZemnieku saimniecība "Ābeļzieds"\nŠķēle un dēls\n';
const PORTUGUESE_NAMES = 'Empresário (Individual)\nFundação Pública\nÓrgão Público\nCâmara Irmãos Araújo\n';
const UKRAINIAN_NAMES = 'ТОВ "КИЇВ"\nРівненська їдальня\nПП ІВАНЕНКО\nРІЧНИЙ ПОРТ РІВНЕ\n';

test('another encoding than the one it is read in is named', () => {
  const cases: ReadonlyArray<[Uint8Array, string, RegExp, string]> = [
    [utf8(PORTUGUESE_NAMES), 'iso-8859-1', PORTUGUESE, 'in utf-8'],
    [encode(CZECH_NAMES, 'iso-8859-2'), 'windows-1250', CZECH, 'in iso-8859-2'],
    [encode(CZECH_NAMES, 'windows-1250'), 'utf-8', CZECH, 'in windows-1250'],
    [encode(LATVIAN_NAMES, 'windows-1257'), 'utf-8', LATVIAN, 'in windows-1257'],
    [encode(PORTUGUESE_NAMES, 'windows-1252'), 'utf-8', PORTUGUESE, 'in windows-1252'],
    [encode(UKRAINIAN_NAMES, 'windows-1251'), 'utf-8', UKRAINIAN, 'in windows-1251'],
    [twice(CZECH_NAMES, 'windows-1250'), 'utf-8', CZECH, 'in utf-8 twice, read as windows-1250 in between'],
    [twice(LATVIAN_NAMES, 'windows-1252'), 'utf-8', LATVIAN, 'in utf-8 twice, read as windows-1252 in between'],
    [utf8(utf8(LATVIAN_NAMES).toString('latin1')), 'utf-8', LATVIAN, 'in utf-8 twice, read as windows-1252 in between'],
    // windows-1257 lacks a byte of š, which is lost.
    [twice(LATVIAN_NAMES, 'windows-1257'), 'utf-8', LATVIAN, 'in utf-8 twice, read as windows-1257 in between'],
    [twice(UKRAINIAN_NAMES, 'windows-1251'), 'utf-8', UKRAINIAN, 'in utf-8 twice, read as windows-1251 in between'],
    [
      twice('Société Générale\n東京電力\nÖVAG\n', 'windows-1252'),
      'utf-8',
      /\p{L}/u,
      'in utf-8 twice, read as windows-1252 in between',
    ],
  ];
  for (const [sample, readAs, letters, expected] of cases)
    assert.equal(findOtherEncoding(sample, readAs, letters), expected);
});

test('a text in its own encoding is right, whatever names it has', () => {
  const names =
    'Bąk Łódź\nĐorđević\nKovács Őze\n»Müller« ©\nSámi Ŋ Ŧ\nÅse Þór\n東京\nÃO ÃES Â£ É°\nstray \u0083 \u0085\n';
  const cases: ReadonlyArray<[Uint8Array, string, RegExp | undefined]> = [
    [encode(PORTUGUESE_NAMES, 'windows-1252'), 'iso-8859-1', PORTUGUESE],
    [encode('SÃO JOÃO\nCORAÇÃO Nº 1º 2ª\n’ – “ ” ƒ \u0081 \u008d\n', 'windows-1252'), 'iso-8859-1', PORTUGUESE],
    [encode(`${CZECH_NAMES}Bąk ľudia »Müller« © ®\n`, 'windows-1250'), 'windows-1250', CZECH],
    ...[CZECH, LATVIAN, PORTUGUESE, UKRAINIAN, /\p{L}/u, undefined].map(
      (letters) => [utf8(names), 'utf-8', letters] as [Uint8Array, string, RegExp | undefined],
    ),
    [utf8(UKRAINIAN_NAMES), 'utf-8', UKRAINIAN],
    [encode(UKRAINIAN_NAMES, 'windows-1251'), 'windows-1251', UKRAINIAN],
    [Buffer.from(PORTUGUESE_NAMES, 'utf16le'), 'utf-16le', PORTUGUESE],
    [utf8('PLAIN LTD\n'), 'utf-8', CZECH],
    [new Uint8Array(), 'utf-8', CZECH],
  ];
  for (const [sample, readAs, letters] of cases) assert.equal(findOtherEncoding(sample, readAs, letters), null);
});

test('a few damaged characters, or names that were damaged before, do not make it another encoding', () => {
  const damaged = Buffer.concat([utf8(CZECH_NAMES), Buffer.from([0xff, 0x0a]), utf8(CZECH_NAMES)]);
  assert.equal(findOtherEncoding(damaged, 'utf-8', CZECH), null);
  assert.equal(findOtherEncoding(utf8(`${CZECH_NAMES}LukÃ¡Å¡\n`), 'utf-8', CZECH), null);
  assert.equal(findOtherEncoding(utf8('JOSÃ‰ LTDA\nANDRÃ‰ LTDA\n'), 'iso-8859-1', PORTUGUESE), null);
});

test('a Japanese text that is not in UTF-8 is in Shift-JIS', () => {
  const sample = Buffer.from('8a948eae89ef8ed020974c8cc089ef8ed02092b98ee68ca7', 'hex');
  assert.equal(new TextDecoder('shift_jis').decode(sample), '株式会社 有限会社 鳥取県');
  assert.equal(findOtherEncoding(sample, 'utf-8', /\p{sc=Han}/u), 'in shift_jis');
});

test('a sample may end in the middle of a character', () => {
  const sample = utf8(`${CZECH_NAMES}š`);
  assert.equal(findOtherEncoding(sample.subarray(0, -1), 'utf-8', CZECH), null);
});
