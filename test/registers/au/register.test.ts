import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findAcnCheckDigit, isValidAbn, isValidAcn } from '../../../src/registers/au/numbers.ts';
import { au } from '../../../src/registers/au/register.ts';
import { generateFile } from '../../../synthetic/generators.ts';
import { listSyntheticRows } from '../../harness/mapping.ts';
import { importTexts } from '../../harness/register-files.ts';

/** As published, separated by tabs. */
const HEADER =
  'Company Name\tACN\tType\tClass\tSub Class\tStatus\tDate of Registration\tDate of Deregistration\tPrevious State of Registration\tState Registration number\tModified since last report\tCurrent Name Indicator\tABN\tCurrent Name\tCurrent Name Start Date';
const COLUMNS = HEADER.split('\t');

type Line = Readonly<Record<string, string>>;

const LINE: Line = {
  'Company Name': '"WATTLE" & SONS PTY LTD',
  ACN: '000000948',
  Type: 'APTY',
  Class: 'LMSH',
  'Sub Class': 'PROP',
  Status: 'REGD',
  'Date of Registration': '29/02/1988',
  'Previous State of Registration': 'NSW',
  'State Registration number': '1234567Q',
  'Current Name Indicator': 'Y',
  ABN: '11000000948',
};
const FORMER: Line = {
  ...LINE,
  'Company Name': 'OLD WATTLE PTY LTD',
  'Current Name Indicator': '',
  'Current Name': '"WATTLE" & SONS PTY LTD',
  'Current Name Start Date': '01/07/2012',
};

const write = (...lines: readonly Line[]) =>
  `\ufeff${[HEADER, ...lines.map((line) => COLUMNS.map((column) => line[column] ?? '').join('\t'))]
    .map((text) => `${text}\r\n`)
    .join('')}`;

test('lines with the same ACN become one company, in any order and across files', async () => {
  const other = { ...LINE, ACN: '001832391', 'Company Name': 'GALAH LTD', ABN: '00000000000' };
  const first = { ...FORMER, 'Company Name': 'FIRST NAME PTY LTD' };
  const editions = [
    { lines: 5, others: 3, files: { 'a.csv': write(FORMER, other, LINE, first, FORMER) } },
    { lines: 4, others: 2, files: { 'a.csv': write(FORMER, first), 'b.csv': write(other, LINE) } },
  ];
  for (const { lines, others, files } of editions) {
    const { result, entities } = await importTexts(au, files);
    assert.deepEqual([result.counts.rows, result.counts.added, result.unreadable], [lines, 2, 0]);
    assert.deepEqual(result.unknownColumns, []);
    const company = entities.find(({ registrations }) => registrations[0].number === '000000948');
    assert.ok(company);
    const { id, sourceData, ...record } = company;
    const other = { status: null, registeredAt: null, endedAt: null };
    assert.deepEqual(record, {
      countryCode: 'AU',
      canonicalName: '"WATTLE" & SONS PTY LTD',
      status: 'active',
      legalForm: 'Australian Proprietary Company',
      registeredAt: '1988-02-29',
      activities: [],
      registrations: [
        {
          authority: 'Australian Securities and Investments Commission',
          type: 'national',
          status: 'Registered',
          statusCode: 'REGD',
          registeredAt: '1988-02-29',
          endedAt: null,
          number: '000000948',
          numberValid: true,
        },
        { authority: 'Australian Business Register', type: 'tax', number: '11000000948', numberValid: true, ...other },
        { authority: 'NSW', type: 'state', number: '1234567Q', ...other },
      ],
      registry: {
        legalForm: { code: 'APTY', label: 'Australian Proprietary Company', scheme: 'ASIC' },
        status: { code: 'REGD', label: 'Registered' },
        class: { code: 'LMSH', label: 'Limited by Shares' },
        subClass: { code: 'PROP', label: 'Proprietary other' },
        previousState: 'NSW',
        currentNameSince: '2012-07-01',
        previousNames: [{ name: 'OLD WATTLE PTY LTD' }, { name: 'FIRST NAME PTY LTD' }],
      },
    });
    assert.equal(sourceData['Company Name'], '"WATTLE" & SONS PTY LTD');
    assert.equal(sourceData.otherRows[0]['Company Name'], 'OLD WATTLE PTY LTD');
    assert.deepEqual(Object.keys(sourceData), [...COLUMNS, 'otherRows']);
    assert.equal(sourceData.otherRows.length, others);
    assert.ok(id);
  }
});

test('a company without a line for its current name takes that name from its former names', async () => {
  const { entities } = await importTexts(au, { 'a.csv': write(FORMER) });
  assert.deepEqual(
    [entities[0]?.canonicalName, entities[0]?.registry.previousNames],
    ['"WATTLE" & SONS PTY LTD', [{ name: 'OLD WATTLE PTY LTD' }]],
  );
});

