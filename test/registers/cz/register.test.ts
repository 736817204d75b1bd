import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MappedRecord, TableSource } from '../../../src/registers/contract.ts';
import { findCheckDigit } from '../../../src/registers/cz/number.ts';
import { cz } from '../../../src/registers/cz/register.ts';
import type { AddressOf } from '../../../src/registers/vocabulary.ts';
import { generateFile } from '../../../synthetic/generators.ts';
import { listSyntheticRows, mapRow, parseTable, type Row } from '../../harness/mapping.ts';
import { importTexts } from '../../harness/register-files.ts';

const sourceOf = (name: string) => cz.sources.find((source) => source.name === name) as TableSource<unknown>;
const subjects = sourceOf('res_data');

/** Files in the published format; the subjects are invented. */
const HEADER =
  'ICO,OKRESLAU,DDATVZN,DDATZAN,ZPZAN,DDATPAKT,FORMA,ROSFORMA,KATPO,NACE,NACE2025,ICZUJ,FIRMA,CISS2010,KODADM,TEXTADR,PSC,OBEC_TEXT,COBCE_TEXT,ULICE_TEXT,TYPCDOM,CDOM,COR,DATPLAT,PRIZNAK';
const FILES: Record<string, string> = {
  res_data: `${HEADER}
"00000019","CZ0100",1990-01-31,,,2026-05-02,"112","112","120","56100","56110","500054","Žluťoučký kůň, s.r.o. v likvidaci","11002","21700001","","11000","Praha","Staré Město","Dlouhá","1","5","2",2026-05-31,"Z"
`,
  res_pf_nace: `ICO,ZDRUD,KODCIS,HODN,DATPLAT,DDATPAKT,PRIZNAK
00000019,411,80004,56100,2026-05-31,2026-01-15,
00000019,401,80004,56100,2026-05-31,2026-01-15,
00000019,411,80143,68200,2026-05-31,2026-01-15,
00000019,411,80004,00,2026-05-31,2026-01-15,
00000019,401,56,112,2026-05-31,2026-01-15,
`,
  'code list': `KODCIS,CHODNOTA,TEXT
56,112,Společnost s ručením omezeným
572,1,Sloučení
579,120,1 - 5 zaměstnanců
80004,56100,Stravování v restauracích
109,CZ0100,Hlavní město Praha
564,411,Živnostenský rejstřík
`,
};
const parsed = Object.entries(FILES).map(
  async ([name, text]) => [name, await parseTable(sourceOf(name), text)] as const,
);
const tables: Record<string, Row[]> = Object.fromEntries(await Promise.all(parsed));
const codes = cz.readCodes(new Map(Object.entries(tables)));
const row = tables.res_data?.[0] ?? {};
const map = (changes: Row = {}, options: object = { codes, rows: tables }) =>
  mapRow(subjects, { ...row, ...changes }, options);

test('both tables and the code lists become one record', () => {
  const { record, reports } = map();
  assert.deepEqual(reports, []);
  assert.deepEqual(record, {
    number: '00000019',
    canonicalName: 'Žluťoučký kůň, s.r.o. v likvidaci',
    status: 'in_liquidation',
    legalForm: { code: '112', label: 'Společnost s ručením omezeným', scheme: 'ČSÚ 56' },
    registeredAt: '1990-01-31',
    registrations: [
      {
        authority: 'Český statistický úřad (ČSÚ)',
        type: 'national',
        status: null,
        registeredAt: '1990-01-31',
        endedAt: null,
        number: '00000019',
        numberValid: true,
      },
    ],
    activities: [
      {
        type: 'unlicensed',
        code: '56100',
        label: 'Stravování v restauracích',
        scheme: 'CZ-NACE',
        edition: '2008',
        main: true,
        national: { sources: ['411', '401'] },
      },
      { type: 'unlicensed', code: '56110', label: null, scheme: 'CZ-NACE', edition: '2025', main: true },
      {
        type: 'unlicensed',
        code: '68200',
        label: null,
        scheme: 'CZ-NACE',
        edition: '2025',
        national: { sources: ['411'] },
      },
    ],
    registry: {
      statusInferredFrom: 'FIRMA',
      address: {
        text: 'Dlouhá 5/2, Staré Město, 11000 Praha',
        street: 'Dlouhá',
        number: '5/2',
        district: 'Staré Město',
        postCode: '11000',
        city: 'Praha',
        region: 'Hlavní město Praha',
        countryCode: 'CZ',
        houseNumberType: '1',
        addressPointCode: '21700001',
        regionCode: 'CZ0100',
        municipalityCode: '500054',
      },
      employees: { code: '120', from: 1, to: 5, label: '1 - 5 zaměstnanců' },
      sector: { code: '11002' },
      rosLegalForm: { code: '112' },
      listedLegalForms: [{ code: '112', label: 'Společnost s ručením omezeným', sources: ['401'] }],
      activitySources: { '411': 'Živnostenský rejstřík' },
      recordUpdatedAt: '2026-05-02',
      validAt: '2026-05-31',
      changeFlag: 'Z',
    },
  } satisfies MappedRecord);
});

