import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MappedRecord, TableSource } from '../../../src/registers/contract.ts';
import { ie } from '../../../src/registers/ie/register.ts';
import type { RegistryOf } from '../../../src/registers/vocabulary.ts';
import { generateFile } from '../../../synthetic/generators.ts';
import { listSyntheticRows, mapRow, parseTable, type Row, toCell } from '../../harness/mapping.ts';

const source = ie.sources[0] as TableSource<unknown>;

/** A file as published; the companies are invented. */
const FILE = `company_num,company_name,company_status_code,company_status,company_type_code,company_type,company_reg_date,last_ar_date,company_address_1,company_address_2,company_address_3,company_address_4,comp_dissolved_date,nard,last_accounts_date,company_status_date,nace_v2_code,eircode,company_name_eff_date,company_type_eff_date,princ_object_code
784,OLD OAK  LIMITED,1151,Normal ,1153,LTD - Private Company Limited by Shares,1899-03-31,2025-09-30,"Unit 13, Mill Park",Athlone Road,,"Longford, Ireland",,2026-09-30,2024-12-31,2001-02-03,3101.0,N39D880,2001-01-01,2015-06-01,7012.0
785,GONE LIMITED,1158,Dissolved,1153,LTD - Private Company Limited by Shares,,,********NO ADDRESS DETAILS*******,,,,2019-05-06,,,2019-05-06,111.0,,2001-01-01,2001-01-01,
`;

const rows = await parseTable(source, FILE);
const map = (changes: Row = {}) => mapRow(source, { ...rows[0], ...changes });

test('a file in the real format is mapped completely', () => {
  const { record, reports } = map();
  assert.deepEqual(reports, []);
  assert.deepEqual(record, {
    number: '784',
    canonicalName: 'OLD OAK  LIMITED',
    status: 'active',
    legalForm: { code: '1153', label: 'LTD - Private Company Limited by Shares' },
    registeredAt: '1899-03-31',
    registrations: [
      {
        authority: 'Companies Registration Office',
        type: 'national',
        number: '784',
        status: 'Normal',
        statusCode: '1151',
        registeredAt: '1899-03-31',
        endedAt: null,
      },
    ],
    activities: [
      { type: 'unlicensed', code: '3101', label: null, scheme: 'NACE', edition: 'Rev. 2', written: '3101.0' },
    ],
    registry: {
      status: { code: '1151', label: 'Normal', since: '2001-02-03' },
      address: {
        text: 'Unit 13, Mill Park, Athlone Road, Longford, Ireland, N39 D880',
        lines: ['Unit 13, Mill Park', 'Athlone Road', 'Longford, Ireland'],
        postCode: 'N39 D880',
        countryCode: 'IE',
      },
      nameSince: '2001-01-01',
      legalFormSince: '2015-06-01',
      lastAnnualReturn: '2025-09-30',
      nextAnnualReturn: '2026-09-30',
      lastAccounts: '2024-12-31',
      principalObjectCode: '7012',
    },
  } satisfies MappedRecord);
  const gone = mapRow(source, rows[1] ?? {}).record;
  assert.deepEqual([gone.status, gone.registry.address, gone.registeredAt], ['dissolved', undefined, null]);
  assert.deepEqual([gone.activities[0]?.code, gone.activities[0]?.written], ['0111', '111.0']);
  assert.deepEqual([gone.registrations[0]?.endedAt, gone.registry.endedAt], ['2019-05-06', '2019-05-06']);
});

