import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameUuid } from '../../../src/core/ids.ts';
import type { Json, MappedRecord, TreeSource } from '../../../src/registers/contract.ts';
import { findCheckDigits, isValidLei } from '../../../src/registers/gleif/lei.ts';
import { gleif } from '../../../src/registers/gleif/register.ts';
import { importTexts } from '../../harness/register-files.ts';

const RECORD = `<lei:LEIRecord xmlns:gleif="http://www.gleif.org/data/schema/golden-copy/extensions/1.0">
  <lei:LEI>001GPB6A9XPE8XJICC14</lei:LEI>
  <lei:Entity>
    <lei:LegalName xml:lang="en">Westbourne &amp; Vega LP</lei:LegalName>
    <lei:OtherEntityNames>
      <lei:OtherEntityName xml:lang="en" type="PREVIOUS_LEGAL_NAME">Westbourne LP</lei:OtherEntityName>
      <lei:OtherEntityName xml:lang="de" type="TRADING_OR_OPERATING_NAME">Wega</lei:OtherEntityName>
    </lei:OtherEntityNames>
    <lei:LegalAddress xml:lang="en"><lei:FirstAddressLine>C/O Vega</lei:FirstAddressLine>
      <lei:AdditionalAddressLine>2711 Road</lei:AdditionalAddressLine><lei:AdditionalAddressLine>Suite 400</lei:AdditionalAddressLine>
      <lei:City>Wilmington</lei:City><lei:Region>US-DE</lei:Region><lei:Country>US</lei:Country><lei:PostalCode>02210</lei:PostalCode></lei:LegalAddress>
    <lei:HeadquartersAddress xml:lang="fr"><lei:FirstAddressLine>22nd Floor</lei:FirstAddressLine><lei:City>London</lei:City><lei:Country>GB</lei:Country></lei:HeadquartersAddress>
    <lei:RegistrationAuthority><lei:RegistrationAuthorityID>RA000602</lei:RegistrationAuthorityID>
      <lei:RegistrationAuthorityEntityID>4386463</lei:RegistrationAuthorityEntityID></lei:RegistrationAuthority>
    <lei:LegalJurisdiction>US-DE</lei:LegalJurisdiction><lei:EntityCategory>FUND</lei:EntityCategory>
    <lei:LegalForm><lei:EntityLegalFormCode>T91T</lei:EntityLegalFormCode></lei:LegalForm>
    <lei:EntityStatus>INACTIVE</lei:EntityStatus>
    <lei:EntityCreationDate>2012-11-29T00:00:00.000Z</lei:EntityCreationDate>
    <lei:EntityExpirationDate>2020-02-29T00:00:00Z</lei:EntityExpirationDate>
  </lei:Entity>
  <lei:Registration>
    <lei:InitialRegistrationDate>2012-12-01T16:33:00.000Z</lei:InitialRegistrationDate>
    <lei:LastUpdateDate>2023-05-18T15:41:20.212Z</lei:LastUpdateDate>
    <lei:RegistrationStatus>RETIRED</lei:RegistrationStatus><lei:NextRenewalDate>2024-05-18T15:48:53Z</lei:NextRenewalDate>
    <lei:ManagingLOU>EVK05KS7XY1DEII3R011</lei:ManagingLOU><lei:ValidationSources>FULLY_CORROBORATED</lei:ValidationSources>
  </lei:Registration>
</lei:LEIRecord>`;
const wrap = (records: string) =>
  `<?xml version="1.0" encoding="UTF-8"?><lei:LEIData xmlns:lei="http://www.gleif.org/data/schema/leidata/2016">
  <lei:LEIHeader><lei:RecordCount>1</lei:RecordCount></lei:LEIHeader><lei:LEIRecords>${records}</lei:LEIRecords></lei:LEIData>`;
