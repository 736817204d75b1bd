import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listSyntheticRows, mapRow, parseTable, type Row } from '../../../test/harness/mapping.ts';
import type { MappedRecord, TableSource } from '../contract.ts';
import { findCheckDigit } from './number.ts';
import { cz } from './register.ts';

const sourceOf = (name: string) => cz.sources.find((source) => source.name === name) as TableSource<unknown>;
const subjects = sourceOf('res_data');

/** Files in the published format; the subjects are invented. */
const HEADER =
  'ICO,OKRESLAU,DDATVZN,DDATZAN,ZPZAN,DDATPAKT,FORMA,ROSFORMA,KATPO,NACE,NACE2025,ICZUJ,FIRMA,CISS2010,KODADM,TEXTADR,PSC,OBEC_TEXT,COBCE_TEXT,ULICE_TEXT,TYPCDOM,CDOM,COR,DATPLAT,PRIZNAK';
const FILES: Record<string, string> = {
  res_data: `${HEADER}
"00000019","CZ0100",1990-01-31,,,2026-05-02,"112","112","120","56100","56110","500054","Žluťoučký kůň, s.r.o. v likvidaci","11002","21700001","Dlouhá 5/2, Staré Město, 11000 Praha","11000","Praha","Staré Město","Dlouhá","1","5","2",2026-05-31,"Z"
`,
  res_pf_nace:
    'ICO,ZDRUD,KODCIS,HODN,DATPLAT,PRIZNAK\n"00000019","411","80004","4120",2026-05-31,\n"00000019","411","80143","56110",2026-05-31,\n',
  'code list': `KODCIS,CHODNOTA,TEXT
56,112,Společnost s ručením omezeným
572,1,Sloučení
579,120,6 - 9 zaměstnanců
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
    legalForm: 'Společnost s ručením omezeným',
    registeredAt: '1990-01-31',
    registrations: [
      {
        authority: 'Český statistický úřad (ČSÚ)',
        type: 'national',
        registeredAt: '1990-01-31',
        endedAt: null,
        number: '00000019',
        status: null,
      },
    ],
    activities: [
      { type: 'unlicensed', code: '56100', label: 'Stravování v restauracích' },
      { type: 'unlicensed', code: '4120', label: null },
      { type: 'unlicensed', code: '56110', label: null },
    ],
    registry: {
      numberValid: true,
      legalFormCode: '112',
      rosLegalFormCode: '112',
      statusInferredFrom: 'FIRMA',
      sizeClassCode: '120',
      sizeClass: '6 - 9 zaměstnanců',
      nace: '56100',
      nace2025: '56110',
      listedActivities: [
        { code: '4120', codeList: '80004', sourceCode: '411', source: 'Živnostenský rejstřík' },
        { code: '56110', codeList: '80143', sourceCode: '411', source: 'Živnostenský rejstřík' },
      ],
      sectorCode: '11002',
      districtCode: 'CZ0100',
      district: 'Hlavní město Praha',
      municipalityCode: '500054',
      address: {
        text: 'Dlouhá 5/2, Staré Město, 11000 Praha',
        street: 'Dlouhá',
        houseNumberType: '1',
        houseNumber: '5',
        orientationNumber: '2',
        cityPart: 'Staré Město',
        city: 'Praha',
        postCode: '11000',
        addressPointCode: '21700001',
      },
      recordUpdatedAt: '2026-05-02',
      validAt: '2026-05-31',
      changeFlag: 'Z',
    },
  } satisfies MappedRecord);
});

test('an end date takes precedence over a name that ends in "v likvidaci"', () => {
  const { record } = map({ DDATZAN: '2020-02-29', ZPZAN: '1' });
  assert.deepEqual([record.status, record.registry.endReason], ['dissolved', 'Sloučení']);
  assert.deepEqual([record.registrations[0]?.status, record.registrations[0]?.endedAt], ['Sloučení', '2020-02-29']);
  assert.equal(map({ FIRMA: 'V likvidaci sudů s.r.o.' }).record.status, 'active');
});

test('without code lists only the most common legal forms have names', () => {
  const options = { codes: cz.readCodes(new Map()) };
  assert.equal(map({ FORMA: '121' }, options).record.legalForm, 'Akciová společnost');
  assert.equal(map({ FORMA: '325' }, options).record.legalForm, '325');
  assert.equal(map({ DDATZAN: '2020-01-01', ZPZAN: '7' }, options).record.registrations[0]?.status, '7');
});

test('the current edition of a code list takes precedence over older ones, in both export formats', () => {
  const list = (text: string) => ({ KODCIS: '56', CHODNOTA: '999', TEXT: text });
  const both = new Map([
    ['code list', [list('dnes'), list('dříve')]],
    ['code list (vdb)', [{ ciselnik: '80004', kod_polozky: '62', text: 'Programování' }]],
  ]);
  const options = { codes: cz.readCodes(both) };
  assert.equal(map({ FORMA: '999' }, options).record.legalForm, 'dnes');
  assert.equal(map({ NACE: '62' }, options).record.activities[0]?.label, 'Programování');
});

test('lost leading zeros are restored, check digits are verified, and invalid numbers are reported', () => {
  const valid = (ICO: string) => map({ ICO }).record.registry.numberValid;
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

test('a file from before 2026 without NACE2025 is read, and a row without a name is rejected', async () => {
  const [old] = await parseTable(subjects, (FILES.res_data ?? '').replace('NACE2025,', '').replace('"56110",', ''));
  const { record, reports } = mapRow(subjects, old ?? {}, { codes });
  assert.deepEqual([record.registry.nace2025, record.registry.validAt, reports], [undefined, '2026-05-31', []]);
  assert.deepEqual(map({ FIRMA: '' }).result, { rejected: 'no name' });
});

test('the generated files have the published header and match', () => {
  const file = cz.generate(3_000, 5);
  const rows = listSyntheticRows(file, 'res_data.csv');
  assert.equal(Object.keys(rows[0] ?? {}).join(','), HEADER);
  const numbers = new Set(rows.map(({ ICO = '' }) => ICO));
  assert.equal(numbers.size, rows.length);
  assert.ok(listSyntheticRows(file, 'res_pf_nace.csv').every(({ ICO = '' }) => numbers.has(ICO)));
  const statuses = new Set(rows.map((generated) => mapRow(subjects, generated, { codes }).record.status));
  assert.deepEqual([...statuses].sort(), ['active', 'dissolved', 'in_liquidation']);
});
