import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TableSource } from '../../../src/registers/contract.ts';
import { gb } from '../../../src/registers/gb/register.ts';
import type { AddressOf } from '../../../src/registers/vocabulary.ts';
import { mapRow } from '../../harness/mapping.ts';

const source = gb.sources[0] as TableSource<unknown>;

/** A live company; each test changes some of its columns. */
const ROW: Readonly<Record<string, string>> = {
  CompanyName: 'ALDERTON KITES LIMITED',
  CompanyNumber: '01234568',
  'RegAddress.AddressLine1': 'THE OLD FORGE',
  'RegAddress.AddressLine2': '12 MILL LANE',
  'RegAddress.PostTown': 'NORWICH',
  'RegAddress.County': 'NORFOLK',
  'RegAddress.PostCode': 'NR9 9ZZ',
  CompanyCategory: 'Private Limited Company',
  CompanyStatus: 'Active',
  CountryOfOrigin: 'United Kingdom',
  IncorporationDate: '29/02/2004',
  'Accounts.AccountRefDay': '31',
  'Accounts.AccountRefMonth': '3',
  'Accounts.NextDueDate': '31/12/2026',
  'Accounts.LastMadeUpDate': '31/03/2025',
  'Accounts.AccountCategory': 'MICRO ENTITY',
  'Returns.NextDueDate': '28/03/2017',
  'Returns.LastMadeUpDate': '29/02/2016',
  'Mortgages.NumMortCharges': '3',
  'Mortgages.NumMortOutstanding': '1',
  'Mortgages.NumMortPartSatisfied': '0',
  'Mortgages.NumMortSatisfied': '2',
  'SICCode.SicText_1': '32300 - Manufacture of sports goods',
  'LimitedPartnerships.NumGenPartners': '0',
  'LimitedPartnerships.NumLimPartners': '0',
  URI: 'http://business.data.gov.uk/id/company/01234568',
  ConfStmtNextDueDate: '14/03/2027',
  ConfStmtLastMadeUpDate: '28/02/2026',
};

type Changes = Readonly<Record<string, string>>;
const map = (changes: Changes = {}) => mapRow(source, { ...ROW, ...changes });
const readAddress = (changes: Changes) => map(changes).record.registry.address as AddressOf;

test('every typed field is read', () => {
  const { record, reports } = map();
  assert.deepEqual(reports, []);
  assert.deepEqual(record, {
    number: '01234568',
    canonicalName: 'ALDERTON KITES LIMITED',
    status: 'active',
    legalForm: { label: 'Private Limited Company' },
    registeredAt: '2004-02-29',
    registrations: [
      {
        authority: 'Companies House',
        type: 'national',
        number: '01234568',
        status: 'Active',
        registeredAt: '2004-02-29',
        endedAt: null,
      },
    ],
    activities: [
      {
        type: 'unlicensed',
        code: '32300',
        label: 'Manufacture of sports goods',
        scheme: 'UK SIC',
        edition: '2007',
        written: '32300 - Manufacture of sports goods',
      },
    ],
    registry: {
      status: { label: 'Active' },
      countryOfOrigin: 'United Kingdom',
      uri: 'http://business.data.gov.uk/id/company/01234568',
      address: {
        text: 'THE OLD FORGE, 12 MILL LANE, NORWICH, NORFOLK, NR9 9ZZ',
        lines: ['THE OLD FORGE', '12 MILL LANE'],
        city: 'NORWICH',
        region: 'NORFOLK',
        postCode: 'NR9 9ZZ',
      },
      accounts: {
        referenceDay: 31,
        referenceMonth: 3,
        nextDue: '2026-12-31',
        lastMadeUp: '2025-03-31',
        category: 'MICRO ENTITY',
      },
      annualReturn: { nextDue: '2017-03-28', lastMadeUp: '2016-02-29' },
      confirmationStatement: { nextDue: '2027-03-14', lastMadeUp: '2026-02-28' },
      mortgages: { charges: 3, outstanding: 1, partSatisfied: 0, satisfied: 2 },
    },
  });
});

test('a name keeps symbols, quotes, commas and inner spaces, and is trimmed', () => {
  for (const name of ['! LTD', '"THE  KITE", AND STRING,LIMITED', "O'HARA & SONS (1988) LTD."]) {
    assert.equal(map({ CompanyName: ` ${name} ` }).record.canonicalName, name);
  }
});

test('a row without a name is rejected, and one without a number is kept', () => {
  assert.deepEqual(map({ CompanyName: '  ' }).result, { rejected: 'no name' });
  const { record } = map({ CompanyNumber: '' });
  assert.equal(record.number, null);
  assert.deepEqual(record.registrations, []);
});

