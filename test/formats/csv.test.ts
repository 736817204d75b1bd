import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import type { CsvDialect } from '../../src/base/source-files.ts';
import { readCsv } from '../../src/formats/csv.ts';
import { MAX_ROW_LENGTH } from '../../src/formats/limits.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { collect, collectBytes, collectValues, feed, feedBytes, makeFolder } from './feed.ts';

const COMMA: CsvDialect = { delimiter: ',', quote: '"', encoding: 'utf-8' };
const BARE: CsvDialect = { delimiter: '^', quote: null, encoding: 'utf-8' };

const read = (text: string | Uint8Array, dialect = COMMA) => collectValues(readCsv(feed(text), dialect));

test('each row has the line it starts on; embedded line ends and blank lines count', async () => {
  const text = 'a,b\r\n"one\ntwo\r\nthree",2\r\n\r\n\n3,"x\ry"\n4,';
  const expected = [
    { place: 1, value: ['a', 'b'] },
    { place: 2, value: ['one\ntwo\r\nthree', '2'] },
    { place: 7, value: ['3', 'x\ry'] },
    { place: 8, value: ['4', ''] },
  ];
  assert.deepEqual(await collect(readCsv(feed(text), COMMA)), expected);
  assert.deepEqual(await collect(readCsv(feedBytes(text), COMMA)), expected);
});

test('a quoted cell before CRLF ends one line, not two', async () => {
  const rows = await collect(readCsv(feed('"a","b"\r\n"1","2"\r\n"3","4"\r\n'), COMMA));
  assert.deepEqual(
    rows.map(({ place }) => place),
    [1, 2, 3],
  );
});

test('a row that is too long is refused even if it arrives complete, and the longest allowed one is read', async () => {
  const write = (length: number) => `a\n${'x'.repeat(length - 1)}\n`;
  assert.equal((await read(write(MAX_ROW_LENGTH)))[1]?.[0]?.length, MAX_ROW_LENGTH - 1);
  await assert.rejects(read(write(MAX_ROW_LENGTH + 1)), /line 2: the row has more than/);
});

test('cells are exactly as written', async () => {
  assert.deepEqual(await read(' a , " b",""\n"","""x"" ""","\t"\n'), [
    [' a ', ' " b"', ''],
    ['', '"x" "', '\t'],
  ]);
  assert.deepEqual(await read('a"b,c""d\n'), [['a"b', 'c""d']]);
  assert.deepEqual(await read('""\n'), [['']]);
  assert.deepEqual(await read('a\rb,c\n'), [['a\rb', 'c']]);
});

test('rows of any width are returned', async () => {
  assert.deepEqual(await read('a,b\n1\n1,2,3\n,,\n'), [['a', 'b'], ['1'], ['1', '2', '3'], ['', '', '']]);
});

test('an undoubled quote inside a quoted cell loses no row', async () => {
  assert.deepEqual(await read('"Alfa "Beta" Ltd",1\n"x","y"z"\n'), [
    ['Alfa "Beta" Ltd', '1'],
    ['x', 'y"z'],
  ]);
  assert.deepEqual(await read('"a"\rb",c\n'), [['a"\rb', 'c']]);
});

test('without quoting, a quote is an ordinary character', async () => {
  assert.deepEqual(await read('"LEMN" SRL^1\r\n" CARDIO SRL^2\r\n', BARE), [
    ['"LEMN" SRL', '1'],
    ['" CARDIO SRL', '2'],
  ]);
});

test('empty files and files of one cell are read', async () => {
  for (const [text, rows] of [
    ['', []],
    ['\n', []],
    ['\ufeff', []],
    ['a', [['a']]],
    ['"a"', [['a']]],
    ['"a"\r\n', [['a']]],
  ] as const) {
    assert.deepEqual(await read(text), rows, JSON.stringify(text));
  }
});

test('a byte order mark is not part of the first cell and overrides the encoding', async () => {
  assert.deepEqual(await read('\ufeffnõme,b\n'), [['nõme', 'b']]);
  assert.deepEqual(await collectValues(readCsv(feedBytes('\ufeffnõme,b\n'), COMMA)), [['nõme', 'b']]);
  const baltic = { ...COMMA, encoding: 'windows-1257' } as const;
  assert.deepEqual(await read('\ufeffnõme\n', baltic), [['nõme']]);
  const wide = Buffer.from('\ufeffŠa,"ਊ\n"\nb,c', 'utf16le');
  assert.deepEqual(await collectValues(readCsv(feedBytes(wide), { ...COMMA, encoding: 'utf-16le' })), [
    ['Ša', 'ਊ\n'],
    ['b', 'c'],
  ]);
});

test('UTF-16 with a big-endian byte order mark is decoded', async () => {
  const bytes = Buffer.from('\ufeffŠa,b\n', 'utf16le').swap16();
  assert.deepEqual(await collectValues(readCsv(feedBytes(bytes), { ...COMMA, encoding: 'utf-16le' })), [['Ša', 'b']]);
});

test('windows-1257 is decoded', async () => {
  const bytes = Buffer.from([0xd0, 0x69, 0x61, 0x75, 0x6c, 0x69, 0xe2, 0x69, 0x2c, 0xfe, 0x0a]);
  assert.deepEqual(await read(bytes, { ...COMMA, encoding: 'windows-1257' }), [['Šiauliāi', 'ž']]);
});

