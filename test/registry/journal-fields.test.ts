import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareContent, writeFields } from '../../src/registry/journal/details.ts';
import { contentColumns } from '../../src/registry/records/store.ts';
import { rowColumns } from '../../src/search/memory/build/chunk.ts';
import { ACTIVITIES_JSON, NAMED_REGISTRY } from '../../src/search/store.ts';

const content = contentColumns.map((column) => (column === 'layout' ? 7 : `a ${column}`));
const former = { id: 'x', contentHash: 'h', linkedNumbers: '', content };

/** The names of the fields that differ if only this column does. */
const nameFields = (column: string) =>
  writeFields(compareContent(former, content.with(contentColumns.indexOf(column as never), 'b')));

test('each column counts as the field that shows it or that it is derived from', () => {
  const names = Object.fromEntries(contentColumns.map((column) => [column, JSON.parse(nameFields(column)).join()]));
  assert.deepEqual(names, {
    country_code: 'countryCode',
    register: 'register',
    registration_number: 'registrationNumber',
    canonical_name: 'canonicalName',
    status: 'status',
    legal_form: 'legalForm',
    city: 'city',
    registered_at: 'registeredAt',
    jurisdiction: 'jurisdiction',
    name_key: 'canonicalName',
    number_keys: 'registrations',
    activity_keys: 'registry',
    legal_form_code: 'registry',
    registrations: 'registrations',
    registry: 'registry',
    layout: 'sourceData',
    source_data: 'sourceData',
  });
});

test('every column that the search index reads is compared, or changes only with the others', () => {
  // An expression of `registry`, which is compared.
  assert.ok(contentColumns.includes('registry'));
  const others = ['id', 'updated_at', NAMED_REGISTRY, ACTIVITIES_JSON];
  const missing = rowColumns.filter((column) => ![...contentColumns, ...others].includes(column as never));
  assert.deepEqual(missing, []);
});

test('the numbers of linking entities are not content', () => {
  const keys = contentColumns.indexOf('number_keys');
  const linked = { ...former, linkedNumbers: '\nlei', content: content.with(keys, 'a number_keys\nlei') };
  assert.equal(compareContent(linked, content).size, 0);
  assert.equal(compareContent(linked, content.with(keys, 'a number_keys\nlei')).size, 1);
});

test('a record that is written again with the same content has a new time', () => {
  assert.equal(writeFields(compareContent(former, content)), '["updatedAt"]');
});
