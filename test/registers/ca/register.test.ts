import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ca } from '../../../src/registers/ca/register.ts';
import type { TableSource } from '../../../src/registers/contract.ts';
import type { AddressOf } from '../../../src/registers/vocabulary.ts';
import { generateFile } from '../../../synthetic/generators.ts';
import { listSyntheticRows, mapRow } from '../../harness/mapping.ts';
import { importTexts } from '../../harness/register-files.ts';

const source = ca.sources[0] as TableSource<unknown>;

/** The header since September 2026. */
const HEADER =
  'Corporation number,Business number (BN),Corporate name - form 1,Corporate name - form 2,Governing legislation,Status,Status Detail,Anniversary date,Year of last annual filing,Date of last annual meeting,Street,Street 2,City/town,Province/territory,Country,Postal code,Minimum number of directors,Maximum number of directors';
/** The header in spring 2026, without `Status Detail`. */
const OLD_HEADER =
  'Corporation number,Business number (BN),Corporate name - form 1,Corporate name - form 2,Governing legislation,Status,Anniversary date,Year of last annual filing,Date of last annual meeting,Street,Street 2,City/town,Province/territory,Country,Postal code,Minimum number of directors,Maximum number of directors';

const ROW: Readonly<Record<string, string>> = {
  'Corporation number': '1234567',
  'Business number (BN)': '812345678',
  'Corporate name - form 1': 'Saguenay "Loon" Foods Inc.',
  'Corporate name - form 2': 'Aliments Saguenay Ltée',
  'Governing legislation': 'Canada Business Corporations Act',
  Status: 'Active',
  'Status Detail': 'Active - Dissolution Pending (non-compliance)',
  'Anniversary date': '2012-02-29',
  'Year of last annual filing': '2024',
  'Date of last annual meeting': '2024-06-01',
  Street: '12 King Street West',
  'Street 2': 'Suite 200',
  'City/town': 'Toronto',
  'Province/territory': 'ON',
  Country: 'CA',
  'Postal code': 'M5V 3L9',
  'Minimum number of directors': '1',
  'Maximum number of directors': '10',
};
const map = (changes: Record<string, string> = {}) => mapRow(source, { ...ROW, ...changes });

test('a row with every column filled becomes a record without a registration date', () => {
  const { record, reports } = map();
  assert.deepEqual(reports, []);
  assert.deepEqual(record, {
    number: '1234567',
    canonicalName: 'Saguenay "Loon" Foods Inc.',
    status: 'active',
    legalForm: null,
    registeredAt: null,
    registrations: [
      {
        authority: 'Corporations Canada',
        type: 'national',
        number: '1234567',
        status: 'Active - Dissolution Pending (non-compliance)',
        registeredAt: null,
        endedAt: null,
      },
      {
        authority: 'Canada Revenue Agency',
        type: 'tax',
        number: '812345678',
        status: null,
        registeredAt: null,
        endedAt: null,
      },
    ],
    activities: [],
    registry: {
      otherNames: [{ name: 'Aliments Saguenay Ltée' }],
      governingLegislation: 'Canada Business Corporations Act',
      status: { label: 'Active - Dissolution Pending (non-compliance)' },
      dissolutionPending: true,
      anniversaryDate: '2012-02-29',
      lastAnnualFiling: 2024,
      lastAnnualMeeting: '2024-06-01',
      address: {
        text: '12 King Street West, Suite 200, Toronto ON M5V 3L9',
        lines: ['12 King Street West', 'Suite 200'],
        city: 'Toronto',
        region: 'ON',
        postCode: 'M5V 3L9',
        countryCode: 'CA',
      },
      directorLimits: { minimum: 1, maximum: 10 },
    },
  });
});

test('every status is mapped: discontinued corporations continue elsewhere, amalgamated ones have ended', () => {
  const statusOf = (Status: string, detail = '') => map({ Status, 'Status Detail': detail }).record.status;
  const details = {
    Active: 'active',
    'Active - Intent to Dissolve Filed': 'active',
    'Active - Dissolution Pending (Non-compliance)': 'active',
    'Active - Discontinuance Pending': 'active',
    Inactive: 'inactive',
    'Inactive - Amalgamated': 'dissolved',
    'Inactive - Discontinued': 'inactive',
    Dissolved: 'dissolved',
  };
  for (const [text, status] of Object.entries(details)) {
    assert.equal(statusOf(text), status, `${text} as status`);
    assert.equal(statusOf('Inactive', text), status, `${text} as detail`);
  }
  assert.equal(statusOf(''), 'unknown');
});