test('numbers of every kind are kept, and lost leading zeros are restored', () => {
  for (const number of ['00000006', 'SC123456', 'NI012345', 'OC301234', 'IP12345R', 'SP1234RS']) {
    const { record, reports } = map({ CompanyNumber: number });
    assert.equal(record.number, number);
    assert.deepEqual(reports, []);
  }
  assert.equal(map({ CompanyNumber: '224055' }).record.number, '00224055');
  assert.equal(map({ CompanyNumber: '224055' }).record.registrations[0]?.number, '00224055');
  const { record, reports } = map({ CompanyNumber: 'SC1234' });
  assert.equal(record.number, 'SC1234');
  assert.deepEqual(reports, [['CompanyNumber', 'SC1234', 'not eight characters']]);
});

const STATUSES = {
  active: ['Active', 'Active - Proposal to Strike off', 'Open', 'Registered'],
  in_liquidation: ['Liquidation', 'LIQUIDATION'],
  insolvent: [
    'In Administration',
    'Administration',
    'In Administration/Administrative Receiver',
    'In Administration/Receiver Manager',
    'ADMINISTRATION ORDER',
    'Administrative Receiver',
    'ADMINISTRATIVE RECEIVER',
    'RECEIVERSHIP',
    'RECEIVER MANAGER / ADMINISTRATIVE RECEIVER',
    'Live but Receiver Manager on at least one charge',
    'Voluntary Arrangement',
    'VOLUNTARY ARRANGEMENT / ADMINISTRATIVE RECEIVER',
    'VOLUNTARY ARRANGEMENT / RECEIVER MANAGER',
  ],
  dissolved: ['Dissolved', 'Converted/Closed', 'Closed', 'Removed'],
};

test('every status is mapped in any letter case, and its text is kept', () => {
  for (const [status, texts] of Object.entries(STATUSES)) {
    for (const text of texts) {
      const { record, reports } = map({ CompanyStatus: text });
      assert.equal(record.status, status, text);
      assert.equal(record.registrations[0]?.status, text);
      assert.deepEqual(reports, []);
    }
  }
});

test('a proposed strike-off is marked', () => {
  assert.equal(map({ CompanyStatus: 'ACTIVE - PROPOSAL TO STRIKE OFF' }).record.registry.strikeOffProposed, true);
  assert.equal('strikeOffProposed' in map().record.registry, false);
});

test('an unknown or missing status is reported', () => {
  for (const text of ['Asleep', '']) {
    const { record, reports } = map({ CompanyStatus: text });
    assert.equal(record.status, 'unknown');
    assert.equal(record.registrations[0]?.status, text || null);
    assert.deepEqual(reports, [['status', 'CompanyStatus', text]]);
  }
});

test('a dissolution date ends the registration', () => {
  const { record } = map({ CompanyStatus: 'Dissolved', DissolutionDate: '01/07/2026' });
  assert.equal(record.registrations[0]?.endedAt, '2026-07-01');
  assert.equal(record.registry.endedAt, '2026-07-01');
});

test('invalid dates are reported and left out', () => {
  for (const text of '31/04/2020 29/02/2023 00/01/2020 01/13/2020 1/2/2020 0a/01/2020 01/01/20x0 01x02/2020 01/02x2020 01/02/20201 -'.split(
    ' ',
  )) {
    const { record, reports } = map({ 'Accounts.NextDueDate': text });
    assert.deepEqual(reports, [['Accounts.NextDueDate', text, 'not a date']]);
    assert.equal('nextDue' in (record.registry.accounts as object), false);
  }
  assert.equal(map({ IncorporationDate: '' }).record.registeredAt, null);
  assert.equal(map({ IncorporationDate: '2004-03-01' }).record.registeredAt, '2004-03-01');
});

test('up to four activities of SIC 2007 and SIC 2003 are listed, each once', () => {
  const { record, reports } = map({
    'SICCode.SicText_1': '7499 - Non-trading company',
    'SICCode.SicText_2': '01110 - Growing of cereals (except rice), leguminous crops - and oil seeds',
    'SICCode.SicText_3': '7499 - Non-trading company',
    'SICCode.SicText_4': '62020',
  });
  assert.deepEqual(reports, []);
  const cereals = 'Growing of cereals (except rice), leguminous crops - and oil seeds';
  const sic = { type: 'unlicensed', scheme: 'UK SIC', edition: '2007' };
  assert.deepEqual(record.activities, [
    { ...sic, edition: '2003', code: '7499', label: 'Non-trading company', written: '7499 - Non-trading company' },
    { ...sic, code: '01110', label: cereals, written: `01110 - ${cereals}` },
    { ...sic, code: '62020', label: null },
  ]);
});

test('"None Supplied" is not an activity, and a text without a code is reported and kept as a label', () => {
  assert.deepEqual(map({ 'SICCode.SicText_1': 'None Supplied' }).record.activities, []);
  assert.deepEqual(map({ 'SICCode.SicText_1': 'None Supplied' }).reports, []);
  const { record, reports } = map({ 'SICCode.SicText_1': 'Kites - and string' });
  assert.deepEqual(record.activities, [
    { type: 'unlicensed', code: null, label: 'Kites - and string', scheme: 'UK SIC' },
  ]);
  assert.deepEqual(reports, [['activity', 'SICCode.SicText_1', 'Kites - and string']]);
});

