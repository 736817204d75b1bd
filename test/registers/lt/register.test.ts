import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MappedRecord, TableSource, TreeSource } from '../../../src/registers/contract.ts';
import { lt } from '../../../src/registers/lt/register.ts';
import { readDate } from '../../../src/registers/parsing.ts';
import { generateFile } from '../../../synthetic/generators.ts';
import { listSyntheticRows, mapRow, parseTable } from '../../harness/mapping.ts';
import { importTexts } from '../../harness/register-files.ts';

const [table, apiTable, apiTree, endedTable] = lt.sources as [
  TableSource<unknown>,
  TableSource<unknown>,
  TreeSource<unknown>,
  TableSource<unknown>,
];

/** A file as published; the companies are invented. */
const FILE = `ja_kodas|ja_pavadinimas|adresas|ja_reg_data|form_kodas|form_pavadinimas|stat_kodas|stat_pavadinimas|stat_data_nuo|formavimo_data
300000010|"Uždaroji akcinė bendrovė ""Pelėdų | lizdas"""|Vilnius, Tilto g. 9-2, LT-01101|1999-04-25|310|Uždaroji akcinė bendrovė|0|Teisinis stat neįregistruotas|2025-03-04|2026-05-27
300000028|VĮ Girių ūkis||2001-12-31|110|Valstybės įmonė|7|Likviduojamas|2024-02-29|2026-05-27
`;

const ADDRESS = {
  text: 'Vilnius, Tilto g. 9-2, LT-01101',
  street: 'Tilto g. 9-2',
  postCode: 'LT-01101',
  city: 'Vilnius',
  countryCode: 'LT',
};

test('a file in the real format is mapped completely', async () => {
  const [first, second] = (await parseTable(table, FILE)).map((row) => mapRow(table, row));
  assert.deepEqual(first?.reports, []);
  assert.deepEqual(first?.record, {
    number: '300000010',
    canonicalName: 'Uždaroji akcinė bendrovė "Pelėdų | lizdas"',
    status: 'active',
    legalForm: { code: '310', label: 'Uždaroji akcinė bendrovė' },
    registeredAt: '1999-04-25',
    registrations: [
      {
        authority: 'Registrų centras',
        type: 'national',
        number: '300000010',
        numberValid: true,
        status: 'Teisinis stat neįregistruotas',
        statusCode: '0',
        registeredAt: '1999-04-25',
        endedAt: null,
      },
    ],
    activities: [],
    registry: {
      status: { code: '0', label: 'Teisinis stat neįregistruotas', since: '2025-03-04' },
      address: ADDRESS,
      exportedAt: '2026-05-27',
    },
  } satisfies MappedRecord);
  assert.deepEqual([second?.record.status, second?.record.registry.address], ['in_liquidation', undefined]);
});

const ROW = { ja_kodas: '300000010', ja_pavadinimas: 'UAB "Pelėda"', stat_kodas: '0' };
const map = (changes: Record<string, string>) => mapRow(table, { ...ROW, ...changes });

test('every status code of the official list is known; any other is reported', () => {
  const expected = {
    active: [0, 1, 2, 3, 8, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 27, 28, 29, 30],
    insolvent: [4, 5, 6, 13, 26],
    in_liquidation: [7, 9],
    dissolved: [10, 11],
    inactive: [12],
    unknown: [999],
  };
  for (const [status, codes] of Object.entries(expected)) {
    for (const code of codes) {
      const { record, reports } = map({ stat_kodas: String(code) });
      assert.deepEqual([record.status, reports], [status, []], `code ${code}`);
    }
  }
  const { record, reports } = map({ stat_kodas: '14', stat_pavadinimas: 'Naujas' });
  assert.deepEqual([record.status, record.registrations[0]?.status], ['unknown', 'Naujas']);
  assert.deepEqual(reports, [['status', 'stat_kodas', '14']]);
});

/** The texts of the official list of statuses that concern moves across borders and European companies. */
const CROSS_BORDER: Readonly<Record<number, string>> = {
  16: 'Inicijuojantis Europos bendrovės steigimą jungimosi būdu',
  17: 'Inicijuojantis Europos bendrovės steigimą valdymo (holdingo) būdu',
  18: 'Europos bendrovė, kurios buveinė yra perkeliama',
  19: 'Inicijuojantis Europos kooperatinės bendrovės steigimą jungimosi būdu',
  20: 'Europos kooperatinė bendrovė, kurios buveinė perkeliama',
  21: 'Jungiama, peržengiant vienos valstybės ribas, akcinė bendrovė ar uždaroji akcinė bendrovė',
  22: 'Dalyvaujanti vienos valstybės ribas peržengiančiame jungimesi AB ar UAB',
  23: 'Jungiamas peržengiant vienos valstybės ribas juridinis asmuo',
  24: 'Dalyvaujantis jungimesi peržengiant vienos valstybės ribas juridinis asmuo',
  25: 'Perkeliantis buveinę',
  27: 'Jungiama peržengiant vienos valstybės ribas bendrovė',
  28: 'Dalyvaujanti vienos valstybės ribas peržengiančiame jungimesi bendrovė',
  29: 'Pertvarkoma peržengiant vienos valstybės ribas bendrovė',
  30: 'Skaidoma peržengiant vienos valstybės ribas bendrovė',
};

