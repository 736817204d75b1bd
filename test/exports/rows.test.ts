import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EntitySummary, summaryNames } from '../../src/base/entity-summary.ts';
import { exportFormats } from '../../src/base/export-formats.ts';
import { createCsvWriter, csvSchema } from '../../src/exports/csv.ts';
import { MANIFEST, parseManifest } from '../../src/exports/folder.ts';
import type { EntityParts } from '../../src/registry/records/records.ts';
import { parseCsv } from './parse-csv.ts';

const summary = Object.fromEntries(summaryNames.map((name) => [name, `the ${name}`])) as EntitySummary;

/** Each value occurs once, so that no column can show another one's. */
const FULL = {
  registry: {
    legalForm: { code: 'F1', label: 'Form' },
    foundedAt: '2001-01-01',
    endedAt: '2002-02-02',
    address: { text: 'All', street: 'Road', number: '12a', postCode: 'P1', municipality: 'Muni', region: 'Area' },
    activities: [
      { code: 'A1', label: 'Work', isic: { section: 'J', class: '6201', level: 'class' } },
      { code: 'A2', isic: { section: 'A', level: 'section' } },
      { label: 'Trade', isic: { section: 'A', level: 'section' } },
    ],
    previousNames: [{ name: 'Old' }, { name: 'Older' }],
    otherNames: [{ name: 'Alias' }],
    capital: { amount: '1.50', currency: 'EUR' },
    employees: { count: 7, from: 5, to: 9 },
    contacts: { websites: ['w.example'], emails: ['m@x.example', 'n@x.example'], phones: ['112'] },
  },
  registrations: [{ number: 'N1' }, { number: null }, { number: 'N2' }],
  provenance: {
    publisher: 'Office',
    licence: 'CC0',
    sourceUrl: 'https://x.example/f',
    file: 'f.csv',
    hash: 'ab',
    row: 3,
    asOf: '2026-01-01',
    importedAt: '2026-01-02T00:00:00.000Z',
    synthetic: true,
  },
};

const CELLS = {
  legalFormCode: 'F1',
  foundedAt: '2001-01-01',
  endedAt: '2002-02-02',
  address: 'All',
  street: 'Road',
  houseNumber: '12a',
  postCode: 'P1',
  municipality: 'Muni',
  region: 'Area',
  activityCodes: 'A1 | A2',
  activityLabels: 'Work | Trade',
  isicCodes: '6201 | A',
  previousNames: 'Old | Older',
  otherNames: 'Alias',
  capitalAmount: '1.50',
  capitalCurrency: 'EUR',
  employees: '7',
  employeesFrom: '5',
  employeesTo: '9',
  websites: 'w.example',
  emails: 'm@x.example | n@x.example',
  phones: '112',
  registrationNumbers: 'N1 | N2',
  publisher: 'Office',
  licence: 'CC0',
  sourceUrl: 'https://x.example/f',
  file: 'f.csv',
  hash: 'ab',
  row: '3',
  asOf: '2026-01-01',
  importedAt: '2026-01-02T00:00:00.000Z',
  synthetic: 'true',
};

test('every column of CSV shows its own value of the record, and is empty without one', () => {
  const empty = { registry: { activities: [], employees: null }, registrations: [], provenance: null };
  const [header = [], full = [], none = [], ...others] = parseCsv(write([FULL, empty]));
  assert.deepEqual(
    header,
    csvSchema.map(({ name }) => name),
  );
  assert.deepEqual(Object.fromEntries(header.map((name, index) => [name, full[index]])), { ...summary, ...CELLS });
  assert.deepEqual(none, [...Object.values(summary), ...Object.keys(CELLS).map(() => '')]);
  assert.deepEqual(others, []);
});

function write(records: readonly Readonly<Record<'registry' | 'registrations' | 'provenance', unknown>>[]): string {
  const chunks: Uint8Array[] = [];
  const writer = createCsvWriter({
    write: (bytes) => chunks.push(bytes),
    finish: () => assert.fail('the writer does not finish its file'),
  });
  const toParts = ({ registry, registrations, provenance }: (typeof records)[number]): EntityParts => ({
    summary,
    registry: JSON.stringify(registry),
    sourceData: '{}',
    registrations: JSON.stringify(registrations),
    related: '[]',
    partyCounts: 'null',
    provenance: JSON.stringify(provenance),
  });
  writer.add(records.map(toParts));
  writer.end();
  return Buffer.concat(chunks).toString();
}

test('a manifest of this version is read, anything else is refused', () => {
  for (const format of exportFormats) {
    assert.equal(parseManifest(JSON.stringify({ manifestVersion: 1, format })).format, format);
  }
  const others = ['{}', '{"manifestVersion":2,"format":"csv"}', '{"manifestVersion":1,"format":"xlsx"}', '{'];
  for (const text of others) assert.throws(() => parseManifest(text), Error, text);
  assert.equal(MANIFEST, 'manifest.json');
});
