import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readJson } from '../../src/formats/json.ts';
import { collect, collectValues, feed, feedBytes } from './feed.ts';

const read = async (text: string | Uint8Array) => {
  const values = await collectValues(readJson(feed(text)));
  assert.deepEqual(await collectValues(readJson(feedBytes(text))), values);
  return values;
};

const failing = (text: string | Uint8Array, message: RegExp) =>
  assert.rejects(collect(readJson(feedBytes(text))), { name: 'FormatError', message });

test('an array yields its items', async () => {
  assert.deepEqual(await read('[{"a":"]},["},\n {"b":[1,{"c":"\\"]"}]} , null, "x\\\\", [], 1.5]\n'), [
    { a: ']},[' },
    { b: [1, { c: '"]' }] },
    null,
    'x\\',
    [],
    1.5,
  ]);
  assert.deepEqual(await read(' \n[ ]'), []);
  assert.deepEqual(await collect(readJson(feed('[1,2]'))), [
    { place: 1, value: 1 },
    { place: 2, value: 2 },
  ]);
});

test('JSON lines yield one record per line', async () => {
  assert.deepEqual(await read('{"a":[1]}\n{"a":[2]}\r\n\n{"a":[3]}'), [{ a: [1] }, { a: [2] }, { a: [3] }]);
  assert.deepEqual(await read('{"number":"1","name":"Alone"}\n'), [{ number: '1', name: 'Alone' }]);
});

test('an object around one array yields the items of the array', async () => {
  assert.deepEqual(await read('{"meta":{"tags":[1]},"data":[{"a":1},{"a":2}],"end":true}'), [{ a: 1 }, { a: 2 }]);
  assert.deepEqual(await read('{"data":[]}'), []);
});

test('an object around one long array is detected before its end is read', async () => {
  const items = Array.from({ length: 30_000 }, (_, index) => ({ index, name: 'Näidis ' + 'x'.repeat(50) }));
  const bytes = Buffer.from(JSON.stringify({ version: 1, items, after: { more: 'text' } }));
  const cuts = Array.from({ length: 60 }, (_, index) => index * 65_537);
  assert.deepEqual(await collectValues(readJson(feed(bytes, cuts))), items);
});

test('an object with two arrays is one record when short, and an error when long', async () => {
  assert.deepEqual(await read('{"a":[1],"b":[2]}'), [{ a: [1], b: [2] }]);
  const long = JSON.stringify({ a: Array.from({ length: 90_000 }, () => 'twelve chars'), b: [2] });
  await assert.rejects(collect(readJson(feed(long, [1_200_000]))), { name: 'FormatError', message: /several arrays/ });
});

test('an integer that a double cannot represent is kept as text', async () => {
  assert.deepEqual(await read('[{"a":9007199254740993,"b":[123456789012345678901],"c":9007199254740991,"d":-1e2}]'), [
    { a: '9007199254740993', b: ['123456789012345678901'], c: 9007199254740991, d: -100 },
  ]);
  assert.deepEqual(await read('[1e400, "1234567890123456789", 0.1]'), ['1e400', '1234567890123456789', 0.1]);
  assert.deepEqual(await read('{"a":1E9} {"a":[true,2E400],"b":12}'), [{ a: 1e9 }, { a: [true, '2E400'], b: 12 }]);
});

test('a byte order mark is tolerated', async () => {
  assert.deepEqual(await read('\ufeff[{"a":"õ"}]'), [{ a: 'õ' }]);
});

