import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TableSource } from '../../../src/registers/contract.ts';
import { lv } from '../../../src/registers/lv/register.ts';
import type { RegistryOf } from '../../../src/registers/vocabulary.ts';
import { generateFile } from '../../../synthetic/generators.ts';
import { mapRow } from '../../harness/mapping.ts';
import { importTexts } from '../../harness/register-files.ts';

const source = lv.sources[0] as TableSource<unknown>;

/** An active company as in the file. Tests override single columns. */
const ROW: Readonly<Record<string, string>> = {
  regcode: '40000000104',
  sepa: 'LV58ZZZ40000000104',
  name: 'Sabiedrība ar ierobežotu atbildību "Pūķi; un auklas"',
  name_before_quotes: 'Sabiedrība ar ierobežotu atbildību',
  name_in_quotes: 'Pūķi; un auklas',
  name_after_quotes: '',
  without_quotes: '0',
  regtype: 'K',
  regtype_text: 'Komercreģistrs',
  type: 'SIA',
  type_text: 'Sabiedrība ar ierobežotu atbildību',
  registered: '2012-05-31',
  terminated: '',
  closed: ' ',
  address: 'Talsu nov., Lībagu pag., "Pūķkalni"',
  index: '3258',
  addressid: '100000001',
  region: '100000002',
  city: '0',
  atvk: '0042000',
  reregistration_term: '',
};

const map = (changes: Readonly<Record<string, string>> = {}) => mapRow(source, { ...ROW, ...changes });

test('a company with all typed fields', () => {
  const { record, reports } = map();
  assert.deepEqual(reports, []);
  assert.deepEqual(record, {
    number: '40000000104',
    canonicalName: 'Sabiedrība ar ierobežotu atbildību "Pūķi; un auklas"',
    status: 'active',
    legalForm: { code: 'SIA', label: 'Sabiedrība ar ierobežotu atbildību' },
    registeredAt: '2012-05-31',
    registrations: [
      {
        authority: 'Uzņēmumu reģistrs',
        type: 'national',
        status: null,
        registeredAt: '2012-05-31',
        endedAt: null,
        number: '40000000104',
        numberValid: true,
      },
      {
        authority: 'SEPA',
        type: 'other',
        status: null,
        registeredAt: null,
        endedAt: null,
        number: 'LV58ZZZ40000000104',
      },
    ],
    activities: [],
    registry: {
      registerCode: 'K',
      registerName: 'Komercreģistrs',
      nameParts: { beforeQuotes: 'Sabiedrība ar ierobežotu atbildību', inQuotes: 'Pūķi; un auklas' },
      nameWithoutQuotes: false,
      address: {
        text: 'Talsu nov., Lībagu pag., "Pūķkalni", LV-3258',
        district: 'Lībagu pag.',
        city: 'Lībagu pag.',
        municipality: 'Talsu nov.',
        postCode: 'LV-3258',
        countryCode: 'LV',
        addressCode: '100000001',
        regionCode: '100000002',
        territoryCode: '0042000',
      },
    },
  });
});

test('a space or nothing in closed means active; a letter or a termination date means dissolved', () => {
  const cases: [
    closed: string,
    terminated: string,
    status: string,
    written: { code: string; label: string } | undefined,
    endedAt: string | null,
  ][] = [
    [' ', '', 'active', undefined, null],
    ['', '', 'active', undefined, null],
    ['L', '2019-03-04', 'dissolved', { code: 'L', label: 'Likvidēts' }, '2019-03-04'],
    ['L', '', 'dissolved', { code: 'L', label: 'Likvidēts' }, null],
    ['R', '2019-03-04', 'dissolved', { code: 'R', label: 'Reorganizēts' }, '2019-03-04'],
    [' ', '2019-03-04', 'dissolved', undefined, '2019-03-04'],
  ];
  for (const [closed, terminated, status, written, endedAt] of cases) {
    const { record, reports } = map({ closed, terminated });
    const [registration] = record.registrations;
    assert.equal(record.status, status, `closed '${closed}', terminated '${terminated}'`);
    assert.deepEqual([registration?.status, registration?.statusCode], [written?.label ?? null, written?.code]);
    assert.equal(registration?.endedAt, endedAt);
    assert.deepEqual(record.registry.status, written);
    assert.equal(record.registry.endedAt ?? null, endedAt);
    assert.deepEqual(reports, []);
  }
});