test('the API knows the texts of statuses 16 to 25 and 27 to 30; the CSV uses the text if the code says nothing', () => {
  for (const [code, text] of Object.entries(CROSS_BORDER)) {
    const { record, reports } = mapRow(apiTable, { ...ROW, reg_data: '1999-04-25', 'statusas.pavadinimas': text });
    assert.deepEqual([record.status, record.registry.status, reports], ['active', { code, label: text }, []]);
  }
  const read = (stat_kodas: string, stat_pavadinimas: string) => {
    const { record, reports } = map({ stat_kodas, stat_pavadinimas });
    return [record.status, record.registrations[0]?.statusCode, reports];
  };
  assert.deepEqual(read('', ' LIKVIDUOJAMAS '), ['in_liquidation', '7', []]);
  assert.deepEqual(read('14', 'Perkeliantis buveinę į kitą valstybę'), ['active', '14', []]);
  assert.deepEqual(read('', 'Inicijuojantis kontroliuojančiosios Europos bendrovės steigimą'), [
    'active',
    undefined,
    [],
  ]);
  assert.deepEqual(read('', 'Naujas'), ['unknown', undefined, [['status', 'stat_pavadinimas', 'Naujas']]]);
});

test('check digits: the second weights count only if the first give 10; short codes are not checked', () => {
  const valid = (number: string) => map({ ja_kodas: number }).record.registrations[0]?.numberValid;
  assert.equal(valid('110003978'), true, 'as in the official sample');
  assert.equal(valid('110003979'), false);
  const expected: [digits: string, check: number][] = [
    // The first weights give 3 + 7 = 10, the second 9 + 9 = 18, so 7.
    ['30000010', 7],
    ['77435615', 8],
    // Both give 10.
    ['22973873', 0],
    // The first weights give 9, so the second, which would give another digit, do not count.
    ['32271836', 9],
  ];
  for (const [digits, check] of expected) {
    for (let digit = 0; digit < 10; digit++) assert.equal(valid(`${digits}${digit}`), digit === check, digits);
  }
  for (const number of ['1234567', '12345678', '1234567890']) assert.equal(valid(number), undefined, number);
  assert.deepEqual(map({ ja_kodas: 'LT12' }).reports, [['ja_kodas', 'LT12', 'not a registration number']]);
  assert.equal(map({ ja_kodas: ' ' }).record.number, null);
});

test('a post code or a municipality shows that an address is in Lithuania', () => {
  const read = (adresas: string) => map({ adresas }).record.registry.address?.countryCode;
  assert.equal(read('Vilnius, Tilto g. 9, LT-01101'), 'LT');
  assert.equal(read('Jonavos r. sav., Rukla'), 'LT');
  assert.equal(read('Vilnius, Tilto g. 9'), undefined);
});

test('a row without a name is rejected, an invalid date is reported', () => {
  assert.deepEqual(map({ ja_pavadinimas: ' ' }).result, { rejected: 'no name' });
  assert.deepEqual(map({ ja_reg_data: '1999-02-30' }).reports, [['ja_reg_data', '1999-02-30', 'not a date']]);
});

test('records of the data API: a deregistration date means dissolved; a status id is unknown and not reported', () => {
  const record = {
    _id: '0a1b2c3d-0000-4000-8000-000000000001',
    ja_kodas: 300000010,
    ja_pavadinimas: 'UAB "Pelėda"',
    pilnas_adresas: 'Vilnius, Tilto g. 9-2, LT-01101',
    adresas: { _id: 'a' },
    reg_data: '1999-04-25',
    isreg_data: null,
    forma: { _id: 'f' },
    statusas: { _id: 's' },
    stat_data: '2025-03-04',
  };
  const reports: string[][] = [];
  const context = {
    codes: null,
    report: (...report: string[]) => void reports.push(report),
    reportUnknown: (...report: string[]) => void reports.push(report),
  };
  const live = apiTree.map(record, context) as MappedRecord;
  assert.deepEqual([live.number, live.status, live.registeredAt, reports], ['300000010', 'unknown', '1999-04-25', []]);
  assert.deepEqual(live.registry, {
    status: { since: '2025-03-04' },
    address: ADDRESS,
    apiId: record._id,
    legalFormId: 'f',
    statusId: 's',
    addressId: 'a',
  });
  const gone = apiTree.map({ ...record, isreg_data: '2020-01-31' }, context) as MappedRecord;
  assert.deepEqual(
    [gone.status, gone.registrations[0]?.endedAt, gone.registry.endedAt],
    ['dissolved', '2020-01-31', '2020-01-31'],
  );
  const short = apiTree.map({ ...record, pilnas_adresas: null, adresas: 'Tilto g. 9' }, context) as MappedRecord;
  assert.deepEqual([short.registry.address, short.registry.addressId], [{ text: 'Tilto g. 9' }, undefined]);
  const row = mapRow(apiTable, { ...ROW, reg_data: '1999-04-25', 'forma._id': 'f', 'adresas._id': 'a' }).record;
  assert.deepEqual([row.registeredAt, row.registry.legalFormId, row.registry.addressId], ['1999-04-25', 'f', 'a']);
});