test('all ten previous names are listed with the day they ended', () => {
  const changes: Record<string, string> = {};
  for (let n = 1; n <= 10; n++) {
    changes[`PreviousName_${n}.CONDATE`] = `${String(n).padStart(2, '0')}/06/2010`;
    changes[`PreviousName_${n}.CompanyName`] = `KITES ${n} LIMITED`;
  }
  const names = map(changes).record.registry.previousNames as unknown[];
  assert.equal(names.length, 10);
  assert.deepEqual(names[9], { name: 'KITES 10 LIMITED', until: '2010-06-10' });
  const gap = map({ 'PreviousName_2.CompanyName': 'KITES 2 LIMITED' }).record.registry.previousNames;
  assert.deepEqual(gap, [{ name: 'KITES 2 LIMITED' }]);
  assert.equal('previousNames' in map({ 'PreviousName_1.CONDATE': '01/06/2010' }).record.registry, false);
});

const ADDRESSES: readonly (readonly [changes: Changes, text: string])[] = [
  [{}, 'THE OLD FORGE, 12 MILL LANE, NORWICH, NORFOLK, NR9 9ZZ'],
  [{ 'RegAddress.Country': 'ENGLAND' }, 'THE OLD FORGE, 12 MILL LANE, NORWICH, NORFOLK, NR9 9ZZ, ENGLAND'],
  [{ 'RegAddress.County': 'NORWICH' }, 'THE OLD FORGE, 12 MILL LANE, NORWICH, NR9 9ZZ'],
  [
    { 'RegAddress.CareOf': 'C/O REED & REED', 'RegAddress.AddressLine1': '' },
    'c/o REED & REED, 12 MILL LANE, NORWICH, NORFOLK, NR9 9ZZ',
  ],
  [
    { 'RegAddress.CareOf': 'COVE LTD', 'RegAddress.POBox': '77' },
    'c/o COVE LTD, PO Box 77, THE OLD FORGE, 12 MILL LANE, NORWICH, NORFOLK, NR9 9ZZ',
  ],
  [
    { 'RegAddress.CareOf': 'C/O', 'RegAddress.POBox': 'PO BOX 77' },
    'PO BOX 77, THE OLD FORGE, 12 MILL LANE, NORWICH, NORFOLK, NR9 9ZZ',
  ],
];

test('an address is written in one line, with care of and post office box first', () => {
  for (const [changes, text] of ADDRESSES) assert.equal(readAddress(changes).text, text);
});

test('care of is a name without its prefix, and a prefix alone is no name', () => {
  assert.equal(readAddress({ 'RegAddress.CareOf': 'c/o: Reed & Reed' }).careOf, 'Reed & Reed');
  assert.equal(readAddress({ 'RegAddress.CareOf': 'COVE LTD' }).careOf, 'COVE LTD');
  assert.equal('careOf' in readAddress({ 'RegAddress.CareOf': 'C/O' }), false);
});

test('the parts of the United Kingdom have its country code', () => {
  const read = (country: string) => readAddress({ 'RegAddress.Country': country }).countryCode;
  assert.deepEqual(['ENGLAND', 'Wales', 'UNITED KINGDOM'].map(read), ['GB', 'GB', 'GB']);
  assert.equal(read(''), undefined);
});

test('the default address of Companies House is marked', () => {
  const line = '01234568: COMPANIES HOUSE DEFAULT ADDRESS';
  const { registry } = map({ 'RegAddress.AddressLine1': line, 'RegAddress.AddressLine2': '' }).record;
  assert.equal(registry.defaultAddress, true);
  assert.deepEqual(registry.address?.lines, [line]);
  assert.equal('defaultAddress' in map().record.registry, false);
});

test('an empty row has no empty fields', () => {
  const empty = Object.fromEntries(Object.keys(ROW).map((column) => [column, '']));
  const { record } = map({ ...empty, CompanyName: 'KITES', CompanyStatus: 'Active' });
  assert.deepEqual(record.registry, { status: { label: 'Active' } });
  assert.equal(record.legalForm, null);
});

test('only partnerships have partners, and a count that is not a number is reported', () => {
  const partners = { 'LimitedPartnerships.NumGenPartners': '1', 'LimitedPartnerships.NumLimPartners': '4' };
  const { record } = map(partners);
  assert.deepEqual(record.registry.limitedPartnership, { generalPartners: 1, limitedPartners: 4 });
  assert.equal('limitedPartnership' in map().record.registry, false);
  assert.deepEqual(map({ 'Mortgages.NumMortCharges': 'two' }).reports, [
    ['Mortgages.NumMortCharges', 'two', 'not a number'],
  ]);
});

test('the columns are the 55 trimmed names of the header and include the required ones', () => {
  assert.equal(source.columns.length, 55);
  assert.equal(new Set(source.columns).size, 55);
  assert.ok(source.columns.every((column) => column === column.trim()));
  for (const column of [...source.required, ...Object.keys(ROW)]) assert.ok(source.columns.includes(column), column);
});