test('a status that the register does not know is reported', () => {
  const unknown = map({ Status: 'Active', 'Status Detail': 'Active - On Holiday' });
  assert.equal(unknown.record.status, 'active', 'the status is known, the detail is not');
  assert.deepEqual(unknown.reports, [['status', 'Status Detail', 'Active - On Holiday']]);
  const both = map({ Status: 'Gone', 'Status Detail': '' });
  assert.deepEqual([both.record.status, both.reports], ['unknown', [['status', 'Status', 'Gone']]]);
});

test('addresses abroad, countries in words, and post codes without a space', () => {
  const addressOf = (changes: Record<string, string>) => map(changes).record.registry.address as AddressOf;
  const quebec = addressOf({
    Street: '7961 RUE VAUBAN',
    'Street 2': '',
    'City/town': 'ANJOU',
    'Postal code': 'H1J2V1',
  });
  assert.deepEqual([quebec.text, quebec.postCode], ['7961 RUE VAUBAN, ANJOU ON H1J 2V1', 'H1J2V1']);
  const abroad = addressOf({ 'Province/territory': 'NY', Country: 'US', 'Postal code': '10001' });
  assert.deepEqual([abroad.text, abroad.countryCode], ['12 King Street West, Suite 200, Toronto NY 10001, US', 'US']);
  const inWords = addressOf({ Country: 'Canada' });
  assert.deepEqual([inWords.country, inWords.countryCode], ['Canada', 'CA']);
});

test('the older XML edition is refused by name', async () => {
  const xml =
    '<?xml version="1.0"?><cc:corpcan><corporations><corporation corporationId="1"/></corporations></cc:corpcan>';
  await assert.rejects(importTexts(ca, { 'OPEN_DATA_1.xml': xml }), /older XML edition.*corporations-active-cbca-en/);
});

test('the second name replaces a missing first one, a row without any is rejected, and unreadable values are reported', () => {
  assert.equal(map({ 'Corporation number': '123456-7' }).record.number, '1234567');
  assert.deepEqual(map({ 'Corporation number': 'A1' }).reports, [
    ['Corporation number', 'A1', 'not a corporation number'],
  ]);
  assert.equal(map({ 'Business number (BN)': '' }).record.registrations.length, 1);
  const second = map({ 'Corporate name - form 1': '' }).record;
  assert.deepEqual([second.canonicalName, second.registry.otherNames], ['Aliments Saguenay Ltée', undefined]);
  assert.deepEqual(map({ 'Corporate name - form 1': '', 'Corporate name - form 2': ' ' }).result, {
    rejected: 'no name',
  });
  assert.deepEqual(map({ 'Anniversary date': '29/02/12', 'Year of last annual filing': 'x' }).reports, [
    ['Anniversary date', '29/02/12', 'not a date'],
    ['Year of last annual filing', 'x', 'not a whole number'],
  ]);
});

test('files with 17 and with 18 columns are imported together', async () => {
  const write = (header: string, number: string, status: string) => {
    const row: Record<string, string> = { ...ROW, 'Corporation number': number, Status: status };
    const cells = header.split(',').map((column) => `"${(row[column] ?? '').replaceAll('"', '""')}"`);
    return `\ufeff${header}\r\n${cells.join(',')}\r\n`;
  };
  const { result, entities } = await importTexts(ca, {
    'corporations-active-cbca-en.csv': write(HEADER, '1', 'Active'),
    'corporations-inactive-or-dissolved-cbca-en.csv': write(OLD_HEADER, '2', 'Dissolved'),
  });
  assert.deepEqual([result.counts.added, result.unknownColumns], [2, []]);
  assert.deepEqual(
    entities.map(({ status, sourceData }) => [status, Object.keys(sourceData).length]),
    [
      ['active', 18],
      ['dissolved', 17],
    ],
  );
});

test('the generated file has the published header', () => {
  const [first = {}] = listSyntheticRows(generateFile(ca, 1, 5));
  assert.equal(Object.keys(first).join(','), HEADER);
});
