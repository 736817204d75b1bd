import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mapRow } from '../../../test/harness/mapping.ts';
import type { TableSource } from '../contract.ts';
import { lv } from './register.ts';

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
    legalForm: 'Sabiedrība ar ierobežotu atbildību',
    registeredAt: '2012-05-31',
    registrations: [
      {
        authority: 'Uzņēmumu reģistrs',
        type: 'national',
        status: null,
        registeredAt: '2012-05-31',
        endedAt: null,
        number: '40000000104',
      },
    ],
    activities: [],
    registry: {
      numberValid: true,
      legalFormCode: 'SIA',
      registerCode: 'K',
      registerName: 'Komercreģistrs',
      nameParts: { beforeQuotes: 'Sabiedrība ar ierobežotu atbildību', inQuotes: 'Pūķi; un auklas' },
      nameWithoutQuotes: false,
      address: {
        text: 'Talsu nov., Lībagu pag., "Pūķkalni"',
        postCode: 'LV-3258',
        addressCode: '100000001',
        regionCode: '100000002',
        territoryCode: '0042000',
      },
      sepaCreditorId: 'LV58ZZZ40000000104',
    },
  });
});

test('a space or nothing in closed means active; a letter or a termination date means dissolved', () => {
  const cases: [closed: string, terminated: string, status: string, raw: string | null, endedAt: string | null][] = [
    [' ', '', 'active', null, null],
    ['', '', 'active', null, null],
    ['L', '2019-03-04', 'dissolved', 'L', '2019-03-04'],
    ['L', '', 'dissolved', 'L', null],
    ['R', '2019-03-04', 'dissolved', 'R', '2019-03-04'],
    ['X', '', 'dissolved', 'X', null],
    [' ', '2019-03-04', 'dissolved', null, '2019-03-04'],
  ];
  for (const [closed, terminated, status, raw, endedAt] of cases) {
    const { record, reports } = map({ closed, terminated });
    assert.equal(record.status, status, `closed '${closed}', terminated '${terminated}'`);
    assert.equal(record.registrations[0]?.status, raw);
    assert.equal(record.registrations[0]?.endedAt, endedAt);
    assert.equal(record.registry.terminatedAt ?? null, endedAt);
    assert.deepEqual(reports, []);
  }
});

test('a value of closed that is not a letter is reported', () => {
  const { record, reports } = map({ closed: '17' });
  assert.equal(record.status, 'unknown');
  assert.deepEqual(reports, [['closed', '17', 'unknown status']]);
  assert.equal(map({ closed: '17', terminated: '2019-03-04' }).record.status, 'dissolved');
});

test('an invalid termination date is reported and still means dissolved', () => {
  const { record, reports } = map({ terminated: '2019-02-30' });
  assert.equal(record.status, 'dissolved');
  assert.deepEqual(reports, [['terminated', '2019-02-30', 'not a date']]);
  assert.equal('terminatedAt' in record.registry, false);
});

test('the check digit is right, wrong, or not applicable', () => {
  for (const regcode of ['40000000104', '47382916507', '47382916511', '47382916526', '93637769954']) {
    assert.equal(map({ regcode }).record.registry.numberValid, true);
  }
  for (const digit of '012356789') {
    assert.equal(map({ regcode: `9363776995${digit}` }).record.registry.numberValid, false, digit);
  }
  assert.equal(map({ regcode: '40000000105' }).record.registry.numberValid, false);
  assert.equal(map({ regcode: '40000000105' }).record.number, '40000000105');
  const { record, reports } = map({ regcode: '000700123' });
  assert.equal(record.number, '000700123');
  assert.equal('numberValid' in record.registry, false);
  assert.deepEqual(reports, []);
  assert.deepEqual(map({ regcode: '4,0003E+10' }).reports, [['regcode', '4,0003E+10', 'not a registration number']]);
});

test('a row without a name is rejected, one without a number is kept', () => {
  assert.deepEqual(map({ name: ' ' }).result, { rejected: 'no name' });
  const { record } = map({ regcode: '' });
  assert.equal(record.number, null);
  assert.deepEqual(record.registrations, []);
  assert.equal('numberValid' in record.registry, false);
});

test('no VAT registration is derived from the registration number', () => {
  assert.deepEqual(
    map().record.registrations.map(({ type }) => type),
    ['national'],
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

test('the legal form is the text, or the code if the text is empty', () => {
  assert.equal(map({ type: 'ZEM', type_text: 'Zemnieku saimniecība' }).record.legalForm, 'Zemnieku saimniecība');
  assert.equal(map({ type: 'ZEM', type_text: '' }).record.legalForm, 'ZEM');
  assert.equal(map({ type: '', type_text: '' }).record.legalForm, null);
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
  const { name, packing, content } = lv.generate(3, 1);
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
    forms.add(String(record.legalForm));
    if (record.registry.numberValid !== true) wrong++;
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
  const { content } = lv.generate(rows, seed);
  assert.ok(content.type === 'csv');
  return [...content.rows];
}
