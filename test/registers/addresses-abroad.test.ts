import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ca } from '../../src/registers/ca/register.ts';
import type { MappedRecord, TableSource, TreeSource } from '../../src/registers/contract.ts';
import { ee } from '../../src/registers/ee/register.ts';
import { fi } from '../../src/registers/fi/register.ts';
import { gb } from '../../src/registers/gb/register.ts';
import { mapRow } from '../harness/mapping.ts';

const context = { codes: null, report: assert.fail, reportUnknown: assert.fail };

function mapTree(source: unknown, record: Parameters<TreeSource<unknown>['map']>[0]) {
  return ((source as TreeSource<unknown>).map(record, context) as MappedRecord).registry.address;
}

/** An address whose country, or county, is the given text. */
const READERS = {
  gb: (country: string, county = '') =>
    mapRow(gb.sources[0] as TableSource<unknown>, {
      CompanyName: 'HARBOUR KITES LIMITED',
      CompanyStatus: 'Active',
      'RegAddress.AddressLine1': '1 QUAY STREET',
      'RegAddress.County': county,
      'RegAddress.Country': country,
    }).record.registry.address,
  ca: (country: string) =>
    mapRow(ca.sources[0] as TableSource<unknown>, {
      'Corporate name - form 1': 'Harbour Kites Inc.',
      Status: 'Active',
      Street: '1 Quay Street',
      Country: country,
    }).record.registry.address,
  fi: (country: string) =>
    mapTree(fi.sources[0], {
      businessId: { value: '0112038-9' },
      names: [{ name: 'Leija Oy', type: '1' }],
      tradeRegisterStatus: '1',
      status: '2',
      addresses: [{ type: 1, street: 'Kajgatan', buildingNumber: '1', country }],
    }),
  ee: (country: string) =>
    mapTree(ee.sources[1], {
      ariregistri_kood: 10000001,
      nimi: 'Lohe OÜ',
      yldandmed: { staatus: 'R', aadressid: [{ tanav_maja_korter: 'Kai 1', riik: 'XXX', riik_tekstina: country }] },
    }),
} as const;

const CASES: readonly [id: keyof typeof READERS, country: string, code: string | undefined][] = [
  ['gb', 'GUERNSEY', 'GG'],
  ['gb', 'JERSEY', 'JE'],
  ['gb', 'ISLE OF MAN', 'IM'],
  ['gb', 'United States', 'US'],
  ['gb', 'VIRGIN ISLANDS, BRITISH', 'VG'],
  ['gb', 'Scotland', 'GB'],
  ['gb', 'NETHERLANDS', 'NL'],
  ['gb', 'NOT SPECIFIED', undefined],
  ['gb', '', undefined],
  ['ca', 'US', 'US'],
  ['ca', 'United Kingdom', 'GB'],
  ['ca', 'Allemagne', 'DE'],
  ['ca', 'Elsewhere', undefined],
  ['fi', 'SE', 'SE'],
  ['fi', 'Ruotsi', 'SE'],
  ['fi', 'Norge', 'NO'],
  ['fi', 'Muualla', undefined],
  ['ee', 'Soome', 'FI'],
  ['ee', 'Ühendkuningriik', 'GB'],
  ['ee', 'Mujal', undefined],
];

for (const [id, country, code] of CASES) {
  test(`${id}: an address in "${country}" has the country code ${code}`, () => {
    assert.equal(READERS[id](country)?.countryCode, code);
  });
}

test('gb: the Channel Islands and the Isle of Man may be the county', () => {
  const read = (county: string, country = '') => READERS.gb(country, county)?.countryCode;
  assert.equal(read('GUERNSEY'), 'GG');
  assert.equal(read('Jersey', 'CHANNEL ISLANDS'), 'JE');
  assert.equal(read('ISLE OF MAN'), 'IM');
  assert.equal(read('KENT'), undefined);
  assert.equal(read('JERSEY', 'ENGLAND'), 'GB');
});