test('bytes in another encoding cause an error that names their place and the encoding', async () => {
  const rows = Array.from({ length: 5000 }, (_, index) => `${index},Tallinn õ\n`).join('');
  const bad = Buffer.concat([Buffer.from(rows), Buffer.from([0x54, 0xfc, 0x72, 0x69, 0x0a]), Buffer.from(rows)]);
  const fail = (after: string) => ({
    name: 'FormatError',
    message: `bytes that are not utf-8 after the first ${after}: the file was saved in another encoding`,
  });
  await assert.rejects(collect(readCsv(feed(bad), COMMA)), fail('0'));
  // The place is the end of a line before the bytes.
  await assert.rejects(collect(readCsv(feed(bad, [1000, 70_001, 70_002, 90_000]), COMMA)), fail('69,994'));
  await assert.rejects(read(Buffer.from('a\nb\nõ').subarray(0, 5)), fail('5'));
});

test('an unclosed quote causes an error that names the line where it was opened', async () => {
  const text = 'a,b\n1,"two\nlines"\n3,"four\nfive\n6,7\n';
  const expected = { name: 'FormatError', message: /^line 4: a quote opened here is not closed/ };
  await assert.rejects(read(text), expected);
  await assert.rejects(collect(readCsv(feedBytes(text), COMMA)), expected);
  const endless = (async function* () {
    yield Buffer.from('a,b\n1,"');
    for (;;) yield Buffer.alloc(1_000_000, 'x\n');
  })();
  await assert.rejects(collect(readCsv(endless, COMMA)), { name: 'FormatError', message: /^line 2: a quote/ });
});

test('a file without line ends is refused before it fills the memory', async () => {
  const endless = (async function* () {
    for (;;) yield Buffer.alloc(1_000_000, 0x78);
  })();
  await assert.rejects(collect(readCsv(endless, COMMA)), {
    name: 'FormatError',
    message: /^line 1: the row has more than 1,048,576 characters/,
  });
});

test('the source is closed when the caller stops reading early', async () => {
  let closed = false;
  const source = (async function* () {
    try {
      for (;;) yield Buffer.from('a,b\n');
    } finally {
      closed = true;
    }
  })();
  for await (const _ of readCsv(source, COMMA)) break;
  assert.equal(closed, true);
});

const cell = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r', ' ', 'õ', '😀', '\ufeff'), maxLength: 6 }),
);
const table = fc.array(fc.array(cell, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 8 });

test('any written table is read back, however its bytes are chunked', async (context) => {
  const folder = await makeFolder(context);
  await fc.assert(
    fc.asyncProperty(
      table,
      fc.record({
        delimiter: fc.constantFrom(',', ';', '|', '\t', '^', '-', ']', '\\'),
        quoting: fc.constantFrom('all', 'needed'),
        lineEnd: fc.constantFrom('\n', '\r\n'),
        bom: fc.boolean(),
        encoding: fc.constantFrom('utf-8', 'utf-16le'),
      }),
      fc.array(fc.nat(300), { maxLength: 20 }),
      async ([header = [], ...rows], { delimiter, encoding, ...style }, cuts) => {
        const dialect = { delimiter, encoding, quote: '"' } as const;
        const content = { type: 'csv', dialect, header, rows, ...style } as const;
        const path = await writeSynthetic(folder, { name: 'table.csv', packing: 'none', content });
        const bytes = await collectBytes(createReadStream(path));
        assert.deepEqual(await collectValues(readCsv(feed(bytes, cuts), dialect)), [header, ...rows]);
      },
    ),
    { numRuns: 300 },
  );
});

test('any table without line ends can be written and read without quoting', async (context) => {
  const folder = await makeFolder(context);
  const plain = fc.string({ unit: fc.constantFrom('a', '"', ',', ' ', 'Š', 'ģ', "'"), minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(plain, { minLength: 1, maxLength: 5 }), { minLength: 1 }),
      fc.constantFrom('utf-8', 'windows-1257'),
      fc.array(fc.nat(200)),
      async ([header = [], ...rows], encoding, cuts) => {
        const dialect = { delimiter: '^', quote: null, encoding } as const;
        const content = { type: 'csv', dialect, bom: false, quoting: 'needed', lineEnd: '\r\n', header, rows } as const;
        const path = await writeSynthetic(folder, { name: 'table.csv', packing: 'none', content });
        const bytes = await collectBytes(createReadStream(path));
        assert.deepEqual(await collectValues(readCsv(feed(bytes, cuts), dialect)), [header, ...rows]);
      },
    ),
    { numRuns: 100 },
  );
});

test('long texts with and without characters above U+00FF are read alike, and errors name the encoding', async () => {
  const rows = Array.from({ length: 6_000 }, (_, index) => [String(index), index % 50 === 0 ? 'Łódź €' : 'Zürich']);
  const bytes = Buffer.from(rows.map((row) => `${row.join(',')}\n`).join(''));
  const cuts = Array.from({ length: 20 }, (_, index) => index * 8_192);
  assert.deepEqual(await collectValues(readCsv(feed(bytes, cuts), COMMA)), rows);
  const single = Buffer.from(`${'€'.repeat(20_000)},x\n${'€'.repeat(20_000)},y\n`);
  assert.deepEqual(await collectValues(readCsv(feed(single, [65_536]), COMMA)), [
    ['€'.repeat(20_000), 'x'],
    ['€'.repeat(20_000), 'y'],
  ]);
  const damaged = Buffer.concat([bytes, Buffer.from([0x61, 0xff, 0x0a])]);
  await assert.rejects(collect(readCsv(feed(damaged, cuts), COMMA)), /^FormatError: bytes that are not utf-8/);
});
