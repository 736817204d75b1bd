import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test } from 'node:test';
import { prepareRecord } from '../../src/importing/mapping/record.ts';
import type { MappedRecord } from '../../src/registers/contract.ts';
import { registers } from '../../src/registers/index.ts';
import { prepareTools } from '../harness/mapping.ts';

const gb = registers.find(({ id }) => id === 'gb') ?? assert.fail();
const registration = {
  authority: 'A',
  type: 'national',
  status: null,
  registeredAt: '2020-01-01',
  endedAt: null,
} as const;
const record: MappedRecord = {
  number: '1',
  canonicalName: 'Äpfel AS',
  status: 'active',
  legalForm: null,
  registeredAt: null,
  registrations: [{ ...registration, number: '0 1-2' }],
  activities: [{ type: 'unlicensed', code: '1', label: 'One', scheme: 'NACE' }],
  registry: { a: 1 },
};
const table = { layout: { id: 7, columns: '["a"]' }, text: '["x"]' };
const tools = prepareTools(gb, registers);
const withNulls = prepareRecord(tools, record, table, 1);
const linked = prepareRecord(tools, { ...record, link: { register: 'no', number: '923609016' } }, table, 1);

describe('the content hash', () => {
  test('names the columns and leaves out those that are null', () => {
    const written =
      'country_code|GB|register|gb|registration_number|0 1-2|canonical_name|Äpfel AS|status|active|name_key|apfel as|' +
      'number_keys|0 1-2\t012|activity_keys|u1\nuOne|registrations|[{"authority":"A","type":"national","status":null,' +
      '"registeredAt":"2020-01-01","endedAt":null,"number":"0 1-2"}]|registry|{"activities":[{"code":"1","label":"One",' +
      '"scheme":"NACE","type":"unlicensed"}],"a":1}|layout|7|source_data|["x"]|';
    const content = written.replaceAll('|', '\0');
    assert.equal(withNulls.content.text, content);
    assert.equal(withNulls.contentHash, hash('sha256', content, 'base64url').slice(0, 24));
  });

  test('includes the linked entity', () => {
    assert.equal(linked.content.text, withNulls.content.text);
    assert.notEqual(linked.contentHash, withNulls.contentHash);
  });
});