test('statuses are read with their trailing space, and an unknown text is counted', () => {
  const statuses: [string, string][] = [
    ['Normal ', 'active'],
    ['Strike Off Listed', 'active'],
    ['Liquidation', 'in_liquidation'],
    ['In Liquidation', 'in_liquidation'],
    ['Receivership', 'insolvent'],
    ['Examinership', 'insolvent'],
    ['Dissolved', 'dissolved'],
    ['Dissolved (liquidation)', 'dissolved'],
    ['Dissolved PostMerger', 'dissolved'],
    ['Dissolved by Divis', 'dissolved'],
    ['Struck off', 'dissolved'],
    ['Deleted CB Conversion', 'dissolved'],
    ['Deleted CB Merger', 'dissolved'],
    ['Deleted as per SE Tr', 'dissolved'],
    ['Deleted per SE Merge', 'dissolved'],
    ['Removed', 'dissolved'],
    ['Converted', 'dissolved'],
    ['Liquidation Stayed', 'in_liquidation'],
    ['Ceased', 'inactive'],
    ['Ceased IRL', 'inactive'],
  ];
  for (const [text, status] of statuses) {
    const { record, reports } = map({ company_status: text });
    assert.deepEqual([record.status, record.registrations[0]?.status, reports], [status, text.trim(), []]);
  }
  assert.equal(map({ company_status: 'Strike Off Listed' }).record.registry.strikeOffListed, true);
  const unknown = map({ company_status: 'Something new' });
  assert.deepEqual(
    [unknown.record.status, unknown.reports],
    ['unknown', [['status', 'company_status', 'Something new']]],
  );
  assert.equal(map({ company_status: 'Something new', comp_dissolved_date: '2020-01-01' }).record.status, 'dissolved');
});

test('of several rows the one that took effect last makes the record; the others are in otherEntries', () => {
  const dated = (company_name: string, date: string) => ({ ...rows[0], company_name, company_status_date: date });
  const [first, last, middle] = [
    dated('FIRST', '2016-01-01'),
    dated('LAST', '2020-01-01'),
    dated('MIDDLE', '2018-01-01'),
  ];
  assert.equal(source.gather?.choose([first, last, middle].map(toCell)), 1);
  assert.equal(source.gather?.choose([first, first].map(toCell)), 0);
  const { record } = mapRow(source, last, { rows: { companies: [first, middle] } });
  const entry = (name: string, since: string) => ({
    name,
    status: { code: '1151', label: 'Normal', since },
    nameSince: '2001-01-01',
  });
  assert.deepEqual(record.registry.otherEntries, [entry('FIRST', '2016-01-01'), entry('MIDDLE', '2018-01-01')]);
  const older = { ...first, company_name_eff_date: '1999-01-01' };
  assert.deepEqual(mapRow(source, last, { rows: { companies: [older, middle, last] } }).record.registry.previousNames, [
    { name: 'MIDDLE', from: '2001-01-01' },
    { name: 'FIRST', from: '1999-01-01' },
  ]);
});

test('eircodes get their space; invalid ones are kept as written', () => {
  const postCode = (eircode: string) => (map({ eircode }).record.registry.address as Record<string, string>).postCode;
  assert.deepEqual([postCode('D6W X123'), postCode('d6wx123'), postCode('N39')], ['D6W X123', 'D6W X123', 'N39']);
});

test('invalid values are reported, a row without a name is rejected', () => {
  assert.deepEqual(map({ company_name: '' }).result, { rejected: 'no name' });
  assert.deepEqual(map({ company_num: 'A1' }).reports, [['company_num', 'A1', 'not a company number']]);
  assert.deepEqual(map({ nace_v2_code: 'x' }).reports, [['activity', 'nace_v2_code', 'x']]);
  assert.deepEqual(map({ company_type: '' }).reports, [['legalForm', 'company_type_code', '1153']]);
  assert.deepEqual(map({ nard: '2026-13-01' }).reports, [['nard', '2026-13-01', 'not a date']]);
});

test('the generated file has the real header and its quirks, and maps without reports', () => {
  const generated = listSyntheticRows(generateFile(ie, 10_000, 5));
  assert.equal(Object.keys(generated[0] ?? {}).join(','), FILE.split('\n')[0]);
  const numbers = new Set<string>();
  for (const row of generated) {
    const { record, reports } = mapRow(source, row);
    assert.deepEqual(reports, []);
    numbers.add(record.number ?? '');
  }
  assert.equal(generated.length, 10_000);
  assert.ok(numbers.size < generated.length && numbers.size > generated.length * 0.99, `${numbers.size} numbers`);
  assert.ok(generated.some((row) => row.company_status === 'Normal '));
});

