import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { SYNTHETIC_MARK } from '../../src/formats/synthetic-mark.ts';
import type { SyntheticCsv, SyntheticFile } from '../../synthetic/file.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { makeFolder } from './feed.ts';

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