const ELF =
  '\ufeff"ELF Code","Country Code (ISO 3166-1)","Entity Legal Form name Local name","Language Code (ISO 639-1)"\n' +
  '"T91T","US","limited partnership","en"\n"T91T","US","sociedad limitada","es"\n"8888","","",""\n';

const EXPECTED = {
  countryCode: 'US',
  canonicalName: 'Westbourne & Vega LP',
  status: 'inactive',
  legalForm: 'limited partnership',
  registeredAt: '2012-11-29',
  activities: [],
  registrations: [
    {
      authority: 'GLEIF',
      type: 'lei',
      number: '001GPB6A9XPE8XJICC14',
      numberValid: true,
      status: 'RETIRED',
      registeredAt: '2012-12-01',
      endedAt: null,
    },
    {
      authority: 'RA000602',
      type: 'national',
      number: '4386463',
      status: null,
      registeredAt: '2012-11-29',
      endedAt: null,
    },
  ],
  registry: {
    legalForm: {
      code: 'T91T',
      label: 'limited partnership',
      labels: { en: 'limited partnership', es: 'sociedad limitada' },
      scheme: 'ISO 20275',
    },
    status: { label: 'INACTIVE' },
    foundedAt: '2012-11-29',
    endedAt: '2020-02-29',
    previousNames: [{ name: 'Westbourne LP', language: 'en' }],
    otherNames: [{ name: 'Wega', type: 'trading', language: 'de', sourceType: 'TRADING_OR_OPERATING_NAME' }],
    address: {
      text: 'C/O Vega, 2711 Road, Suite 400, Wilmington DE 02210, United States',
      lines: ['C/O Vega', '2711 Road', 'Suite 400'],
      city: 'Wilmington',
      region: 'US-DE',
      postCode: '02210',
      countryCode: 'US',
      language: 'en',
    },
    addresses: [
      {
        type: 'headquarters',
        text: '22nd Floor, London, United Kingdom',
        lines: ['22nd Floor'],
        city: 'London',
        countryCode: 'GB',
        language: 'fr',
      },
    ],
    nameLanguage: 'en',
    jurisdiction: 'US-DE',
    category: 'FUND',
    registrationAuthority: { id: 'RA000602' },
    lei: {
      status: 'RETIRED',
      issuedAt: '2012-12-01',
      updatedAt: '2023-05-18',
      nextRenewal: '2024-05-18',
      managingLou: 'EVK05KS7XY1DEII3R011',
      validation: 'FULLY_CORROBORATED',
    },
  },
};

test('an entity has the country of its jurisdiction, which is also part of its id', async () => {
  const { result, entities } = await importTexts(gleif, { 'lei.xml': wrap(RECORD), 'elf-codes.csv': ELF });
  assert.deepEqual([result.counts.added, result.unreadable, result.unknownColumns], [1, 0, []]);
  const { id, sourceData, ...record } = entities[0] ?? ({} as never);
  assert.deepEqual(record, EXPECTED);
  assert.equal(id, nameUuid('US/gleif/001GPB6A9XPE8XJICC14'));
  assert.equal(sourceData['lei:Entity']['lei:LegalName']['#text'], 'Westbourne & Vega LP');
});

