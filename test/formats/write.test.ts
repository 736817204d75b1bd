import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { SYNTHETIC_MARK } from '../../src/formats/synthetic-mark.ts';
import { openPackage } from '../../src/formats/unpack.ts';
import type { SyntheticCsv, SyntheticFile } from '../../synthetic/file.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { collectBytes, makeFolder } from './feed.ts';

const CSV: SyntheticCsv = {
  type: 'csv',
  dialect: { delimiter: ';', quote: '"', encoding: 'utf-8' },
  bom: true,
  quoting: 'needed',
  lineEnd: '\r\n',
  header: ['kood', 'nimi'],
  rows: [
    ['01', 'Näidis "A" OÜ'],
    ['', 'B; C'],
  ],
};

/** Every text that is written ends with the mark of synthetic data. */
const marked = (text: string) => text + SYNTHETIC_MARK;

test('what is written so far is reported', async (context) => {
  let reported = 0;
  function* rows() {
    while (reported === 0) yield ['01', 'x'.repeat(1_000)];
  }
  const content = { ...CSV, rows: { [Symbol.iterator]: rows } };
  await writeSynthetic(await makeFolder(context), { name: 'a.csv', packing: 'none', content }, (bytes) => {
    reported = bytes;
  });
  assert.ok(reported > 0);
});

test('a CSV has the bytes the register would write, and the mark of synthetic data', async (context) => {
  const folder = await makeFolder(context);
  const path = await writeSynthetic(folder, { name: 'a.csv', packing: 'none', content: CSV });
  assert.equal(await readFile(path, 'utf8'), marked('\ufeffkood;nimi\r\n01;"Näidis ""A"" OÜ"\r\n;"B; C"\r\n'));
  const all = { ...CSV, bom: false, quoting: 'all', lineEnd: '\n', rows: [['', 'x']] } as const;
  await writeSynthetic(folder, { name: 'a.csv', packing: 'none', content: all });
  assert.equal(await readFile(path, 'utf8'), marked('"kood";"nimi"\n"";"x"\n'));
  const text = {
    ...all,
    quoting: 'text',
    rows: [
      ['', 'x'],
      ['01-02-2020', '01'],
    ],
  } as const;
  await writeSynthetic(folder, { name: 'a.csv', packing: 'none', content: text });
  assert.equal(
    await readFile(path, 'utf8'),
    marked('"kood";"nimi"\n;"x"\n01-02-2020;"01"\n'),
    'dates and empty cells are not quoted',
  );
});

test('several tables become the entries of one zip; without a zip they are refused', async (context) => {
  const folder = await makeFolder(context);
  const other = { ...CSV, header: ['a'], rows: [['1']], bom: false };
  const content = {
    type: 'archive',
    files: [
      { name: 'A.CSV', content: CSV },
      { name: 'B.CSV', content: other },
    ],
  } as const;
  const path = await writeSynthetic(folder, { name: 'all.zip', packing: 'zip', content });
  const opened = await openPackage(path);
  assert.deepEqual(
    opened.files.map(({ name }) => name),
    ['A.CSV', 'B.CSV'],
  );
  assert.equal(
    Buffer.from(await collectBytes(opened.files[1]?.open() as AsyncIterable<Uint8Array>)).toString(),
    marked('a\r\n1\r\n'),
  );
  await opened.close();
  await assert.rejects(
    writeSynthetic(folder, { name: 'all.csv', packing: 'none', content }),
    /several tables need a zip/,
  );
});

test('code pages are encoded, and characters they lack are refused', async (context) => {
  const folder = await makeFolder(context);
  const write = (cell: string) => {
    const dialect = { delimiter: ';', quote: '"', encoding: 'windows-1257' } as const;
    const content = { ...CSV, bom: false, dialect, header: [cell], rows: [] };
    return writeSynthetic(folder, { name: 'a.csv', packing: 'none', content });
  };
  assert.deepEqual([...(await readFile(await write('Šž')))], [0xd0, 0xfe, 0x0d, 0x0a, ...Buffer.from(SYNTHETIC_MARK)]);
  await assert.rejects(write('Київ'), /windows-1257 has no "К"/);
});

test('cells that a dialect cannot represent are refused, and no partial file is left', async (context) => {
  const folder = await makeFolder(context);
  const bare = { ...CSV, dialect: { delimiter: '^', quote: null, encoding: 'utf-8' } } as const;
  const broken: SyntheticFile[] = (['none', 'gzip', 'zip'] as const).flatMap((packing) =>
    [[['a^b']], [['a\nb']], [['']], [[]]].map((rows) => ({ name: 'a.csv', packing, content: { ...bare, rows } })),
  );
  const failing = (function* () {
    yield ['a'];
    throw new Error('no more names');
  })();
  broken.push({ name: 'a.xlsx', packing: 'none', content: { type: 'xlsx', sheets: [{ name: 'A', rows: failing }] } });
  for (const file of broken) await assert.rejects(writeSynthetic(folder, file), Error);
  assert.deepEqual(await readdir(folder), []);
});

test('a packed file is stored under its own name', async (context) => {
  const folder = await makeFolder(context);
  const path = await writeSynthetic(folder, { name: 'Register-2026.zip', packing: 'zip', content: CSV });
  const opened = await openPackage(path);
  assert.deepEqual(
    opened.files.map(({ name }) => name),
    ['Register-2026.csv'],
  );
  const [file] = opened.files;
  assert.ok(file);
  const text = (await collectBytes(file.open())).toString();
  await opened.close();
  const packed = await writeSynthetic(folder, { name: 'register.csv.gz', packing: 'gzip', content: CSV });
  assert.equal(gunzipSync(await readFile(packed)).toString(), text);
  assert.deepEqual((await readdir(folder)).toSorted(), ['Register-2026.zip', 'register.csv.gz']);
});

test('JSON is one array or one record per line', async (context) => {
  const folder = await makeFolder(context);
  const write = async (layout: 'array' | 'lines', values: readonly object[]) => {
    const content = { type: 'json', layout, values: values as never } as const;
    return readFile(await writeSynthetic(folder, { name: 'a.json', packing: 'none', content }), 'utf8');
  };
  assert.equal(await write('lines', [{ a: 1 }, { b: 'ü' }]), marked('{"a":1}\n{"b":"ü"}\n'));
  assert.deepEqual(JSON.parse(await write('array', [{ a: 1 }, { b: 'ü' }])), [{ a: 1 }, { b: 'ü' }]);
  assert.deepEqual(JSON.parse(await write('array', [])), []);
});

test('the same content gives the same archive', async (context) => {
  const folder = await makeFolder(context);
  const sheets = [{ name: 'A', rows: [['x', 1, null]] }];
  const files: SyntheticFile[] = [
    { name: 'a.zip', packing: 'zip', content: CSV },
    { name: 'a.xlsx', packing: 'none', content: { type: 'xlsx', sheets } },
  ];
  for (const file of files) {
    const first = await readFile(await writeSynthetic(folder, file));
    assert.deepEqual(await readFile(await writeSynthetic(folder, file)), first);
  }
});
