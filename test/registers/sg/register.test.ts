import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TableSource } from '../../../src/registers/contract.ts';
import { sg } from '../../../src/registers/sg/register.ts';
import type { RegistryOf } from '../../../src/registers/vocabulary.ts';
import { generateFile } from '../../../synthetic/generators.ts';
import { listSyntheticRows, mapRow } from '../../harness/mapping.ts';
import { importTexts } from '../../harness/register-files.ts';

const [letters, simple] = sg.sources as [TableSource<unknown>, TableSource<unknown>];

/** The columns according to two independent public importers. */
const HEADER =
  'uen,issuance_agency_id,entity_name,entity_type_description,business_constitution_description,company_type_description,paf_constitution_description,entity_status_description,registration_incorporation_date,uen_issue_date,address_type,block,street_name,level_no,unit_no,building_name,postal_code,other_address_line1,other_address_line2,account_due_date,annual_return_date,primary_ssic_code,primary_ssic_description,primary_user_described_activity,secondary_ssic_code,secondary_ssic_description,secondary_user_described_activity,no_of_officers,former_entity_name1,former_entity_name2,former_entity_name3,former_entity_name4,former_entity_name5,former_entity_name6,former_entity_name7,former_entity_name8,former_entity_name9,former_entity_name10,former_entity_name11,former_entity_name12,former_entity_name13,former_entity_name14,former_entity_name15,uen_of_audit_firm1,name_of_audit_firm1,uen_of_audit_firm2,name_of_audit_firm2,uen_of_audit_firm3,name_of_audit_firm3,uen_of_audit_firm4,name_of_audit_firm4,uen_of_audit_firm5,name_of_audit_firm5';
const SIMPLE_HEADER =
  'uen,issuance_agency_desc,uen_status_desc,entity_name,entity_type_desc,uen_issue_date,reg_street_name,reg_postal_code';
const COLUMNS = HEADER.split(',');

const ROW: Record<string, string> = {
  ...Object.fromEntries(COLUMNS.map((column) => [column, 'na'])),
  uen: '201912345R',
  issuance_agency_id: 'ACRA',
  entity_name: 'ANGSANA "KOPI" TRADING (S) PTE. LTD.',
  entity_type_description: 'Local Company',
  company_type_description: 'PRIVATE COMPANY LIMITED BY SHARES',
  entity_status_description: 'Live',
  registration_incorporation_date: '2019-02-28',
  uen_issue_date: '2019-03-01',
  address_type: 'LOCAL',
  block: '10',
  street_name: 'ANSON ROAD',
  level_no: '05',
  unit_no: '17',
  building_name: 'INTERNATIONAL PLAZA',
  postal_code: '079903',
  annual_return_date: '2025-06-30',
  primary_ssic_code: '46900',
  primary_ssic_description: 'WHOLESALE TRADE OF A VARIETY OF GOODS',
  primary_user_described_activity: 'COFFEE, TEA',
  secondary_ssic_code: '56111',
  secondary_ssic_description: 'RESTAURANTS',
  no_of_officers: '3',
  former_entity_name1: 'OLD KOPI PTE. LTD.',
  uen_of_audit_firm2: 'T08PF0001A',
  name_of_audit_firm2: 'LOTUS AUDIT PAC',
};
const map = (changes: Record<string, string> = {}) => mapRow(letters, { ...ROW, ...changes });

test('an entity of the letter files is mapped completely; values that are "na" are left out', () => {
  const { record, reports } = map();
  assert.deepEqual(reports, []);
  assert.deepEqual(record, {
    number: '201912345R',
    canonicalName: 'ANGSANA "KOPI" TRADING (S) PTE. LTD.',
    status: 'active',
    legalForm: { label: 'PRIVATE COMPANY LIMITED BY SHARES' },
    registeredAt: '2019-02-28',
    registrations: [
      {
        authority: 'Accounting and Corporate Regulatory Authority',
        type: 'national',
        status: 'Live',
        registeredAt: '2019-02-28',
        endedAt: null,
        number: '201912345R',
        numberValid: true,
      },
    ],
    activities: [
      {
        type: 'unlicensed',
        code: '46900',
        label: 'WHOLESALE TRADE OF A VARIETY OF GOODS',
        scheme: 'SSIC',
        main: true,
      },
      { type: 'unlicensed', code: '56111', label: 'RESTAURANTS', scheme: 'SSIC', main: false },
    ],
    registry: {
      status: { label: 'Live' },
      uenFormat: 'local company',
      uenIssuedAt: '2019-03-01',
      entityType: 'Local Company',
      agency: 'ACRA',
      addressType: 'LOCAL',
      address: {
        text: '10 ANSON ROAD #05-17, INTERNATIONAL PLAZA, Singapore 079903',
        building: 'INTERNATIONAL PLAZA',
        street: 'ANSON ROAD',
        number: '10',
        unit: '#05-17',
        postCode: '079903',
        city: 'Singapore',
        countryCode: 'SG',
        level: '05',
        unitNumber: '17',
      },
      annualReturn: '2025-06-30',
      describedActivities: ['COFFEE, TEA'],
      officerCount: 3,
      previousNames: [{ name: 'OLD KOPI PTE. LTD.' }],
      parties: [{ role: 'auditor', kind: 'organisation', name: 'LOTUS AUDIT PAC', number: 'T08PF0001A' }],
    },
  });
});