test('malformed and truncated JSON causes an error that names the record', async () => {
  await failing('[{"a":1},{"a":}]', /^record 2: /);
  await failing('[{"a":1},{"a":2', /^record 2: the file ends in the middle/);
  await failing('[{"a":1}', /^record 1: the file ends in the middle|^record 2: /);
  await failing('[{"a":1},', /^record 2: the file ends/);
  await failing('[', /the file ends/);
  await failing('[1,]', /^record 2: /);
  await failing('[,1]', /^record 1: /);
  await failing('[{"a":1}}]', /^record /);
  await failing('[1] 2', /^record 2: /);
  await failing('{"a":1}\n{"a":2', /^record 2: the file ends/);
  await failing('{"a":1}\n{"a" 2}', /^record 2: /);
  await failing('{"a":1}\nx', /^record 2: not a JSON object/);
  await failing('{"a":"b', /the file ends/);
  await failing('{"data":[{"a":1},{"a":2}]', /the file ends|record 3/);
  await failing('', /no JSON/);
  await failing(' \n', /no JSON/);
  await failing('name,b\n', /neither/);
  await failing('{"a":'.repeat(65) + '1' + '}'.repeat(65), /^record 1: nested more than 64 levels deep: the file is/);
  await failing(Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]), /^bytes that are not utf-8/);
});

test('a record that never ends is refused before it fills the memory', async () => {
  const endless = (async function* () {
    yield Buffer.from('[{"a":1},{"a":"');
    for (;;) yield Buffer.alloc(8_000_000, 'x');
  })();
  await assert.rejects(collect(readJson(endless)), {
    name: 'FormatError',
    message: /^record 2: it has more than 4,194,304 characters: a bracket or quote is not closed/,
  });
});

test('any array and any JSON lines are read back, however the bytes are chunked', async () => {
  const cuts = fc.array(fc.nat(400), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue(), { maxLength: 6 }), cuts, fc.nat(3), async (values, offsets, indent) => {
      const clean = JSON.parse(JSON.stringify(values));
      const text = JSON.stringify(values, null, indent);
      assert.deepEqual(await collectValues(readJson(feed(text, offsets))), clean.map(keepLarge));
    }),
    { numRuns: 300 },
  );
  const record = fc.record(
    { id: fc.nat(), tags: fc.array(fc.string({ unit: 'grapheme' })), more: fc.array(fc.nat()) },
    { noNullPrototype: true },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 6 }), cuts, async (values, offsets) => {
      const text = values.map((value) => JSON.stringify(value)).join('\n');
      assert.deepEqual(await collectValues(readJson(feed(text, offsets))), values);
    }),
  );
});

/** The only difference from JSON.parse. */
function keepLarge(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value) ? String(value) : value;
  if (Array.isArray(value)) return value.map(keepLarge);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, keepLarge(inner)]));
}

test('an object with one array wraps the records, unless it has the keys of a record', async () => {
  const text = '{"id": 1, "names": [{"id": 2}]}';
  assert.deepEqual(await collectValues(readJson(feed(text))), [{ id: 2 }]);
  assert.deepEqual(await collectValues(readJson(feed(text), ['id', 'address'])), [{ id: 2 }]);
  assert.deepEqual(await collectValues(readJson(feed(text), ['id', 'names'])), [{ id: 1, names: [{ id: 2 }] }]);
  assert.deepEqual(await collectValues(readJson(feedBytes(text), ['id'])), [{ id: 1, names: [{ id: 2 }] }]);
});

test('decimals that a double cannot represent stay as written, others are numbers', async () => {
  const text =
    '[{"a": 0.12345678901234567890, "b": 1234567890.1234567, "c": 10.50, "d": 0.1, "e": 12345678901234567890}]';
  const [value] = await collectValues(readJson(feed(text)));
  assert.deepEqual(value, {
    a: '0.12345678901234567890',
    b: 1234567890.1234567,
    c: 10.5,
    d: 0.1,
    e: '12345678901234567890',
  });
  // 15 significant digits always survive; 16 and 17 only sometimes.
  const decimals = [
    ['1234567890.123456', 1234567890.123456],
    ['9007199254740.993', '9007199254740.993'],
    ['9007199254740.9931', '9007199254740.9931'],
    ['0.00000000000000012345', 0.00000000000000012345],
    ['-123456789012.340', -123456789012.34],
    ['1.5e-10', 1.5e-10],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', '9007199254740992'],
  ] as const;
  for (const [written, expected] of decimals) {
    assert.deepEqual(await collectValues(readJson(feed(`[{"a":${written}}, ${written}]`))), [
      { a: expected },
      expected,
    ]);
  }
});
