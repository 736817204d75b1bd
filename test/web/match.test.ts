import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fold } from '../../src/core/fold.ts';
import { showNameMatch, showNumberMatch } from '../../src/web/text/match.ts';

const NAMES: readonly [name: string, q: string, shown: string][] = [
  ['ALPHA LIMITED', 'lim', 'ALPHA [LIM]ITED'],
  ['MÜLLER & CO', 'muller &', '[MÜLLER &amp;] CO'],
  ['MU\u0308LLER', 'mu', '[MU\u0308]LLER'],
  ['Straße', 'STRASSE', '[Straße]'],
  ['Straße', 'as', 'Str[aß]e'],
  ['A  B\tC', 'a b c', '[A  B<span class="invisible">U+0009</span>C]'],
  ['SODA SODA', 'soda', '[SODA] [SODA]'],
  ['ROOM ⑾1', '1', 'ROOM [⑾][1]'],
  ['«Зоря»', '"зоря"', '[«Зоря»]'],
  ['<b>', 'B', '&lt;[b]&gt;'],
  ['ALPHA', 'beta', 'ALPHA'],
  ['ALPHA', '', 'ALPHA'],
];

const NUMBERS: readonly [number: string, q: string, shown: string][] = [
  ['0760.701.219', '60701', '07[60.701].219'],
  ['0760.701.219', '0760-701-219', '[0760.701.219]'],
  ['923609016', 'NO 923 609 016 MVA', '[923609016]'],
  ['40003032949', 'LV40003032949', '[40003032949]'],
  ['SC123', 'sc1', '[SC1]23'],
  ['24712', '24/7', '24712'],
];

const markIn = (shown: string) =>
  shown
    .replace(/<\/?bdi>/g, '')
    .replace(/<mark>/g, '[')
    .replace(/<\/mark>/g, ']');

test('marks what the search found in a name, as the search compares them', () => {
  for (const [name, q, shown] of NAMES) assert.equal(markIn(showNameMatch(name, q).text), shown, `${q} in ${name}`);
});

test('marks what the search found in a number, with and without separators', () => {
  for (const [number, q, shown] of NUMBERS)
    assert.equal(markIn(showNumberMatch(number, q).text), shown, `${q} in ${number}`);
});

test('the marked part of any name contains the search text when both are folded, and no text is lost', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 12 });
  fc.assert(
    fc.property(text, text, text, (before, q, after) => {
      const name = before + q + after;
      const parts = /<mark>(.*?)<\/mark>/s.exec(showNameMatch(name, q).text);
      if (parts !== null && !/[<>&"']/.test(name)) assert.ok(fold(`x${hideInvisible(parts[1])}x`).includes(fold(q)));
      const shown = showNameMatch(name, q).text.replace(/<\/?mark>/g, '');
      assert.equal(shown, showNameMatch(name, '').text);
    }),
  );
});

/** Pages show invisible characters by their numbers. */
function hideInvisible(shown = ''): string {
  const toCharacter = (_: string, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16));
  return shown.replace(/<span class="invisible">U\+([0-9A-F]+)<\/span>/g, toCharacter);
}
