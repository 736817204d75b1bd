import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { exceedsBounds } from '../../src/base/json/json-bounds.ts';
import { createExcerpt, type ExcerptValue, selectListPage } from '../../src/base/json/json-excerpt.ts';
import { runs } from '../harness/depth.ts';

/** Measured on the value itself. An empty object or list counts as one value, because it has to be built as well. */
function measure(value: unknown): { depth: number; values: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 0 };
  const members = Object.values(value).map(measure);
  return {
    depth: 1 + Math.max(0, ...members.map(({ depth }) => depth)),
    values: Math.max(1, members.length) + members.reduce((sum, { values }) => sum + values, 0),
  };
}

test('the bounds of a text are those of its value, however it is written', () => {
  const keys = fc.string({ unit: fc.constantFrom('"', '\\', '{', '[', ',', ':', 'a', '\n') });
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), keys, fc.constantFrom(0, 2), (inner, key, indent) => {
      const value = { [key]: inner, list: [inner, key] };
      const json = JSON.stringify(value, null, indent);
      const { depth, values } = measure(JSON.parse(json));
      assert.equal(exceedsBounds(json, { maxDepth: depth, maxValues: values }), false, json);
      assert.equal(exceedsBounds(json, { maxDepth: depth - 1, maxValues: values }), true, json);
      assert.equal(exceedsBounds(json, { maxDepth: depth, maxValues: values - 1 }), true, json);
    }),
    { numRuns: runs(500, 20_000) },
  );
});

test('levels next to each other do not add up', () => {
  const json = `[${Array.from({ length: 50 }, () => '{"a":[1]}').join(',')}]`;
  assert.equal(exceedsBounds(json, { maxDepth: 3, maxValues: 1_000 }), false);
});

test('the check ends at the first excess, and with any text', () => {
  const bounds = { maxDepth: 16, maxValues: 256 };
  for (const json of ['', '"', '{"a', '{"a\\"', ']]]]', '\\', '"\\']) exceedsBounds(json, bounds);
  assert.equal(exceedsBounds('['.repeat(10_000_000), bounds), true);
  assert.equal(exceedsBounds(`[${',1'.repeat(1_000)}`, bounds), true);
});

const read = (record: object) => createExcerpt(JSON.stringify(record));
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('an excerpt of JSON', () => {
  test('has every value of a small record, with numbers as their text', () => {
    const json =
      ' { "a" : [ 1.5 , -2e-7, [] , { } ] , "b\\"\\\\" : { "c" : "x\\u00e9\\n\\\\" , "d" : null } , "e":true,"f":"12345678901234567890"} ';
    assert.deepEqual(createExcerpt(json), {
      value: {
        a: ['1.5', '-2e-7', [], {}],
        'b"\\': { c: 'xé\n\\', d: null },
        e: true,
        f: '12345678901234567890',
      },
      totals: {},
    });
    assert.deepEqual(createExcerpt('{}'), { value: {}, totals: {} });
  });

  test('reads the same as JSON.parse, for random values', () => {
    let seed = 17;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const texts = ['', '"', '\\', '\\"', '{}[],:', 'é\u2028\ud83d\ude00', '\u0000\n'];
    const make = (depth: number): unknown => {
      const kind = random(depth > 4 ? 4 : 6);
      if (kind === 4) return Array.from({ length: random(4) }, () => make(depth + 1));
      if (kind === 5)
        return Object.fromEntries(numbers(random(4)).map((at) => [`${texts[random(7)]}${at}`, make(depth + 1)]));
      return [null, true, texts[random(7)], texts[random(7)]][kind];
    };
    for (let round = 0; round < 300; round++) {
      const record = { value: make(0) };
      assert.deepEqual(createExcerpt(JSON.stringify(record, null, random(2) * 2)).value, record);
    }
  });

  test('keeps the first items of a list and counts all of them', () => {
    const { value, totals } = read({ list: numbers(1_000), items: [{ inner: numbers(9), 'a/b~': numbers(7) }] });
    assert.equal((value.list as readonly ExcerptValue[]).length, 20);
    assert.deepEqual(value.items, [{ inner: ['0', '1', '2', '3', '4'], 'a/b~': ['0', '1', '2', '3', '4'] }]);
    assert.deepEqual(totals, { '/list': 1_000, '/items/0/inner': 9, '/items/0/a~1b~0': 7 });
  });

  test('is bounded in depth, length of texts, and number of values', () => {
    const deep = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)},"b":${'{"x":'.repeat(20_000)}1${'}'.repeat(20_000)},"c":1}`;
    const text = JSON.stringify(createExcerpt(deep));
    assert.ok(text.length < 1_000);
    assert.equal(text.match(/nested more than 16 levels deep/g)?.length, 2);
    assert.match(text, /"c":"1"/);

    const long = read({ a: 'x'.repeat(1_000_000), b: { ['k'.repeat(1_000_000)]: 1 } });
    assert.ok(JSON.stringify(long).length < 10_000);
    assert.match(String(long.value.a), /^x{4000}… \(1000000 characters: see the JSON\)$/);

    for (const fill of [1, 'x'.repeat(300), {}, [[[{}]]]]) {
      const wide = read({
        a: Object.fromEntries(numbers(20_000).map((at) => [`k${at}`, fill])),
        provenance: { row: 1 },
      });
      assert.ok(JSON.stringify(wide).length < 400_000);
      assert.match(JSON.stringify(wide.value.a), /more fields: see the JSON/);
      assert.deepEqual(wide.value.provenance, { row: '1' }, 'one member must not use up the limits of another');
    }
  });

  test('shows some items of one list, with the fields that name the record', () => {
    const record = {
      id: 'x',
      name: 'N',
      registry: { 'a/b': [{ c: numbers(100) }] },
      empty: [],
      sourceData: { c: [5] },
    };
    const json = JSON.stringify(record);
    assert.deepEqual(selectListPage(json, '/registry/a~1b/0/c', 60, 3), {
      head: { id: 'x', name: 'N' },
      items: ['60', '61', '62'],
      total: 100,
    });
    assert.deepEqual(selectListPage(json, '/empty', 0, 3), { head: { id: 'x', name: 'N' }, items: [], total: 0 });
    assert.deepEqual(selectListPage(json, '/registry/a~1b/0/c', 100, 3)?.items, []);
    for (const pointer of [
      '',
      'c',
      '/id',
      '/registry',
      '/registry/x',
      '/registry/a~1b/1',
      '/registry/a~1b/0/c/0',
      '/x',
    ]) {
      assert.equal(selectListPage(json, pointer, 0, 3), undefined, pointer);
    }
  });

  test('of JSON that ends too early is an error, not an endless loop', () => {
    for (const json of ['{"a":"x', '{"a":[1,', '{"a":{"b":', '{"a"'])
      assert.throws(() => createExcerpt(json), Error, json);
  });
});