test('an end date takes precedence over a name that ends in "v likvidaci"', () => {
  const { record } = map({ DDATZAN: '2020-02-29', ZPZAN: '1' });
  assert.equal(record.status, 'dissolved');
  assert.deepEqual(record.registry.status, { reasonCode: '1', reason: 'Sloučení' });
  const [registration] = record.registrations;
  assert.deepEqual(
    [registration?.status, registration?.statusCode, registration?.endedAt, record.registry.endedAt],
    ['Sloučení', '1', '2020-02-29', '2020-02-29'],
  );
});

test('a name that ends in "v likvidaci", in quotes or not, is in liquidation', () => {
  const names = {
    'Kůň s.r.o. v likvidaci': 'in_liquidation',
    'Kůň s.r.o. "v likvidaci"': 'in_liquidation',
    'Kůň s.r.o. „v likvidaci“': 'in_liquidation',
    'Kůň s.r.o., (V LIKVIDACI).': 'in_liquidation',
    'Kůň s.r.o. v  likvidaci': 'in_liquidation',
    'Kůň s.r.o. v\u00a0\tlikvidaci': 'in_liquidation',
    'V likvidaci sudů s.r.o.': 'active',
    'Kov likvidaci': 'active',
    'Stromyův likvidaci': 'active',
  };
  for (const [FIRMA, status] of Object.entries(names)) assert.equal(map({ FIRMA }).record.status, status, FIRMA);
});

test('a former sole trader without a name is kept, is known by number and is not a bad row', async () => {
  const persons = Array.from(
    { length: 40 },
    (_, index) => `6000${1000 + index},,,2024-05-31,,,,,,,,,"",,,"",,,,,,,,2026-09-15,`,
  );
  const activities = persons.map((row) => `${row.slice(0, 8)},,,,2026-09-15,,`);
  const { result, entities } = await importTexts(cz, {
    'res_data.csv': `${FILES.res_data}${persons.join('\n')}\n`,
    'res_pf_nace.csv': `ICO,ZDRUD,KODCIS,HODN,DATPLAT,DDATPAKT,PRIZNAK\n${activities.join('\n')}\n`,
  });
  assert.deepEqual([result.counts.added, result.counts.rejected, result.unreadable], [41, 0, 0]);
  const [, person = {} as never] = entities;
  assert.deepEqual([person.canonicalName, person.status, person.activities], ['60001000', 'dissolved', []]);
  assert.deepEqual(person.registry, { nameMissing: true, endedAt: '2024-05-31', validAt: '2026-09-15' });
  assert.deepEqual(map({ FIRMA: '' }).result, { rejected: 'no name' }, 'only a former sole trader has no name');
});

test('an address that has no street, is not permanent or has only a text', () => {
  const textOf = (changes: Row) => (map(changes).record.registry.address as AddressOf).text;
  assert.equal(textOf({ ULICE_TEXT: '' }), 'Staré Město 5/2, 11000 Praha');
  assert.equal(textOf({ ULICE_TEXT: '', COBCE_TEXT: 'Lhota', OBEC_TEXT: 'Lhota', COR: '' }), 'Lhota 5, 11000 Lhota');
  assert.equal(textOf({ TYPCDOM: '2', COR: '' }), 'Dlouhá č. ev. 5, Staré Město, 11000 Praha');
  const parts = Object.fromEntries(
    'KODADM PSC OBEC_TEXT COBCE_TEXT ULICE_TEXT CDOM COR'.split(' ').map((name) => [name, '']),
  );
  assert.equal(textOf({ ...parts, TEXTADR: 'Dlouhá 7, Praha 1' }), 'Dlouhá 7, Praha 1');
});

test('the classes of employees are ranges; "not stated" is left out and unknown ones are reported', () => {
  assert.deepEqual(map({ KATPO: '110' }).record.registry.employees, { code: '110', from: 0, to: 0 });
  assert.deepEqual(map({ KATPO: '510' }).record.registry.employees, { code: '510', from: 10_000 });
  assert.equal(map({ KATPO: '000' }).record.registry.employees, undefined);
  assert.deepEqual(map({ KATPO: '999' }).reports, [['KATPO', '999', 'unknown class of employees']]);
});