test('a line sep=; before the header is skipped', async () => {
  const header = Object.keys(ROW).join(';');
  const cells = Object.values({ ...ROW, closed: 'R', terminated: '2019-03-04' }).map(
    (cell) => `"${cell.replaceAll('"', '""')}"`,
  );
  const file = `sep=;\r\n${header}\r\n${cells.join(';')}\r\n`;
  const { result, entities } = await importTexts(lv, { 'register.csv': file });
  assert.deepEqual([result.counts.added, result.counts.rejected, result.unknownColumns], [1, 0, []]);
  assert.deepEqual([entities[0]?.canonicalName, entities[0]?.status], [ROW.name, 'dissolved']);
});

test('an unknown value of closed is reported; a letter still means dissolved', () => {
  const letter = map({ closed: 'X' });
  assert.deepEqual([letter.record.status, letter.reports], ['dissolved', [['status', 'closed', 'X']]]);
  const { record, reports } = map({ closed: '17' });
  assert.deepEqual([record.status, reports], ['unknown', [['status', 'closed', '17']]]);
  assert.equal(map({ closed: '17', terminated: '2019-03-04' }).record.status, 'dissolved');
});

test('an address abroad has no country code, and its places are not guessed', () => {
  const abroad = map({ address: 'Tallinn, Pikk 1', index: '', addressid: '0', city: '0' }).record.registry;
  assert.deepEqual((abroad as RegistryOf).address, {
    text: 'Tallinn, Pikk 1',
    regionCode: '100000002',
    territoryCode: '0042000',
  });
  const withoutPostCode = map({ address: 'Rīga, Kaiju iela 7', index: '' }).record.registry as RegistryOf;
  assert.deepEqual([withoutPostCode.address?.city, withoutPostCode.address?.countryCode], ['Rīga', 'LV']);
  assert.equal(map({ address: '', index: '', addressid: '0' }).record.registry.address, undefined);
});

test('an invalid termination date is reported and still means dissolved', () => {
  const { record, reports } = map({ terminated: '2019-02-30' });
  assert.equal(record.status, 'dissolved');
  assert.deepEqual(reports, [['terminated', '2019-02-30', 'not a date']]);
  assert.equal('endedAt' in record.registry, false);
});

test('the check digit is right, wrong, or not applicable', () => {
  for (const regcode of ['40000000104', '47382916507', '47382916511', '47382916526', '93637769954']) {
    assert.equal(map({ regcode }).record.registrations[0]?.numberValid, true);
  }
  for (const digit of '012356789') {
    assert.equal(map({ regcode: `9363776995${digit}` }).record.registrations[0]?.numberValid, false, digit);
  }
  assert.equal(map({ regcode: '40000000105' }).record.registrations[0]?.numberValid, false);
  assert.equal(map({ regcode: '40000000105' }).record.number, '40000000105');
  const { record, reports } = map({ regcode: '000700123' });
  assert.equal(record.number, '000700123');
  assert.equal(record.registrations[0]?.numberValid, undefined);
  assert.deepEqual(reports, []);
  assert.deepEqual(map({ regcode: '4,0003E+10' }).reports, [['regcode', '4,0003E+10', 'not a registration number']]);
});

test('a row without a name is rejected, one without a number is kept', () => {
  assert.deepEqual(map({ name: ' ' }).result, { rejected: 'no name' });
  const { record } = map({ regcode: '', sepa: '' });
  assert.equal(record.number, null);
  assert.deepEqual(record.registrations, []);
});

test('no VAT registration is derived from the registration number', () => {
  assert.deepEqual(
    map().record.registrations.map(({ type }) => type),
    ['national', 'other'],
  );
});

test('names with the legal form at the end, names of persons, and names without quotes', () => {
  const behind = { name: '"Pūķi" SIA', name_before_quotes: '', name_in_quotes: 'Pūķi', name_after_quotes: 'SIA' };
  assert.equal(map(behind).record.canonicalName, '"Pūķi" SIA');
  assert.deepEqual(map(behind).record.registry.nameParts, { inQuotes: 'Pūķi', afterQuotes: 'SIA' });
  const person = { name: 'IK Anna Pūķe', name_before_quotes: 'IK', name_in_quotes: 'Anna Pūķe', without_quotes: '1' };
  assert.equal(map(person).record.registry.nameWithoutQuotes, true);
  assert.deepEqual(map({ without_quotes: 'x' }).reports, [['without_quotes', 'x', 'neither 0 nor 1']]);
  assert.equal('nameWithoutQuotes' in map({ without_quotes: '' }).record.registry, false);
});

