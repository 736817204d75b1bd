import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Value } from '../../src/base/db/db.ts';
import { findLinkedId, prepareRecord } from '../../src/import/mapping/prepare.ts';
import { indexRegisters, type MappedRecord } from '../../src/registers/contract.ts';
import { registers } from '../../src/registers/index.ts';
import { parseContent } from '../../src/registry/records/record-content.ts';
import { createSourceDataWriter, describeLayout, padCells } from '../../src/registry/records/source-data.ts';
import { contentColumns } from '../../src/registry/records/store.ts';
import { anyCharacter } from '../harness/any-character.ts';
import { prepareTools } from '../registers/mapping.ts';

const registersById = indexRegisters(registers);
const register = registers[0] as (typeof registers)[0];
const tools = prepareTools(register, registers);
const record = (fields: Partial<MappedRecord> = {}): MappedRecord => ({
  number: '1',
  canonicalName: 'Äpfel AS',
  status: 'active',
  legalForm: null,
  registeredAt: null,
  registrations: [],
  activities: [],
  registry: {},
  ...fields,
});
const byColumn = (values: readonly Value[]) =>
  Object.fromEntries(contentColumns.map((column, at) => [column, values[at]]));
const anyText = fc.string({ unit: anyCharacter });

describe('prepared records', () => {
  test('any name and legal form can be stored, and the other values are read back unchanged', () => {
    fc.assert(
      fc.property(
        anyText,
        fc.option(anyText),
        fc.option(fc.integer({ min: 0 })),
        anyText,
        (name, legalForm, layout, text) => {
          const columns = '["a"]';
          const source = { layout: layout === null ? null : { id: layout, columns }, text: JSON.stringify([text]) };
          const { content } = prepareRecord(
            tools,
            record({ canonicalName: name, legalForm: legalForm === null ? null : { label: legalForm } }),
            source,
            1,
          );
          const values = parseContent(content);
          assert.equal(values.length, contentColumns.length);
          for (const value of values)
            assert.ok(typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0')));
          const stored = byColumn(values);
          if (name.isWellFormed() && !name.includes('\0')) assert.equal(stored.canonical_name, name);
          assert.equal(stored.legal_form === null, legalForm === null);
          assert.equal(stored.layout, layout);
          assert.equal(stored.source_data, source.text);
        },
      ),
    );
  });

  test('the first number, the city and the code of the legal form have columns', () => {
    const prepare = (fields: Partial<MappedRecord>) => {
      const source = { layout: null, text: '{}' };
      const { content } = prepareRecord(tools, record(fields), source, 1);
      const { registration_number, city, legal_form, legal_form_code } = byColumn(parseContent(content));
      return [registration_number, city, legal_form, legal_form_code];
    };
    const rest = { authority: 'A', type: 'national', status: null, registeredAt: null, endedAt: null } as const;
    const registrations = ['SC 1', '2'].map((number) => ({ ...rest, number }));
    const registry = { address: { text: 'Leeds, UK', city: 'Leeds' } };
    const legalForm = { code: 'AS', label: 'Aksjeselskap' };
    assert.deepEqual(prepare({ registrations, registry, legalForm }), ['SC 1', 'Leeds', 'Aksjeselskap', 'AS']);
    assert.deepEqual(prepare({ legalForm: { code: 'AS' } }), [null, null, 'AS', 'AS']);
    const plain = { legalForm: { label: 'AS' }, registry: { address: { text: 'Leeds' } } };
    assert.deepEqual(prepare(plain), [null, null, 'AS', null]);
    assert.deepEqual(prepare({}), [null, null, null, null]);
  });

  test('the content hash covers everything a client sees', () => {
    const hashOf = (fields: Partial<MappedRecord>, text = '["a"]') =>
      prepareRecord(tools, record(fields), { layout: { id: 1, columns: '["a"]' }, text }, 1).contentHash;
    const changes: Partial<MappedRecord>[] = [
      {},
      { canonicalName: 'Other AS' },
      { status: 'dissolved' },
      { legalForm: { label: 'AS' } },
      { registeredAt: '2020-01-01' },
      { activities: [{ type: 'unlicensed', code: '1', label: null, scheme: 'NACE' }] },
      { registry: { employees: { count: 1 } } },
    ];
    const hashes = [...changes.map((fields) => hashOf(fields)), hashOf({}, '["b"]')];
    assert.equal(new Set(hashes).size, hashes.length);
    assert.equal(hashOf({}), hashOf({}));
  });

  test('the content hash names the columns, leaves out those that are null, and includes the linked entity', () => {
    const rest = { authority: 'A', type: 'national', status: null, registeredAt: '2020-01-01', endedAt: null } as const;
    const fields: Partial<MappedRecord> = {
      registrations: [{ ...rest, number: '0 1-2' }],
      activities: [{ type: 'unlicensed', code: '1', label: 'One', scheme: 'NACE' }],
      registry: { employees: { count: 1 } },
    };
    const gb = prepareTools(registers.find(({ id }) => id === 'gb') as (typeof registers)[0], registers);
    const prepare = (more: Partial<MappedRecord> = {}) =>
      prepareRecord(gb, record({ ...fields, ...more }), { layout: { id: 7, columns: '["a"]' }, text: '["x"]' }, 1);
    const written =
      'country_code|GB|register|gb|registration_number|0 1-2|canonical_name|Äpfel AS|status|active|name_key|apfel as|' +
      'number_keys|0 1-2\t012|activity_keys|u1\nuOne|registrations|[{"authority":"A","type":"national","status":null,' +
      '"registeredAt":"2020-01-01","endedAt":null,"number":"0 1-2"}]|registry|{"activities":[{"code":"1","label":"One",' +
      '"scheme":"NACE","type":"unlicensed"}],"employees":{"count":1}}|layout|7|source_data|["x"]|';
    const content = written.replaceAll('|', '\0');
    const { content: stored, contentHash } = prepare();
    assert.equal(stored, content);
    assert.equal(contentHash, hash('sha256', content, 'base64url').slice(0, 24));
    const linked = prepare({ link: { register: 'no', number: '923609016' } });
    assert.equal(linked.content, content);
    assert.notEqual(linked.contentHash, contentHash);
  });

  test('the id depends only on country, register and number; without a number on name, date and legal form', () => {
    const idOf = (fields: Partial<MappedRecord>) =>
      prepareRecord(tools, record(fields), { layout: null, text: '{}' }, 1).id;
    assert.equal(idOf({}), idOf({ canonicalName: 'Renamed', status: 'dissolved' }));
    assert.notEqual(idOf({}), idOf({ number: '2' }));
    const others: Partial<MappedRecord>[] = [
      { canonicalName: 'Other' },
      { registeredAt: '2020-01-01' },
      { legalForm: { label: 'Other' } },
    ];
    for (const other of others) {
      assert.notEqual(idOf({ number: null }), idOf({ number: null, ...other }));
    }
    assert.equal(idOf({ number: null }), idOf({ number: null, status: 'dissolved' }));
  });
});

test('a number in the format of another register finds the company under its own number', () => {
  for (const [register, written, number] of [
    ['au', '51 824 753 556', '824753556'],
    ['au', '4 085 616', '004085616'],
    ['be', '0203430576', '0203.430.576'],
    ['br', '33.000.167/0001-01', '33000167'],
    ['ca', '426160-7', '4261607'],
    ['cz', '177041', '00177041'],
    ['fi', '01120389', '0112038-9'],
    ['gb', '445790', '00445790'],
    ['gb', 'sc 000001', 'SC000001'],
    ['ie', '012965', '12965'],
    ['no', '923 609 016', '923609016'],
    ['ro', 'J40/8302/1997', 'J40/8302/1997'],
    ['ua', '32855', '00032855'],
  ] as const) {
    assert.equal(
      findLinkedId({ register, number: written }, registersById),
      findLinkedId({ register, number }, registersById),
      written,
    );
    const named = registers.find(({ id }) => id === register) as (typeof registers)[0];
    const { id } = prepareRecord(prepareTools(named), record({ number }), { layout: null, text: '{}' }, 1);
    assert.equal(findLinkedId({ register, number: written }, registersById), id, written);
  }
  assert.equal(findLinkedId({ register: 'xx', number: '1' }, registersById), undefined);
});

test('source rows are read back with every cell under its exact column, in column order', () => {
  const table = fc.uniqueArray(
    anyText.filter((name) => !/^\d+$/.test(name) && name !== '__proto__'),
    { minLength: 1, maxLength: 12 },
  );
  fc.assert(
    fc.property(table, fc.array(anyText, { maxLength: 12 }), (columns, cells) => {
      const given = cells.slice(0, columns.length);
      const { columns: stored } = describeLayout(columns);
      const sourceData = JSON.parse(createSourceDataWriter(stored)(JSON.stringify(padCells(given, columns.length))));
      assert.deepEqual(
        Object.entries(sourceData),
        columns.map((column, index) => [column, given[index] ?? '']),
      );
    }),
  );
  assert.equal(describeLayout(['a', 'b']).id, describeLayout(['a', 'b']).id);
  assert.notEqual(describeLayout(['a', 'b']).id, describeLayout(['b', 'a']).id);
});