/** Every text of the files of 2026. */
const STATUS_TEXTS: Readonly<Record<string, readonly string[]>> = {
  active: [
    'Live',
    'Live Company',
    'Registered',
    'Gazetted To Be Struck Off',
    'Cancellation In Progress',
    'To Be Ceased',
  ],
  inactive: ['Suspended'],
  insolvent: ['Live (Receiver or Receiver and Manager appointed)', 'Under Judicial Management'],
  in_liquidation: [
    'In Liquidation - Members voluntary winding up',
    'In Liquidation - Creditors voluntary winding up',
    'In Liquidation - Compulsory Winding Up (Insolvency)',
    'In Liquidation - Simplified Winding Up',
  ],
  dissolved: [
    'Terminated',
    'Cancelled',
    'Cancelled (Non-Renewal)',
    'Ceased Registration',
    'Ceased Registration (Transferred to Singapore)',
    'Converted To LLP',
    'Amalgamated',
    'Registration expired and has not been renewed',
    'Removed (Applied To Be Revoked)',
    'Removed (Dissolved)',
    'Revoked (Failed To Transfer Registration)',
    'Dissolved',
    'Dissolved - Members Voluntary Winding Up',
    'Dissolved - Creditors Voluntary Winding Up',
    'Dissolved - Compulsory Winding Up (Insolvency)',
    'Dissolved - Pursuant to Section 212(1)(D) Of The Companies Act',
    'Struck Off',
    'Struck Off (Early Dissolution)',
    'Struck Off (Early Dissolution - simplified winding up)',
    'Deregistered',
  ],
};

test('every status text of the register is known; how a text begins counts, not the words in it', () => {
  for (const [status, texts] of Object.entries(STATUS_TEXTS)) {
    for (const text of texts) {
      const { record, reports } = map({ entity_status_description: text });
      assert.deepEqual([record.status, record.registry.status, reports], [status, { label: text }, []], text);
    }
  }
});

test('an unknown status text is kept and reported; a missing one is not', () => {
  for (const text of ['Live (Hibernating)', 'About To Be Dissolved', 'Removed (Restored)']) {
    const { record, reports } = map({ entity_status_description: text });
    assert.deepEqual(
      [record.status, record.registrations[0]?.status, reports],
      ['unknown', text, [['status', 'entity_status_description', text]]],
    );
  }
  const { record, reports } = map({ entity_status_description: 'na' });
  assert.deepEqual([record.status, record.registry.status, reports], ['unknown', undefined, []]);
});

test('post codes have six digits again; codes of four digits stay as they are', () => {
  const addressOf = (changes: Record<string, string>) => (map(changes).record.registry as RegistryOf).address;
  assert.equal(addressOf({ postal_code: '79903' })?.postCode, '079903');
  assert.equal(addressOf({ postal_code: '0106' })?.postCode, '0106');
  assert.match(addressOf({ postal_code: '79903' })?.text ?? '', /, Singapore 079903$/);
});

test('an address may be in another country, without a unit, or missing', () => {
  const empty = Object.fromEntries(COLUMNS.slice(10, 19).map((column) => [column, 'na']));
  const addressOf = (changes: Record<string, string>) =>
    (map({ ...empty, ...changes }).record.registry as RegistryOf).address;
  assert.equal(addressOf({ address_type: 'LOCAL' }), undefined);
  assert.deepEqual(
    addressOf({ address_type: 'FOREIGN', other_address_line1: '1 JALAN LAMA', other_address_line2: 'JOHOR BAHRU' }),
    { text: '1 JALAN LAMA, JOHOR BAHRU', lines: ['1 JALAN LAMA', 'JOHOR BAHRU'] },
  );
  assert.equal(
    addressOf({ address_type: 'LOCAL', block: '2', street_name: 'SHENTON WAY', level_no: '3' })?.text,
    '2 SHENTON WAY Level 3, Singapore',
  );
});

