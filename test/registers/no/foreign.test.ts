import assert from 'node:assert/strict';
import { test } from 'node:test';
import { no } from '../../../src/registers/no/register.ts';
import type { RegistryOf } from '../../../src/registers/vocabulary.ts';
import { importTexts } from '../../harness/register-files.ts';
import { mapRow, ROW } from './fixture.ts';

test('NO: post code and city of an address abroad are separated as the country writes them', () => {
  const split = (countryCode: string, written: string) => {
    const { address } = mapRow({
      ...ROW,
      'forretningsadresse.adresse': 'Myrveien 1',
      'forretningsadresse.poststed': written,
      'forretningsadresse.postnummer': '',
      'forretningsadresse.land': 'Utlandet',
      'forretningsadresse.landkode': countryCode,
    }).registry as RegistryOf;
    assert.equal(address?.text, `Myrveien 1, ${written}, Utlandet`, 'the text is as the register writes it');
    return [address?.postCode, address?.city, address?.region];
  };
  const cases: readonly (readonly [string, string, ...(string | undefined)[]])[] = [
    ['NL', '1976 BV IJMUIDEN', '1976 BV', 'IJMUIDEN', undefined],
    ['GB', 'AB21 OGN Dyce, Aberdeen', 'AB21 OGN', 'Dyce, Aberdeen', undefined],
    ['GB', 'CHESHIRE CH2 3QF', 'CH2 3QF', 'CHESHIRE', undefined],
    ['GB', 'GLASGOW G3 6EF SCOTLAND', 'G3 6EF', 'GLASGOW', 'SCOTLAND'],
    ['SE', 'SE-113 43 STOCKHOLM', '113 43', 'STOCKHOLM', undefined],
    ['SE', 'S 26936 Båstad', '26936', 'Båstad', undefined],
    ['SE', 'SE 79 177 FALUN', '79 177', 'FALUN', undefined],
    ['EE', 'EE75304 HARJU COUNTY', '75304', 'HARJU COUNTY', undefined],
    ['PL', 'PL-81-212 GDYNIA', '81-212', 'GDYNIA', undefined],
    ['PL', 'PL-66530 DREZDENKO', '66530', 'DREZDENKO', undefined],
    ['PL', '70-424 SZCZECIN', '70-424', 'SZCZECIN', undefined],
    ['DK', 'DK-2100 KØBENHAVN Ø', '2100', 'KØBENHAVN Ø', undefined],
    ['DK', 'DK-9530', '9530', undefined, undefined],
    // The post codes of these countries include the code of the country.
    ['LT', 'LT-91207 KLAIPÉDA', 'LT-91207', 'KLAIPÉDA', undefined],
    ['IT', "IT-MONTERONI D'ARBIA (SI) CAP 53017", '53017', "MONTERONI D'ARBIA", 'SI'],
    ['IT', '53017 RADDA (SI)', '53017', 'RADDA', 'SI'],
    ['US', 'US-PHILADELPHIA PA 19106', '19106', 'PHILADELPHIA', 'PA'],
    ['US', 'Wilmington, DE 19801-1234', '19801-1234', 'Wilmington', 'DE'],
    ['MT', 'BIRKIRKARA CBD 2010', 'CBD 2010', 'BIRKIRKARA', undefined],
    ['US', 'Campbell, CA 95008', '95008', 'Campbell', 'CA'],
    ['US', '77092 HOUSTON TEXAS', '77092', 'HOUSTON TEXAS', undefined],
    // Another country and forms that are not clear stay as they are.
    ['SE', 'DK-2100 KØBENHAVN', undefined, 'DK-2100 KØBENHAVN', undefined],
    ['US', 'US-PHILADELPHIA', undefined, 'PHILADELPHIA', undefined],
    ['KE', 'KE-NAIROBI', undefined, 'NAIROBI', undefined],
    ['IT', 'ITALA 1', undefined, 'ITALA 1', undefined],
    ['SE', 'NORRKÖPING', undefined, 'NORRKÖPING', undefined],
    ['NL', '1976 IJMUIDEN', undefined, '1976 IJMUIDEN', undefined],
    ['KE', '00100 NAIROBI', undefined, '00100 NAIROBI', undefined],
  ];
  assert.deepEqual(
    cases.map(([country, written]) => [country, written, ...split(country, written)]),
    cases,
  );
});

test('NO: a deleted entity of the API is dissolved since the day on which it was deleted', async () => {
  const deleted = {
    organisasjonsnummer: '810000007',
    navn: 'STILLE VANN AS',
    organisasjonsform: { kode: 'AS', beskrivelse: 'Aksjeselskap' },
    slettedato: '2021-03-04',
    respons_klasse: 'SlettetEnhet',
    _links: {},
  };
  const { result, entities } = await importTexts(no, { 'enhet.json': JSON.stringify(deleted) });
  assert.deepEqual([result.unreadable, result.unknownColumns], [0, []]);
  const [{ status, registry, registrations, legalForm } = {} as never] = entities;
  assert.deepEqual(
    [status, legalForm, registry.endedAt, registry.status, registrations[0].endedAt],
    [
      'dissolved',
      'Aksjeselskap',
      '2021-03-04',
      { code: 'slettet', label: 'Slettet', since: '2021-03-04' },
      '2021-03-04',
    ],
  );
});