test('records of the data API with names of forms and statuses are mapped by them', () => {
  const row = {
    ...ROW,
    reg_data: '1999-04-25',
    'forma.pavadinimas': 'Uždaroji akcinė bendrovė',
    'statusas.pavadinimas': 'Likviduojamas',
  };
  const { record, reports } = mapRow(apiTable, row);
  assert.deepEqual(
    [record.status, record.legalForm, reports],
    ['in_liquidation', { label: row['forma.pavadinimas'] }, []],
  );
  assert.deepEqual(record.registry.status, { code: '7', label: 'Likviduojamas' });
  assert.equal(record.registrations[0]?.status, 'Likviduojamas');
  for (const column of Object.keys(row))
    if (column !== 'stat_kodas') assert.ok(apiTable.columns.includes(column), column);
  const context = { codes: null, report: assert.fail, reportUnknown: assert.fail };
  const nested = apiTree.map(
    { ja_kodas: 300000010, ja_pavadinimas: 'A', statusas: { pavadinimas: 'Išregistruotas' }, forma: null },
    context,
  ) as MappedRecord;
  assert.equal(nested.status, 'dissolved');
  const flat = { ja_kodas: 300000010, ja_pavadinimas: 'A', 'statusas.pavadinimas': 'Bankrutuojantis' };
  assert.equal((apiTree.map(flat, context) as MappedRecord).status, 'insolvent');
  const unknown = mapRow(apiTable, { ...row, 'statusas.pavadinimas': 'Naujas' });
  assert.deepEqual(
    [unknown.record.status, unknown.reports],
    ['unknown', [['status', 'statusas.pavadinimas', 'Naujas']]],
  );
});

test('the file of deregistered entities is imported together with that of registered ones', async () => {
  const ended =
    'ja_kodas|ja_pavadinimas|adresas|ja_reg_data|form_kodas|form_pavadinimas|isreg_data|formavimo_data\n' +
    '300000036|UAB "Senis"|Kauno r. sav., Akademijos mstl., Studentų g. 1, LT-53361|1995-01-02|310|Uždaroji akcinė bendrovė|2010-03-04|2026-05-27\n';
  const { result, entities } = await importTexts(lt, {
    'JAR_IREGISTRUOTI.csv': FILE,
    'JAR_ISREGISTRUOTI.csv': ended,
  });
  assert.deepEqual([result.counts.added, result.unreadable, result.unknownColumns], [3, 0, []]);
  const gone = entities.find(({ canonicalName }) => canonicalName === 'UAB "Senis"');
  assert.deepEqual(
    [gone?.status, gone?.registeredAt, gone?.registry.endedAt],
    ['dissolved', '1995-01-02', '2010-03-04'],
  );
  assert.deepEqual(gone?.registry.status, { code: '10', label: 'Išregistruotas', since: '2010-03-04' });
  assert.deepEqual(gone?.registry.address, {
    text: 'Kauno r. sav., Akademijos mstl., Studentų g. 1, LT-53361',
    street: 'Studentų g. 1',
    postCode: 'LT-53361',
    city: 'Akademijos mstl.',
    municipality: 'Kauno r. sav.',
    countryCode: 'LT',
  });
  assert.deepEqual(mapRow(endedTable, { ...ROW, form_kodas: '999' }).reports, [['legalForm', 'form_kodas', '999']]);
});

test('the generated file has the real header and maps without reports', () => {
  const rows = listSyntheticRows(generateFile(lt, 5_000, 5));
  assert.deepEqual(Object.keys(rows[0] ?? {}).join('|'), FILE.split('\n')[0]);
  const numbers = new Set<string>();
  const statuses = new Set<string>();
  let wrong = 0;
  for (const row of rows) {
    const { record, reports } = mapRow(table, row);
    assert.deepEqual(reports, []);
    numbers.add(record.number ?? '');
    statuses.add(record.status);
    assert.ok(readDate(record.registeredAt ?? '') !== null);
    if (record.registrations[0]?.numberValid === false) wrong++;
  }
  assert.equal(numbers.size, rows.length);
  assert.deepEqual([...statuses].sort(), ['active', 'in_liquidation', 'insolvent']);
  assert.ok(wrong > 0 && wrong < 50, `${wrong} wrong check digits`);
});