test('the legal form has a code and a text; a code without a text is reported', () => {
  const read = (type: string, type_text: string) => {
    const { record, reports } = map({ type, type_text });
    return [record.legalForm, reports];
  };
  assert.deepEqual(read('ZEM', 'Zemnieku saimniecība'), [{ code: 'ZEM', label: 'Zemnieku saimniecība' }, []]);
  assert.deepEqual(read('ZEM', ''), [{ code: 'ZEM' }, [['legalForm', 'type', 'ZEM']]]);
  assert.deepEqual(read('', ''), [null, []]);
});

test('postcodes get the prefix LV-; 0 means that there is none', () => {
  const postCodeOf = (index: string) => (map({ index }).record.registry.address as Record<string, string>).postCode;
  assert.equal(postCodeOf('1019'), 'LV-1019');
  assert.equal(postCodeOf('LV-1019'), 'LV-1019');
  assert.equal(postCodeOf('0'), undefined);
  assert.equal(postCodeOf(''), undefined);
  assert.deepEqual(map({ index: '10190' }).reports, [['index', '10190', 'not a postcode']]);
});

test('reregistration_term is read as a date', () => {
  assert.equal(map({ reregistration_term: '2027-12-31' }).record.registry.reregistrationTerm, '2027-12-31');
});

test('the generated file has semicolons, quotes only where needed, and the real header', () => {
  const { name, packing, content } = generateFile(lv, 3, 1);
  assert.deepEqual([name, packing], ['register.csv', 'none']);
  assert.ok(content.type === 'csv');
  assert.deepEqual([content.dialect.delimiter, content.quoting, content.bom], [';', 'needed', false]);
  assert.equal(
    content.header.join(';'),
    'regcode;sepa;name;name_before_quotes;name_in_quotes;name_after_quotes;without_quotes;regtype;regtype_text;type;' +
      'type_text;registered;terminated;closed;address;index;addressid;region;city;atvk;reregistration_term',
  );
});

test('generated entities map without reports, are consistent, and have unique numbers', () => {
  const rows = listRows(20_000, 5);
  assert.deepEqual(listRows(50, 5), rows.slice(0, 50));
  assert.notDeepEqual(listRows(50, 6), rows.slice(0, 50));
  const [numbers, names, forms] = [new Set<string>(), new Set<string>(), new Set<string>()];
  let [wrong, withSemicolon] = [0, 0];
  for (const values of rows) {
    const row = Object.fromEntries(source.columns.map((column, index) => [column, values[index] ?? '']));
    const { record, reports } = map(row);
    assert.deepEqual(reports, []);
    assert.equal(row.name, joinName(row));
    assert.equal(row.closed === ' ', record.status === 'active');
    const { registeredAt, endedAt } = record.registrations[0] ?? {};
    assert.ok(!endedAt || (registeredAt ?? '') < endedAt);
    numbers.add(record.number ?? '');
    names.add(record.canonicalName);
    forms.add(JSON.stringify(record.legalForm));
    if (record.registrations[0]?.numberValid !== true) wrong++;
    if (record.canonicalName.includes(';')) withSemicolon++;
  }
  assert.equal(numbers.size, rows.length);
  assert.ok(names.size > rows.length * 0.85, `${names.size} names`);
  assert.ok(forms.size >= 8);
  assert.ok(wrong > 10 && wrong < 100, `${wrong} wrong check digits`);
  assert.ok(withSemicolon > 5);
});

function joinName(row: Record<string, string>): string {
  const inner = row.without_quotes === '1' ? row.name_in_quotes : `"${row.name_in_quotes}"`;
  return [row.name_before_quotes, inner, row.name_after_quotes].filter(Boolean).join(' ');
}

function listRows(rows: number, seed: number): (readonly string[])[] {
  const { content } = generateFile(lv, rows, seed);
  assert.ok(content.type === 'csv');
  return [...content.rows];
}