test('a secondary activity that repeats the primary one is left out', () => {
  const { activities } = map({
    secondary_ssic_code: '46900',
    secondary_ssic_description: 'WHOLESALE TRADE OF A VARIETY OF GOODS',
  }).record;
  assert.deepEqual(
    activities.map(({ code, main }) => [code, main]),
    [['46900', true]],
  );
});

test('SSIC codes have five digits again; a search also finds them as written', () => {
  const [activity] = map({ primary_ssic_code: '1111' }).record.activities;
  assert.deepEqual([activity?.code, activity?.written], ['01111', '1111']);
  const [complete] = map({ primary_ssic_code: '01111' }).record.activities;
  assert.deepEqual([complete?.code, complete?.written], ['01111', undefined]);
});

test('"na" is a missing value, even with spaces around it; a company may be named NA', () => {
  assert.deepEqual(
    [' na ', 'NA', 'na\t'].map((text) => map({ annual_return_date: text, no_of_officers: text }).reports),
    [[], [], []],
  );
  const nameOf = (entity_name: string) => map({ entity_name }).record.canonicalName;
  assert.deepEqual(['NA', 'HP', 'NA PTE. LTD.'].map(nameOf), ['NA', 'HP', 'NA PTE. LTD.']);
  for (const entity_name of ['na', ' na ', ' '])
    assert.deepEqual(map({ entity_name }).result, { rejected: 'no name' }, entity_name);
  assert.equal(map({ uen: 'na' }).record.number, null);
});

test('the format and the check letter of the UEN are recognized; invalid dates and counts are reported', () => {
  const read = (uen: string) => {
    const { registry, registrations } = map({ uen }).record;
    return [registry.uenFormat, registrations[0]?.numberValid];
  };
  assert.deepEqual(read('00192200M'), ['business', true]);
  assert.deepEqual(read('00192200N'), ['business', false]);
  assert.deepEqual(read('196800306E'), ['local company', true]);
  assert.deepEqual(read('196800306F'), ['local company', false]);
  assert.deepEqual(read('S99FC5710J'), ['other entity', true]);
  assert.deepEqual(read('T99FC5710J'), ['other entity', false]);
  assert.deepEqual(read('X'), [undefined, false]);
  assert.deepEqual(map({ no_of_officers: 'x', uen_issue_date: '2019-02-30' }).reports, [
    ['uen_issue_date', '2019-02-30', 'not a date'],
    ['no_of_officers', 'x', 'not a whole number'],
  ]);
});

test('an entity of the simpler datasets may belong to another agency', () => {
  const { record } = mapRow(simple, {
    uen: 'T08GA0001A',
    issuance_agency_desc: 'Ministry of Finance',
    uen_status_desc: 'Registered',
    entity_name: 'BOARD OF LOTUS',
    entity_type_desc: 'Organs of State',
    uen_issue_date: '2008-11-30',
    reg_street_name: 'na',
    reg_postal_code: '079903',
  });
  assert.deepEqual(
    [record.status, record.legalForm, record.registeredAt, record.registrations[0]?.authority, record.registry.address],
    [
      'active',
      { label: 'Organs of State' },
      '2008-11-30',
      'Ministry of Finance',
      { text: 'Singapore 079903', postCode: '079903', city: 'Singapore', countryCode: 'SG' },
    ],
  );
});

test('several letter files are one import; columns of the older edition are found by name', async () => {
  const line = (row: Record<string, string>, header: readonly string[]) =>
    header.map((column) => `"${(row[column] ?? '').replaceAll('"', '""')}"`).join(',');
  const old = ['no_of_charges', 'paid_up_capital1_currency', 'paid_up_capital1_ordinary', 'shoe_size', ...COLUMNS];
  const { result, entities } = await importTexts(sg, {
    'A.csv': `${HEADER}\n${line(ROW, COLUMNS)}\n`,
    'B.csv': `${old.join(',')}\n${line({ ...ROW, uen: '200812345K', no_of_charges: '2', paid_up_capital1_currency: 'SGD', paid_up_capital1_ordinary: '100000' }, old)}\n`,
    'uen.csv': `${SIMPLE_HEADER}\n`,
  });
  assert.deepEqual([result.counts.added, result.unknownColumns], [2, ['shoe_size']]);
  assert.deepEqual(
    [entities[1]?.registry.chargeCount, entities[1]?.registry.capital],
    [2, { amount: 100000, currency: 'SGD', ordinary: 100000 }],
  );
  assert.equal(entities[0]?.sourceData.business_constitution_description, 'na');
});

test('the generated file has the real header', () => {
  const [first = {}] = listSyntheticRows(generateFile(sg, 1, 5));
  assert.equal(Object.keys(first).join(','), HEADER);
});
