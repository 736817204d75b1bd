import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Db } from '../../src/db/db.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { openStore } from '../../src/db/open.ts';
import type { MappedRecord } from '../../src/registers/contract.ts';
import { registers } from '../../src/registers/index.ts';
import { importFiles } from '../../src/registry/import.ts';
import { hasSameContent, indexRegisters, type PreparedRecord, prepareRecord } from '../../src/registry/record.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase, engines } from '../harness/databases.ts';
import { company, writeGb } from './gb-file.ts';

const byId = indexRegisters(registers);
const gb = registers.find(({ id }) => id === 'gb') ?? assert.fail();
const registration = { authority: 'A', type: 'national', status: null, registeredAt: '2020-01-01', endedAt: null };
const record: MappedRecord = {
  number: '1',
  canonicalName: 'Äpfel AS',
  status: 'active',
  legalForm: null,
  registeredAt: null,
  registrations: [{ ...registration, number: '0 1-2' }],
  activities: [{ type: 'unlicensed', code: '1', label: 'One' }],
  registry: { a: 1 },
};
const table = { layout: 7, text: '["x"]' };
const tree = { layout: null, text: '{}' };
const withNulls = prepareRecord(gb, record, table, 1, byId);
const withoutNulls = prepareRecord(gb, { ...record, legalForm: 'AS', registeredAt: '2020-01-01' }, tree, 1, byId);
const linked = prepareRecord(gb, { ...record, link: { register: 'no', number: '923609016' } }, table, 1, byId);

describe('the content hash', () => {
  test('names the columns and leaves out those that are null', () => {
    const written =
      'country_code|GB|canonical_name|Äpfel AS|status|active|name_key|apfel as|number_keys|0 1-2\n012|' +
      'activity_keys|u1\nuOne|register|gb|registrations|[{"authority":"A","type":"national","status":null,' +
      '"registeredAt":"2020-01-01","endedAt":null,"number":"0 1-2"}]|registry|{"a":1}|layout|7|source_data|["x"]|';
    const content = written.replaceAll('|', '\0');
    assert.equal(withNulls.content, content);
    assert.equal(withNulls.contentHash, hash('sha256', content, 'base64url').slice(0, 24));
  });

  test('includes the linked entity', () => {
    assert.equal(linked.content, withNulls.content);
    assert.notEqual(linked.contentHash, withNulls.contentHash);
  });

  test('a hash of 22 characters, of values by position, is still recognized', () => {
    const stored: readonly [PreparedRecord, string][] = [
      [withNulls, 'scvpUIMg3mozqvBdrG5owj'],
      [withoutNulls, 'cd59t4PQULoxoitTiOv6f6'],
      [linked, 'rguKpur5pouJZIFQgEcxTV'],
    ];
    for (const [prepared, storedHash] of stored) {
      assert.ok(hasSameContent(prepared, storedHash));
      for (const [other] of stored) assert.equal(hasSameContent(other, storedHash), other === prepared);
    }
    const renamed = prepareRecord(gb, { ...record, canonicalName: 'Birnen AS' }, table, 1, byId);
    assert.equal(hasSameContent(renamed, 'scvpUIMg3mozqvBdrG5owj'), false);
  });

  test('the empty hash of a delisted record never matches', () => {
    assert.equal(hasSameContent(withNulls, ''), false);
  });
});

for (const engine of engines) {
  test(`an import into an existing store on ${engine} leaves records with a hash by position as they are`, async () => {
    const database = await createDatabase(engine);
    const db = openStore('registry', database);
    const clock = testClock('2026-09-01T00:00:00.000Z');
    await migrate(db, readMigrations('registry'), clock);
    const run = (name: string, rows: Parameters<typeof writeGb>[2]) =>
      importFiles(db, clock, { register: gb, registers, paths: [writeGb(database.dataDir, name, rows)] });
    const noForm = company('00000002', 'NO FORM LTD', { CompanyCategory: '', IncorporationDate: '' });

    await run('first.csv', [company('00000001', 'SAME LTD'), noForm, company('00000003', 'OLD NAME LTD')]);
    await hashByPosition(db);
    const before = await readRows(db);
    clock.advance(60_000);
    const { counts } = await run('second.csv', [
      company('00000001', 'SAME LTD'),
      noForm,
      company('00000003', 'NEW NAME LTD'),
    ]);
    assert.deepEqual([counts?.added, counts?.changed, counts?.unchanged], [0, 1, 2]);
    const after = await readRows(db);
    assert.deepEqual(after.slice(0, 2), before.slice(0, 2));
    assert.equal(after[2]?.updated_at, clock.now());
    assert.equal(String(after[2]?.content_hash).length, 24);

    await db.close();
    await database.remove();
  });
}

async function readRows(db: Db): Promise<Record<string, unknown>[]> {
  return (await db.all('SELECT * FROM entities ORDER BY registrations')).map((row) => ({ ...row }));
}

/** Gives every record the hash that a store from before named columns has. */
async function hashByPosition(db: Db): Promise<void> {
  for (const row of await readRows(db)) {
    const values = [
      ...[row.register, row.country_code, row.canonical_name, row.name_key, row.status, row.legal_form],
      ...[row.registered_at, row.number_keys, row.activity_keys, row.registrations, row.registry, row.layout],
      row.source_data,
    ];
    const written = values.map((value) => (typeof value === 'string' ? value : `\u0001${value ?? ''}`)).join('\0');
    const stored = hash('sha256', written, 'base64url').slice(0, 22);
    await db.run('UPDATE entities SET content_hash = $1 WHERE id = $2', [stored, String(row.id)]);
  }
}