test('every status is mapped, and an unknown one is reported', async () => {
  const expected = {
    REGD: 'active',
    SOFF: 'active',
    EXAD: 'insolvent',
    NOAC: 'inactive',
    NRGD: 'inactive',
    DRGD: 'dissolved',
    DISS: 'dissolved',
    DIV3: 'unknown',
    PEND: 'unknown',
    PROV: 'unknown',
    XXXX: 'unknown',
  };
  const lines = Object.keys(expected).map((status, index) => ({
    ...LINE,
    ACN: String(index).padStart(9, '0'),
    Status: status,
    'Date of Deregistration': status === 'DRGD' ? '05/06/2020' : '',
  }));
  const { result, entities } = await importTexts(au, { 'a.csv': write(...lines) });
  assert.deepEqual(
    Object.fromEntries(entities.map(({ status, registry }) => [registry.status.code, status])),
    expected,
  );
  assert.deepEqual(
    result.problems.map(({ value, problem }) => [value, problem]),
    [['XXXX', 'unknown status']],
  );
  assert.equal(entities[1]?.registry.strikeOffInProgress, true);
  assert.deepEqual(
    [entities[5]?.registry.endedAt, entities[5]?.registrations[0].endedAt],
    ['2020-06-05', '2020-06-05'],
  );
});

test('an unknown type is reported, and a company without a sub class has none', async () => {
  const line = { ...LINE, Type: 'ZZZZ', Class: 'NONE', 'Sub Class': 'NONE', Status: 'ZZZZ' };
  const { result, entities } = await importTexts(au, { 'a.csv': write(line) });
  const [{ legalForm, registry, registrations } = {} as never] = entities;
  assert.deepEqual(
    [legalForm, registry.class, registry.subClass, registrations[0].status, registrations[0].statusCode],
    ['ZZZZ', { code: 'NONE', label: 'Does not have an equivalent Australian liability' }, undefined, null, 'ZZZZ'],
  );
  assert.deepEqual(
    result.unknownValues.map(({ kind, column, value }) => [kind, column, value]),
    [
      ['status', 'Status', 'ZZZZ'],
      ['legalForm', 'Type', 'ZZZZ'],
    ],
  );
});

test('the ABN Bulk Extract is refused by name', async () => {
  const xml = '<?xml version="1.0"?><Transfer><ABR replaced="N"><ABN status="ACT">11000000948</ABN></ABR></Transfer>';
  await assert.rejects(importTexts(au, { 'Public01.xml': xml }), /ABN Bulk Extract.*COMPANY_YYYYMM\.csv/);
});

test('lost leading zeros are restored, invalid numbers and dates are reported, and a company without a number is kept', async () => {
  const { result, entities } = await importTexts(au, {
    'a.csv': write(
      { ...LINE, ACN: '948' },
      { ...LINE, ACN: 'X1', 'Date of Registration': '31/02/2000' },
      { ...LINE, ACN: '' },
    ),
  });
  assert.deepEqual(
    entities.map(
      ({ registrations }) => registrations.find(({ type }: { type: string }) => type === 'national')?.number ?? null,
    ),
    ['000000948', 'X1', null],
  );
  assert.deepEqual(
    result.problems.map(({ column, problem }) => [column, problem]),
    [
      ['ACN', 'not nine digits'],
      ['Date of Registration', 'not a date'],
      [null, 'no registration number: identified by name, date and legal form'],
    ],
  );
});

test('check digits of real numbers are valid', () => {
  for (const acn of ['000000948', '001832391', '000047950']) assert.equal(isValidAcn(acn), true, acn);
  for (const abn of ['11000000948', '11001832391', '11000047950']) assert.equal(isValidAbn(abn), true, abn);
  assert.equal(isValidAcn('000000949'), false);
  assert.equal(isValidAbn('11000000949'), false);
  assert.equal(isValidAbn('1100000094'), false);
});

test('an ACN whose weighted sum is a multiple of ten ends in zero', () => {
  // 1·7 + 1·3 = 10.
  assert.equal(findAcnCheckDigit('01000100'), 0);
  assert.equal(isValidAcn('010001000'), true);
  assert.equal(isValidAcn('010001001'), false);
  assert.equal(findAcnCheckDigit('0100010'), null);
});

test('an ABN needs eleven digits and a sum that is a multiple of 89', () => {
  for (const abn of ['00000000000', '1100000094X', '110000009480']) assert.equal(isValidAbn(abn), false, abn);
});

test('the generated file has the published header', () => {
  const [first = {}] = listSyntheticRows(generateFile(au, 1, 5));
  assert.equal(Object.keys(first).join('\t'), HEADER);
});

test('empty cells leave nothing behind, and marks count in any case', async () => {
  const nameless = { ...FORMER, 'Company Name': ' ' };
  const line = { ...LINE, Status: '', 'Modified since last report': 'y' };
  const { entities } = await importTexts(au, { 'a.csv': write(line, nameless) });
  const [entity] = entities;
  assert.equal(entity?.registry.modified, true);
  assert.equal(entity?.registry.previousNames, undefined);
  assert.equal(entity?.registrations[0].statusCode, undefined);
});
