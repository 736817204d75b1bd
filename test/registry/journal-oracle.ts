import assert from 'node:assert/strict';
import type { Db } from '../../src/base/db/db.ts';
import { storedNames } from '../../src/base/entity-summary.ts';
import { registers } from '../../src/registers/index.ts';
import { createRegistry } from '../../src/registry/registry.ts';

/** What clients see of a record, and what it is searched by, as one text per field. */
export interface Seen {
  readonly register: string;
  readonly updatedAt: string;
  readonly fields: ReadonlyMap<string, string>;
  /** The values that a change shows. */
  readonly shown: Shown;
}

export interface Shown {
  readonly name: string;
  readonly status: string;
  readonly legalForm: string | null;
  readonly registeredAt: string | null;
}

export type Seens = ReadonlyMap<string, Seen>;

interface Keys {
  readonly id: string;
  readonly names: string;
  readonly numbers: string;
  readonly linked: string;
  readonly activities: string;
  readonly form: string | null;
}

/** Reads every record as the API shows it, and the keys that only search sees. */
export async function readRecords(db: Db): Promise<Seens> {
  const registry = createRegistry(db, registers);
  const keys = await db.all<Keys>(
    `SELECT id, name_key AS names, number_keys AS numbers, linked_numbers AS linked, activity_keys AS activities,
      legal_form_code AS form FROM entities`,
  );
  const links = await db.all<{ to: string; numbers: string }>(
    'SELECT to_id AS "to", numbers FROM links ORDER BY from_id',
  );
  const linkedNumbers = Map.groupBy(links, ({ to }) => to);
  const records = new Map<string, Seen>();
  for (const { id, names, numbers, linked, activities, form } of keys) {
    const expected = linkedNumbers.get(id)?.map((link) => `\n${link.numbers}`) ?? [];
    assert.equal(linked, expected.join(''));
    assert.ok(numbers.endsWith(linked));
    const found = (await registry.findEntity(id)) ?? assert.fail();
    const record = JSON.parse(String(found.content)).data;
    const fields = new Map<string, string>();
    // What is derived from a record changes with our tables, which is no change of a company.
    for (const name of [...storedNames, 'registry', 'sourceData', 'registrations', 'related']) {
      if (name !== 'id' && name !== 'updatedAt') fields.set(name, JSON.stringify(record[name]));
    }
    const own = numbers.slice(0, numbers.length - linked.length);
    fields.set('canonicalName', `${record.canonicalName} ${names}`);
    fields.set('registrations', `${fields.get('registrations')} ${own}`);
    fields.set('registry', `${fields.get('registry')} ${activities} ${form}`);
    fields.set('related', `${record.related.map((one: { id: string }) => one.id)} ${linked}`);
    const { canonicalName, status, legalForm, registeredAt } = record;
    const shown = { name: canonicalName, status, legalForm, registeredAt };
    records.set(id, { register: record.register, updatedAt: record.updatedAt, fields, shown });
  }
  return records;
}

export interface Change {
  readonly type: string;
  readonly entity: string | null;
  readonly country: string;
  readonly register: string;
  readonly fields: readonly string[];
  readonly before: Shown | null;
  readonly after: Shown | null;
}

/** What an import of the register must have written, by comparing all records before and after it. */
export function expectChanges(before: Seens, after: Seens, register: string): Change[] {
  const countries = new Set<string>();
  for (const seen of after.values()) if (seen.register === register) countries.add(readCountry(seen));
  if (![...before.values()].some((seen) => seen.register === register)) {
    const loaded = { type: 'loaded', entity: null, register, fields: [], before: null, after: null };
    return [...countries].map((country) => ({ ...loaded, country }));
  }
  return [...after].flatMap(([id, now]): Change[] => {
    const old = before.get(id);
    const place = { entity: id, country: readCountry(now), register: now.register };
    if (old === undefined) return [{ type: 'added', ...place, fields: [], before: null, after: now.shown }];
    const fields = [...now.fields.keys()].filter((name) => now.fields.get(name) !== old.fields.get(name));
    if (fields.length === 0) {
      assert.equal(now.updatedAt, old.updatedAt, 'a record that did not change keeps its time');
      return [];
    }
    return [{ type: nameType(old, now), ...place, fields, before: old.shown, after: now.shown }];
  });
}

function nameType(old: Seen, now: Seen): string {
  const [was, is] = [old.shown.status === 'delisted', now.shown.status === 'delisted'];
  return was === is ? 'changed' : is ? 'delisted' : 'relisted';
}

function readCountry({ fields }: Seen): string {
  return JSON.parse(fields.get('countryCode') ?? '');
}

export interface Entry {
  readonly generation: number;
  readonly publishedAt: number;
  readonly register: string;
  readonly batch: number;
  readonly changes: number;
  readonly loaded: number;
  readonly mixed: number;
}

export async function readEntries(db: Db): Promise<Entry[]> {
  const rows = await db.all<Entry>(
    `SELECT generation, published_at AS "publishedAt", register, batch, changes, loaded, mixed
      FROM journal ORDER BY generation`,
  );
  return rows.map((row) => ({ ...row }));
}

/** The changes of one import, in their order. Their positions must be 0, 1, 2 and so on. */
export async function readChanges(db: Db, batch: number): Promise<Change[]> {
  const rows = await db.all<Record<string, string>>('SELECT * FROM changes WHERE batch = $1 ORDER BY position', [
    batch,
  ]);
  return rows.map((row, index) => {
    assert.equal(row.position, index);
    const read = (when: string): Shown | null => {
      const name = row[`name_${when}`] as string | null;
      const [form, day] = [row[`legal_form_${when}`] ?? null, row[`registered_${when}`] ?? null];
      return name === null ? null : { name, status: row[`status_${when}`] ?? '', legalForm: form, registeredAt: day };
    };
    return {
      type: row.type ?? '',
      entity: row.entity_id ?? null,
      country: row.country_code ?? '',
      register: row.register ?? '',
      fields: JSON.parse(row.fields ?? ''),
      before: read('before'),
      after: read('after'),
    };
  });
}

export function sortChanges(changes: readonly Change[]): Change[] {
  const key = ({ entity, country }: Change) => entity ?? country;
  return [...changes].sort((one, other) => (key(one) < key(other) ? -1 : 1));
}