test('XML without prefixes and CSV give the same record', async () => {
  const bare = wrap(RECORD).replaceAll('lei:', '').replace('xmlns:lei=', 'xmlns=');
  const fields: Record<string, string> = {
    LEI: '001GPB6A9XPE8XJICC14',
    'Entity.LegalName': 'Westbourne & Vega LP',
    'Entity.LegalName.xmllang': 'en',
    'Entity.OtherEntityNames.OtherEntityName.1': 'Westbourne LP',
    'Entity.OtherEntityNames.OtherEntityName.1.xmllang': 'en',
    'Entity.OtherEntityNames.OtherEntityName.1.type': 'PREVIOUS_LEGAL_NAME',
    'Entity.OtherEntityNames.OtherEntityName.2': 'Wega',
    'Entity.OtherEntityNames.OtherEntityName.2.xmllang': 'de',
    'Entity.OtherEntityNames.OtherEntityName.2.type': 'TRADING_OR_OPERATING_NAME',
    'Entity.LegalAddress.xmllang': 'en',
    'Entity.LegalAddress.FirstAddressLine': 'C/O Vega',
    'Entity.LegalAddress.AdditionalAddressLine.1': '2711 Road',
    'Entity.LegalAddress.AdditionalAddressLine.2': 'Suite 400',
    'Entity.LegalAddress.City': 'Wilmington',
    'Entity.LegalAddress.Region': 'US-DE',
    'Entity.LegalAddress.Country': 'US',
    'Entity.LegalAddress.PostalCode': '02210',
    'Entity.HeadquartersAddress.xmllang': 'fr',
    'Entity.HeadquartersAddress.FirstAddressLine': '22nd Floor',
    'Entity.HeadquartersAddress.City': 'London',
    'Entity.HeadquartersAddress.Country': 'GB',
    'Entity.RegistrationAuthority.RegistrationAuthorityID': 'RA000602',
    'Entity.RegistrationAuthority.RegistrationAuthorityEntityID': '4386463',
    'Entity.LegalJurisdiction': 'US-DE',
    'Entity.EntityCategory': 'FUND',
    'Entity.LegalForm.EntityLegalFormCode': 'T91T',
    'Entity.EntityStatus': 'INACTIVE',
    'Entity.EntityCreationDate': '2012-11-29T00:00:00.000Z',
    'Entity.EntityExpirationDate': '2020-02-29T00:00:00Z',
    'Registration.InitialRegistrationDate': '2012-12-01T16:33:00.000Z',
    'Registration.LastUpdateDate': '2023-05-18T15:41:20.212Z',
    'Registration.RegistrationStatus': 'RETIRED',
    'Registration.NextRenewalDate': '2024-05-18T15:48:53Z',
    'Registration.ManagingLOU': 'EVK05KS7XY1DEII3R011',
    'Registration.ValidationSources': 'FULLY_CORROBORATED',
    'Registration.Brand.New': 'x',
  };
  const csv = [Object.keys(fields), Object.values(fields)].map((cells) => `"${cells.join('","')}"\n`).join('');
  for (const [name, file, unknown] of [
    ['lei.xml', bare, []],
    ['lei.csv', csv, ['Registration.Brand.New']],
  ] as const) {
    const { result, entities } = await importTexts(gleif, { [name]: file, 'elf-codes.csv': ELF });
    const { id, sourceData, ...record } = entities[0] ?? ({} as never);
    assert.deepEqual([record, result.unknownColumns], [EXPECTED, unknown], name);
    assert.ok(id && sourceData);
  }
});

const source = gleif.sources[0] as TreeSource<unknown>;

function map(entity: { [key: string]: Json }) {
  const reports: string[][] = [];
  const codes = gleif.readCodes(new Map());
  const context = {
    codes,
    report: (...report: string[]) => void reports.push(report),
    reportUnknown: (...report: string[]) => void reports.push(report),
  };
  const base = { 'lei:LegalName': 'A', 'lei:LegalJurisdiction': 'GB', 'lei:EntityStatus': 'ACTIVE' };
  const record = { 'lei:LEI': '001GPB6A9XPE8XJICC14', 'lei:Entity': { ...base, ...entity }, 'lei:Registration': {} };
  return { record: source.map(record, context) as MappedRecord, reports };
}

test('the status is that of the company, not that of its LEI', () => {
  assert.equal(map({}).record.status, 'active');
  assert.equal(map({ 'lei:EntityStatus': 'NULL' }).record.status, 'unknown');
  assert.deepEqual(map({ 'lei:EntityStatus': 'GONE' }).reports, [['status', 'Entity.EntityStatus', 'GONE']]);
});

