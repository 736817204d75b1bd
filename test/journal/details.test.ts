import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ua } from '../../src/registers/ua/register.ts';
import { describeDetails } from '../../src/registry/journal/details.ts';
import { contentColumns } from '../../src/registry/records/store.ts';
import { createFieldHider } from '../../src/registry/records/withholding.ts';

type Values = Readonly<Record<string, string>>;
const EMPTY: Values = { registry: '{}', registrations: '[]' };
const toContent = (values: Values) => contentColumns.map((column) => values[column] ?? EMPTY[column] ?? null);

const describe = (before: Values, after: Values) =>
  JSON.parse(describeDetails(toContent(before), toContent(after), createFieldHider(ua)) ?? 'null');
const describeRegistry = (before: unknown, after: unknown) =>
  describe({ registry: JSON.stringify(before) }, { registry: JSON.stringify(after) });

test('values inside a record are named by their path; what is shown elsewhere is not listed', () => {
  assert.equal(describe({ canonical_name: 'A', status: 'active' }, { canonical_name: 'B', status: 'closed' }), null);
  assert.deepEqual(describe({ city: 'Riga' }, { city: 'Tartu' }), [{ field: 'city', before: 'Riga', after: 'Tartu' }]);
  assert.deepEqual(describeRegistry({ address: { postCode: 'N1' }, employees: 3 }, { address: {}, employees: 4 }), [
    { field: 'registry.address.postCode', before: 'N1', after: null },
    { field: 'registry.employees', before: '3', after: '4' },
  ]);
});

test('an item of a list that has the same name has changed; others were removed or added', () => {
  const kind = 'organisation';
  const [ann, bob, eve] = [
    { name: 'Ann', kind, role: 'director' },
    { name: 'Bob', kind, role: 'director' },
    { name: 'Eve', kind, role: 'director' },
  ];
  const before = { people: [{ ...ann, from: '2001' }, bob] };
  assert.deepEqual(describeRegistry(before, { people: [{ ...ann, from: '2002' }, eve] }), [
    { field: 'registry.people.from', before: '2001', after: '2002' },
    { field: 'registry.people', before: JSON.stringify(bob), after: null },
    { field: 'registry.people', before: null, after: JSON.stringify(eve) },
  ]);
  assert.equal(describeRegistry({ people: [ann, bob] }, { people: [bob, ann] }), null, 'the order is not a change');
});

test('natural persons are not named: of a party that may be one, only the role is listed', () => {
  const [ann, bob] = [
    { name: 'Ann', role: 'director' },
    { name: 'Bob', kind: 'person', role: 'founder' },
  ];
  assert.deepEqual(describeRegistry({ parties: [ann] }, { parties: [bob] }), [
    { field: 'registry.parties', before: '{"role":"director"}', after: null },
    { field: 'registry.parties', before: null, after: '{"role":"founder"}' },
  ]);
  const firm = { name: 'Firm', kind: 'organisation', role: 'founder', representative: { name: 'Ann' } };
  const after = { parties: [firm], establishments: [{ name: 'Branch', head: 'Bob' }] };
  assert.ok(!/Ann|Bob/.test(JSON.stringify(describeRegistry({}, after))));
});

test('at most 20 values of 200 characters; no character is cut in half', () => {
  const keys = Array.from({ length: 30 }, (_, index) => [`k${index}`, 'x'] as const);
  assert.equal(describeRegistry({}, Object.fromEntries(keys)).length, 20);
  assert.equal(describeRegistry({}, { list: keys.map(([key]) => key) }).length, 20);
  const text = `${'x'.repeat(199)}😀`;
  const [detail] = describeRegistry({ text }, { text: 'x'.repeat(200) });
  assert.deepEqual(detail, { field: 'registry.text', before: `${'x'.repeat(199)}…`, after: 'x'.repeat(200) });
});
