import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressLines } from '../../src/web/text/address-lines.ts';

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