test('the legal form is the name of its code, without any other file', () => {
  const formOf = (code: string, other?: string) =>
    map({ 'lei:LegalForm': { 'lei:EntityLegalFormCode': code, ...(other && { 'lei:OtherLegalForm': other }) } });
  const scheme = 'ISO 20275';
  assert.deepEqual(formOf('2HBR').record.legalForm, {
    code: '2HBR',
    label: 'Gesellschaft mit beschränkter Haftung',
    scheme,
  });
  assert.deepEqual(formOf('8888', 'FUND').record.legalForm, { code: '8888', label: 'FUND', scheme });
  assert.deepEqual(formOf('9999', 'TRUST').record.legalForm, { code: '9999', label: 'TRUST', scheme });
  assert.equal(formOf('9999').record.legalForm, null);
  assert.deepEqual(formOf('2HBR', 'GmbH').record.registry.otherLegalForm, 'GmbH');
  const unknown = formOf('ZZZZ');
  assert.deepEqual(unknown.record.legalForm, { code: 'ZZZZ', scheme });
  assert.deepEqual(unknown.reports, [['legalForm', 'Entity.LegalForm.EntityLegalFormCode', 'ZZZZ']]);
  assert.deepEqual(formOf('2HBR').reports, []);
});

test('the country comes from the legal address if there is no jurisdiction; a record without both is rejected', () => {
  const address = { 'lei:LegalAddress': { 'lei:Country': 'KY' } };
  assert.equal(map({ 'lei:LegalJurisdiction': '', ...address }).record.country, 'KY');
  const odd = map({ 'lei:LegalJurisdiction': 'Cayman', ...address });
  assert.deepEqual([odd.record.country, odd.reports.length], ['KY', 1]);
  assert.deepEqual(map({ 'lei:LegalJurisdiction': '' }).record, { rejected: 'no country' });
  assert.deepEqual(map({ 'lei:LegalName': ' ' }).record, { rejected: 'no name' });
});

test('the national number is listed with its authority and linked to the register here', () => {
  const authority = (id: string, more: { [key: string]: Json } = {}) =>
    map({ 'lei:RegistrationAuthority': { 'lei:RegistrationAuthorityID': id, ...more } }).record;
  const linked = authority('RA000585', { 'lei:RegistrationAuthorityEntityID': '01234568' });
  assert.deepEqual(linked.registry.registrationAuthority, { id: 'RA000585', register: 'gb' });
  assert.equal(authority('RA999999').registrations.length, 1);
  const other = { 'lei:OtherRegistrationAuthorityID': 'Somewhere', 'lei:RegistrationAuthorityEntityID': '1' };
  assert.equal(authority('RA888888', other).registrations[1]?.authority, 'Somewhere');
});

test('check digits of an LEI', () => {
  for (const lei of ['001GPB6A9XPE8XJICC14', '004L5FPTUREIWK9T2N63', 'EVK05KS7XY1DEII3R011'])
    assert.ok(isValidLei(lei), lei);
  for (const lei of [
    '001GPB6A9XPE8XJICC15',
    '001GPB6A9XPE8XJICC1',
    '001GPB6A9XPE8XJICC140',
    '001gpb6a9xpe8xjicc14',
    '',
  ])
    assert.ok(!isValidLei(lei), lei);
  // Their remainder is right, but they have 19 and 22 characters.
  for (const lei of ['01GPB6A9XPE8XJICC14', '001GPB6A9XPE8XJICC1495']) assert.ok(!isValidLei(lei), lei);
  // Check digits below 10 are padded; the largest are 98.
  assert.deepEqual([findCheckDigits('SZMRRRHB93LMO4KB97'), findCheckDigits('LC88782HHM0904TRPJ')], ['07', '98']);
  assert.ok(isValidLei('SZMRRRHB93LMO4KB9707') && isValidLei('LC88782HHM0904TRPJ98'));
});
