import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listSyntheticRows, mapRow } from '../../../test/harness/mapping.ts';
import { importTexts } from '../../../test/harness/register-files.ts';
import type { TableSource } from '../contract.ts';
import { sg } from './register.ts';

const [letters, simple] = sg.sources as [TableSource<unknown>, TableSource<unknown>];

/** The columns according to two independent public importers. */
const HEADER =
  'uen,issuance_agency_id,entity_name,entity_type_description,business_constitution_description,company_type_description,paf_constitution_description,entity_status_description,registration_incorporation_date,uen_issue_date,address_type,block,street_name,level_no,unit_no,building_name,postal_code,other_address_line1,other_address_line2,account_due_date,annual_return_date,primary_ssic_code,primary_ssic_description,primary_user_described_activity,secondary_ssic_code,secondary_ssic_description,secondary_user_described_activity,no_of_officers,former_entity_name1,former_entity_name2,former_entity_name3,former_entity_name4,former_entity_name5,former_entity_name6,former_entity_name7,former_entity_name8,former_entity_name9,former_entity_name10,former_entity_name11,former_entity_name12,former_entity_name13,former_entity_name14,former_entity_name15,uen_of_audit_firm1,name_of_audit_firm1,uen_of_audit_firm2,name_of_audit_firm2,uen_of_audit_firm3,name_of_audit_firm3,uen_of_audit_firm4,name_of_audit_firm4,uen_of_audit_firm5,name_of_audit_firm5';
const SIMPLE_HEADER =
  'uen,issuance_agency_desc,uen_status_desc,entity_name,entity_type_desc,uen_issue_date,reg_street_name,reg_postal_code';
const COLUMNS = HEADER.split(',');

const ROW: Record<string, string> = {
  ...Object.fromEntries(COLUMNS.map((column) => [column, 'na'])),
  uen: '201912345K',
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
    number: '201912345K',
    canonicalName: 'ANGSANA "KOPI" TRADING (S) PTE. LTD.',
    status: 'active',
    legalForm: 'PRIVATE COMPANY LIMITED BY SHARES',
    registeredAt: '2019-02-28',
    registrations: [
      {
        authority: 'Accounting and Corporate Regulatory Authority',
        type: 'national',
        status: 'Live',
        registeredAt: '2019-02-28',
        endedAt: null,
        number: '201912345K',
      },
    ],
    activities: [
      { type: 'unlicensed', code: '46900', label: 'WHOLESALE TRADE OF A VARIETY OF GOODS' },
      { type: 'unlicensed', code: '56111', label: 'RESTAURANTS' },
    ],
    registry: {
      uenFormat: 'local company',
      uenIssuedAt: '2019-03-01',
      entityType: 'Local Company',
      agency: 'ACRA',
      companyType: 'PRIVATE COMPANY LIMITED BY SHARES',
      address: {
        type: 'LOCAL',
        block: '10',
        street: 'ANSON ROAD',
        level: '05',
        unit: '17',
        building: 'INTERNATIONAL PLAZA',
        postCode: '079903',
      },
      annualReturn: '2025-06-30',
      describedActivities: ['COFFEE, TEA'],
      officers: 3,
      previousNames: ['OLD KOPI PTE. LTD.'],
      auditFirms: [{ uen: 'T08PF0001A', name: 'LOTUS AUDIT PAC' }],
    },
  });
});

test('statuses are recognized by their words; an unknown text is kept and not reported', () => {
  const statusOf = (text: string) => map({ entity_status_description: text }).record.status;
  assert.equal(statusOf('Live Company'), 'active');
  for (const text of ['Terminated', 'Cancelled', 'Ceased Registration', 'Struck Off', 'Dissolved - Members'])
    assert.equal(statusOf(text), 'dissolved', text);
  assert.equal(statusOf('In Liquidation - Compulsory Winding Up (Insolvency)'), 'in_liquidation');
  assert.equal(statusOf('In Receivership'), 'insolvent');
  const other = map({ entity_status_description: 'Amalgamated' });
  assert.deepEqual(
    [other.record.status, other.record.registrations[0]?.status, other.reports],
    ['unknown', 'Amalgamated', []],
  );
  assert.equal(statusOf('na'), 'unknown');
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

test('the format of the UEN is recognized; invalid dates and counts are reported', () => {
  const formatOf = (uen: string) => map({ uen }).record.registry.uenFormat;
  assert.deepEqual(
    [formatOf('53312345A'), formatOf('T08LL1234B'), formatOf('X')],
    ['business', 'other entity', undefined],
  );
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
    ['active', 'Organs of State', '2008-11-30', 'Ministry of Finance', { postCode: '079903' }],
  );
});

test('several letter files are one import; columns of the older edition are found by name', async () => {
  const line = (row: Record<string, string>, header: readonly string[]) =>
    header.map((column) => `"${(row[column] ?? '').replaceAll('"', '""')}"`).join(',');
  const old = ['no_of_charges', 'paid_up_capital1_currency', ...COLUMNS];
  const { result, entities } = await importTexts(sg, {
    'A.csv': `${HEADER}\n${line(ROW, COLUMNS)}\n`,
    'B.csv': `${old.join(',')}\n${line({ ...ROW, uen: '200812345K', no_of_charges: '2', paid_up_capital1_currency: 'SGD' }, old)}\n`,
    'uen.csv': `${SIMPLE_HEADER}\n`,
  });
  assert.deepEqual([result.counts.added, result.unknownColumns], [2, ['paid_up_capital1_currency']]);
  assert.deepEqual([entities[1]?.registry.charges, entities[1]?.sourceData.paid_up_capital1_currency], [2, 'SGD']);
  assert.equal(entities[0]?.sourceData.business_constitution_description, 'na');
});

test('the generated file has the real header', () => {
  const [first = {}] = listSyntheticRows(sg.generate(1, 5));
  assert.equal(Object.keys(first).join(','), HEADER);
});