test('legal forms have names without the code list; unknown forms, activities and lists are reported', () => {
  const options = { codes: cz.readCodes(new Map()) };
  const form = (FORMA: string) => map({ FORMA }, options).record.legalForm;
  assert.deepEqual(form('325'), { code: '325', label: 'Organizační složka státu', scheme: 'ČSÚ 56' });
  assert.deepEqual(form('332'), { code: '332', label: 'Státní příspěvková organizace', scheme: 'ČSÚ 56' });
  const { record, reports } = map({ FORMA: '999', DDATZAN: '2020-01-01', ZPZAN: '7' }, options);
  assert.deepEqual([record.legalForm, reports], [{ code: '999', scheme: 'ČSÚ 56' }, [['legalForm', 'FORMA', '999']]]);
  assert.deepEqual([record.registrations[0]?.status, record.registrations[0]?.statusCode], [null, '7']);
  // The imported list of CZ-NACE 2008 lacks the code; CZ-NACE 2025 was not imported, so nothing is known about it.
  assert.deepEqual(map({ NACE: '77777' }).reports, [['activity', 'NACE', '77777']]);
  const other = { res_pf_nace: [{ ICO: '00000019', KODCIS: '5103', HODN: '0111' }] };
  const listed = map({}, { codes, rows: other });
  assert.deepEqual(listed.reports, [['activity', 'HODN', '5103/0111']]);
  assert.equal(listed.record.activities[2]?.scheme, 'ČSÚ 5103');
});

test('the pseudo-codes of CZ-NACE are not activities', () => {
  const { record } = map({ NACE: '00', NACE2025: '04' }, { codes });
  assert.deepEqual(record.activities, []);
});

test('the current edition of a code list takes precedence over older ones, in both export formats', () => {
  const list = (text: string) => ({ KODCIS: '56', CHODNOTA: '999', TEXT: text });
  const both = new Map([
    ['code list', [list('dnes'), list('dříve')]],
    ['code list (vdb)', [{ ciselnik: '80004', kod_polozky: '62', text: 'Programování' }]],
  ]);
  const options = { codes: cz.readCodes(both) };
  assert.deepEqual(map({ FORMA: '999' }, options).record.legalForm, { code: '999', label: 'dnes', scheme: 'ČSÚ 56' });
  assert.equal(map({ NACE: '62' }, options).record.activities[0]?.label, 'Programování');
});

test('lost leading zeros are restored, check digits are verified, and invalid numbers are reported', () => {
  const valid = (ICO: string) => map({ ICO }).record.registrations[0]?.numberValid;
  assert.equal(valid('27074358'), true);
  assert.equal(valid('27074359'), false);
  assert.equal(valid('270743580'), false, 'one digit too many');
  // The remainder 0 gives 11, so the check digit is 1; the remainder 1 gives 10, so it is 0.
  assert.deepEqual([findCheckDigit('0000000'), valid('00000001')], [1, true]);
  assert.deepEqual([findCheckDigit('0000006'), valid('00000060')], [0, true]);
  assert.equal(findCheckDigit('0000005'), 1, 'the remainder 10');
  assert.equal(findCheckDigit('000000'), null);
  assert.equal(map({ ICO: '19' }).record.number, '00000019');
  assert.deepEqual(map({ ICO: 'A1' }).reports, [['ICO', 'A1', 'not a registration number']]);
});

test('a file from before 2026 without NACE2025 is read', async () => {
  const [old] = await parseTable(subjects, (FILES.res_data ?? '').replace('NACE2025,', '').replace('"56110",', ''));
  const { record, reports } = mapRow(subjects, old ?? {}, { codes });
  assert.deepEqual([record.activities.length, record.registry.validAt, reports], [1, '2026-05-31', []]);
});

test('the generated files have the published header and match', () => {
  const file = generateFile(cz, 3_000, 5);
  const rows = listSyntheticRows(file, 'res_data.csv');
  assert.equal(Object.keys(rows[0] ?? {}).join(','), HEADER);
  const numbers = new Set(rows.map(({ ICO = '' }) => ICO));
  assert.equal(numbers.size, rows.length);
  assert.ok(listSyntheticRows(file, 'res_pf_nace.csv').every(({ ICO = '' }) => numbers.has(ICO)));
  const nameless = rows.filter(({ FIRMA }) => FIRMA === '').length;
  assert.ok(nameless > 30 && nameless < 150, `${nameless} former sole traders without a name`);
  const statuses = new Set(rows.map((generated) => mapRow(subjects, generated, { codes }).record.status));
  assert.deepEqual([...statuses].sort(), ['active', 'dissolved', 'in_liquidation']);
});
