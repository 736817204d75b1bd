import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fold } from '../../src/base/fold.ts';
import { nameDownload } from '../../src/portal/pages/download.ts';
import { showNameMatch, showNumberMatch } from '../../src/portal/parts/search/results.ts';
import { shortenLegalForm } from '../../src/portal/text/formatting.ts';
import { addressLines } from '../../src/registry/records/address-lines.ts';
import { toSearchQuery } from '../../src/search/parameters.ts';

test('a legal form is shortened to its abbreviation or its first words', () => {
  for (const [full, short] of [
    ['LTD - Private Company Limited by Shares', 'LTD'],
    ['PRIVATE COMPANY LIMITED BY SHARES', 'PRIVATE COMPANY LIMITED BY…'],
    ['ТОВАРИСТВО З ОБМЕЖЕНОЮ ВІДПОВІДАЛЬНІСТЮ', 'ТОВАРИСТВО З ОБМЕЖЕНОЮ…'],
    ['Private Limited Company', 'Private Limited Company'],
    ['x'.repeat(40), `${'x'.repeat(30)}…`],
    ['', ''],
  ] as const) {
    assert.equal(shortenLegalForm(full), short);
  }
});

test('a download is named after the search and the day, in ASCII and as it was written', () => {
  const now = Date.parse('2026-11-17T23:59:00Z');
  assert.equal(
    nameDownload(toSearchQuery({ q: 'Müller & Co', country: 'gb' }), now),
    `attachment; filename="companies-muller-co-gb-2026-11-17.csv"; filename*=UTF-8''companies-muller-co-gb-2026-11-17.csv`,
  );
  const cyrillic = nameDownload(toSearchQuery({ q: 'Зоря "1"\r\nX: y' }), now);
  assert.match(
    cyrillic,
    /^attachment; filename="companies--1-x-y-2026-11-17\.csv"; filename\*=UTF-8''companies-%D0%B7/,
  );
  assert.doesNotMatch(cyrillic, /[\r\n]/);
  assert.equal(nameDownload(toSearchQuery({}), now).split(';')[1]?.trim(), 'filename="companies-2026-11-17.csv"');
  assert.ok(nameDownload(toSearchQuery({ q: 'x'.repeat(4_000) }), now).length < 300);
});

test('an address is written as on an envelope: street, post code and town, country', () => {
  const cases: readonly [Record<string, string | string[]>, string[]][] = [
    [
      {
        text: 'Kerkstraat 167, 8970 Poperinge',
        street: 'Kerkstraat',
        postCode: '8970',
        city: 'Poperinge',
        countryCode: 'BE',
      },
      ['Kerkstraat 167', '8970 Poperinge', 'Belgium'],
    ],
    [
      { text: 'MD-3500, Orhei, str. Independenței, 77', postCode: 'MD-3500', city: 'Orhei', countryCode: 'MD' },
      ['str. Independenței, 77', 'MD-3500 Orhei', 'Moldova'],
    ],
    [
      { text: 'Vilnius, Vytauto g. 17, LT-86181', postCode: 'LT-86181', city: 'Vilnius', countryCode: 'LT' },
      ['Vytauto g. 17', 'Vilnius, LT-86181', 'Lithuania'],
    ],
    [
      {
        text: 'Jonavos r. sav., Rukla, Stirnų g. 7, LT-55289',
        postCode: 'LT-55289',
        city: 'Rukla',
        municipality: 'Jonavos r. sav.',
        countryCode: 'LT',
      },
      ['Stirnų g. 7', 'Jonavos r. sav., Rukla, LT-55289', 'Lithuania'],
    ],
    [
      {
        text: 'RUA DAS FLORES, 1471, CENTRO, SALVADOR - BA, 36139-086',
        district: 'CENTRO',
        postCode: '36139086',
        city: 'SALVADOR',
        region: 'BA',
        countryCode: 'BR',
      },
      ['RUA DAS FLORES, 1471', 'CENTRO, SALVADOR - BA, 36139-086', 'Brazil'],
    ],
    [
      {
        text: "VICTORIA BUILDINGS, 11 ST JOHN'S SQUARE, BIRMINGHAM, B3 2JB, UNITED KINGDOM",
        lines: ['VICTORIA BUILDINGS', "11 ST JOHN'S SQUARE"],
        city: 'BIRMINGHAM',
        postCode: 'B3 2JB',
        country: 'UNITED KINGDOM',
        countryCode: 'GB',
      },
      ['VICTORIA BUILDINGS', "11 ST JOHN'S SQUARE", 'BIRMINGHAM, B3 2JB', 'UNITED KINGDOM'],
    ],
    [
      {
        text: '87 Church View, Dublin, Ireland, D6W K573',
        lines: ['87 Church View', 'Dublin, Ireland'],
        postCode: 'D6W K573',
        countryCode: 'IE',
      },
      ['87 Church View', 'Dublin, Ireland', 'D6W K573'],
    ],
    [
      {
        text: 'Industriveien 25, 6003 ÅLESUND',
        lines: ['Industriveien 25'],
        postCode: '6003',
        country: 'Norge',
        countryCode: 'NO',
      },
      ['Industriveien 25', '6003 ÅLESUND', 'Norway'],
    ],
    [{ text: 'Husova 873, 32300 Plzeň', countryCode: 'CZ' }, ['Husova 873, 32300 Plzeň', 'Czechia']],
    [{ text: 'Only Street 1' }, ['Only Street 1']],
    [{}, []],
  ];
  for (const [address, lines] of cases) assert.deepEqual(addressLines(address), lines);
});

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
  for (const [name, q, shown] of NAMES) assert.equal(markIn(showNameMatch(name, [q]).text), shown, `${q} in ${name}`);
});

test('marks what the search found in a number, with and without separators', () => {
  for (const [number, q, shown] of NUMBERS)
    assert.equal(markIn(showNumberMatch(number, [q]).text), shown, `${q} in ${number}`);
});

test('the marked part of any name contains the search text when both are folded, and no text is lost', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 12 });
  fc.assert(
    fc.property(text, text, text, (before, q, after) => {
      const name = before + q + after;
      const parts = /<mark>(.*?)<\/mark>/s.exec(showNameMatch(name, [q]).text);
      if (parts !== null && !/[<>&"']/.test(name)) assert.ok(fold(`x${hideInvisible(parts[1])}x`).includes(fold(q)));
      const shown = showNameMatch(name, [q]).text.replace(/<\/?mark>/g, '');
      assert.equal(shown, showNameMatch(name, ['']).text);
    }),
  );
});

/** Pages show invisible characters by their numbers. */
function hideInvisible(shown = ''): string {
  const toCharacter = (_: string, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16));
  return shown.replace(/<span class="invisible">U\+([0-9A-F]+)<\/span>/g, toCharacter);
}