test('a placeholder is no address and no legal form, in whichever line and however often it is written', () => {
  const placeholder = '********NO ADDRESS DETAILS*******';
  const recordOf = (changes: Record<string, string>) =>
    map({
      company_address_1: '',
      company_address_2: '',
      company_address_3: '',
      company_address_4: '',
      eircode: '',
      ...changes,
    }).record;
  const addressOf = (changes: Record<string, string>) => (recordOf(changes).registry as RegistryOf).address;
  assert.equal(addressOf({ company_address_3: `${placeholder}${placeholder}` }), undefined);
  assert.equal(
    addressOf({ company_address_3: `${placeholder} ${placeholder}`, company_address_4: placeholder }),
    undefined,
  );
  assert.deepEqual(addressOf({ company_address_1: placeholder, company_address_2: 'Cobh' })?.lines, ['Cobh']);
  const { legalForm, registry } = recordOf({ company_type_code: '1199', company_type: 'Unknown' });
  assert.deepEqual([legalForm, registry.address], [null, undefined]);
});

test('the city is the last settlement of an address, where the county follows', () => {
  const cityOf = (...lines: string[]) => {
    const columns = [1, 2, 3, 4].map((at) => [`company_address_${at}`, lines[at - 1] ?? '']);
    const { address } = map({ ...Object.fromEntries(columns), eircode: '' }).record.registry as RegistryOf;
    return [address?.city, address?.district];
  };
  const cases: readonly (readonly [lines: string, city: string | undefined, district?: string])[] = [
    ['1 Low Road | Cobh | Co. Cork', 'Cobh'],
    ['1 Low Road | Cobh, Co. Cork | Ireland', 'Cobh'],
    ['Main Street | NAAS | COUNTY KILDARE | W91 X8Y9', 'NAAS'],
    ['Unit 3 | Main Street | Tralee | Kerry, Ireland', 'Tralee'],
    ["1 Quay | St. Mullin's | Co Carlow", "St. Mullin's"],
    ['1 Patrick Street | Cork | Co. Cork', 'Cork'],
    ['3 Mount Street | Dublin 2', 'Dublin', 'Dublin 2'],
    ['3 Mount Street | Dublin 6W | Dublin, Ireland', 'Dublin', 'Dublin 6W'],
    ['3 Mount Street | DUBLIN 2 | D02 X285 | IRELAND', 'DUBLIN', 'DUBLIN 2'],
    // The county follows a road, an estate or a house, comes first, is not named, or is not one of Ireland.
    ['Unit 13 Mastertech Business Park | Athlone Road | Co. Longford | Longford, Ireland', undefined],
    ['Unit 4 | Ballycasey Industrial Estate | Co. Clare', undefined],
    ['Rose Cottage | Co. Mayo', undefined],
    ['1 Low Road | Cobh', undefined],
    ['1 Low Road | Cork', undefined],
    ['1 High Street | Bishop Auckland | Co. Durham', undefined],
    ['c/o Kite Ltd | Co. Cork', undefined],
  ];
  for (const [lines, city, district] of cases) assert.deepEqual(cityOf(...lines.split(' | ')), [city, district], lines);
});

test('an address has the code of the country that its last line names', () => {
  const countryOf = (line: string, eircode = '') => {
    const address = {
      company_address_1: '1 Low Road',
      company_address_2: line,
      company_address_3: '',
      company_address_4: '',
    };
    return (map({ ...address, eircode }).record.registry as RegistryOf).address?.countryCode;
  };
  assert.deepEqual(
    ['NORTHERN IRELAND', 'United States of America', 'Ireland.', 'Guernsey', 'Georgia', 'Cobh', 'Co. Cork'].map(
      (line) => countryOf(line),
    ),
    ['GB', 'US', 'IE', 'GG', undefined, undefined, undefined],
  );
  assert.equal(countryOf('Cobh', 'P24 AB12'), 'IE');
});
