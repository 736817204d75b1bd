import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { openWorkbook } from '../../src/formats/xlsx.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { collect, makeFolder, zip } from './feed.ts';

interface HandMade {
  readonly sheet: string;
  readonly strings?: string;
  readonly workbook?: string;
}

/** A workbook with one sheet and the given XML. */
async function make(context: TestContext, { sheet, strings, workbook }: HandMade): Promise<string> {
  const entries = {
    '[Content_Types].xml': '<Types/>',
    'xl/workbook.xml':
      workbook ?? '<workbook><sheets><sheet name="A &amp; B" sheetId="1" r:id="rId7"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="rId7" Type="x/worksheet" Target="/xl/worksheets/one.xml"/>${
      strings === undefined ? '' : '<Relationship Id="rId9" Type="x/sharedStrings" Target="sharedStrings.xml"/>'
    }</Relationships>`,
    'xl/worksheets/one.xml': `<worksheet><dimension ref="A1:J10"/><sheetData>${sheet}</sheetData></worksheet>`,
    ...(strings !== undefined && { 'xl/sharedStrings.xml': `<sst>${strings}</sst>` }),
  };
  const declared = Object.entries(entries).map(([name, xml]) => [name, `<?xml version="1.0"?>\n${xml}`]);
  const path = join(await makeFolder(context), 'hand-made.xlsx');
  await writeFile(path, await zip(Object.fromEntries(declared)));
  return path;
}

async function readFirst(path: string) {
  const workbook = await openWorkbook(path);
  try {
    const [sheet] = workbook.sheets;
    assert.ok(sheet);
    return await collect(sheet.rows());
  } finally {
    await workbook.close();
  }
}

test('cells are placed by their reference, gaps are empty, trailing empty cells are dropped', async (context) => {
  const sheet = `<row r="2"><c r="B2" t="str"><v>b</v></c><c r="D2"><v>4</v></c><c r="E2" s="1"/><c r="AA2" t="s"/></row>
    <row r="3"/><row r="5"><c r="A5" t="s"><v></v></c></row><row r="9"><c r="AB9"><v>28</v></c></row>
    <row><c><v>1</v></c><c><v>2</v></c></row>`;
  const path = await make(context, { sheet });
  const wide = [...Array.from({ length: 27 }, () => ''), '28'];
  assert.deepEqual(await readFirst(path), [
    { place: 2, value: ['', 'b', '', '4'] },
    { place: 9, value: wide },
    { place: 10, value: ['1', '2'] },
  ]);
});

test('every cell type is read as the text in the file', async (context) => {
  const sheet = `<row r="1">
    <c r="A1" s="4" t="n"><v>34116</v></c><c r="B1"><v>1.003600012345E12</v></c><c r="C1"><v>1.5E-5</v></c>
    <c r="D1" t="b"><v>1</v></c><c r="E1" t="b"><v>0</v></c><c r="F1" t="e"><v>#N/A</v></c>
    <c r="G1" t="str"><f>A1&amp;"x"</f><v>34116x</v></c><c r="H1" t="inlineStr"><is><t> in &lt;line&gt; </t></is></c>
    <c r="I1" t="inlineStr"><is><r><rPr><b/></rPr><t>rich</t></r><r><t xml:space="preserve"> text</t></r><rPh sb="0" eb="4"><t>guide</t></rPh></is></c>
    <c r="J1" t="s"><v>1</v></c><c r="K1" t="s"><v>0</v></c><c r="L1"><v>0012</v></c><c r="M1"><v>12.50</v></c>
    <c r="N1" t="d"><v>2020-01-02T00:00:00</v></c><c r="O1"><v>-12E+3</v></c></row>`;
  const strings = `<si><t xml:space="preserve"> </t></si>
    <si><r><t>joined </t></r><r><t>runs</t></r><rPh sb="0" eb="1"><t>guide</t></rPh></si>`;
  const [row] = await readFirst(await make(context, { sheet, strings }));
  assert.deepEqual(row?.value, [
    '34116', '1003600012345', '1.5E-5', 'TRUE', 'FALSE', '#N/A', '34116x', ' in <line> ', 'rich text', 'joined runs',
    ' ', '0012', '12.50', '2020-01-02T00:00:00', '-12000',
  ]); // biome-ignore format: one row of the sheet
});

test('escapes, entities, CDATA, comments and prefixes are decoded', async (context) => {
  const sheet = `<!-- <c> --><x:row r="1"><x:c r="A1" t='inlineStr'><x:is><x:t>a_x000D_b_x005F_x0041_</x:t></x:is></x:c>
    <x:c r = "B1" t="inlineStr" note="a > b"><x:is><x:t>&#233;&#x1F600;<![CDATA[<&>]]></x:t></x:is></x:c>
    <x:c r="C1" t="inlineStr"><x:is><x:t>one\r\ntwo</x:t></x:is></x:c></x:row>`;
  const [row] = await readFirst(await make(context, { sheet }));
  assert.deepEqual(row?.value, ['a\rb_x0041_', 'é😀<&>', 'one\ntwo']);
});

test('a workbook with the 1904 date system is refused', async (context) => {
  for (const value of ['1', 'true']) {
    const workbook = `<workbook><workbookPr date1904="${value}"/><sheets/></workbook>`;
    await assert.rejects(openWorkbook(await make(context, { sheet: '', workbook })), {
      name: 'FormatError',
      message: /1904/,
    });
  }
  const workbook = '<workbook><workbookPr date1904="0"/><sheets/></workbook>';
  await (await openWorkbook(await make(context, { sheet: '', workbook }))).close();
});

test('cells beyond the 1,024th column share one, and the last column a workbook can have is XFD', async (context) => {
  const sheet = '<row r="1"><c r="AMJ1"><v>1</v></c><c r="AMK1"><v>2</v></c><c r="XFD1"><v>3</v></c></row>';
  const [row] = await readFirst(await make(context, { sheet }));
  assert.equal(row?.value.length, 1_025);
  assert.deepEqual(row?.value.slice(-2), ['1', '3']);
  await assert.rejects(readFirst(await make(context, { sheet: '<row r="1"><c r="XFE1"><v>1</v></c></row>' })), {
    name: 'FormatError',
    message: /the invalid reference XFE1/,
  });
});

test('strings of any length up to 1 MB are read, a longer one is refused', async (context) => {
  const sheet = [0, 1, 2].map((at) => `<row><c t="s"><v>${at}</v></c></row>`).join('');
  const texts = ['a'.repeat(1_000), 'b'.repeat(1_048_576 - 1_000), 'c'.repeat(1_048_576)];
  const write = (all: readonly string[]) => all.map((text) => `<si><t>${text}</t></si>`).join('');
  const rows = await readFirst(await make(context, { sheet, strings: write(texts) }));
  assert.deepEqual(
    rows.map(({ value: [cell] }) => cell),
    texts,
  );
  await assert.rejects(readFirst(await make(context, { sheet, strings: write([`${texts[2]}c`]) })), {
    name: 'FormatError',
    message: /more than 1,048,576 characters/,
  });
});

test('a file that is not a workbook, or not a complete one, is refused', async (context) => {
  const folder = await makeFolder(context);
  const text = join(folder, 'text.xlsx');
  await writeFile(text, 'a,b\n');
  await assert.rejects(openWorkbook(text), { name: 'FormatError', message: /text\.xlsx is truncated or damaged/ });
  const archive = join(folder, 'archive.xlsx');
  await writeFile(archive, await zip({ 'a.csv': 'x' }));
  await assert.rejects(openWorkbook(archive), { name: 'FormatError', message: /no xl\/workbook\.xml/ });
  await assert.rejects(openWorkbook(join(folder, 'missing.xlsx')), { code: 'ENOENT' });
});

test('damaged parts cause an error', async (context) => {
  const broken = [
    { sheet: '<row r="1"><c r="A1" t="s"><v>5</v></c></row>', strings: '<si><t>only</t></si>' },
    { sheet: '<row r="1"><c r="A1" t="s"><v>1</v></c></row>', strings: '<si><t>only</t></si>' },
    { sheet: '<row r="1"><c r="1"><v>5</v></c></row>' },
    { sheet: '<row r="1"><c r="A1"><v>5</v></c>' },
    { sheet: '<row r="1"><c r="A1" <v>5</v></c></row>' },
    { sheet: '<row r="1"><c r="A1" t="str"><v>&nbsp;</v></c></row>' },
    { sheet: '<!DOCTYPE x><row/>' },
  ];
  for (const parts of broken) {
    await assert.rejects(
      readFirst(await make(context, parts)),
      { name: 'FormatError', message: /damaged/ },
      parts.sheet,
    );
  }
});

test('any written workbook is read back', async (context) => {
  const folder = await makeFolder(context);
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
    fc.string({
      unit: fc.constantFrom('_', 'x', '0', 'D', '\r', '\n', ' ', '<', '&', '"', '\u0001', 'ş', '\ud800'),
      minLength: 1,
      maxLength: 12,
    }),
    fc.constantFrom('_x000D_', ' ', '_x005F_'),
  );
  const cell = fc.oneof(text, fc.integer(), fc.constant(null));
  const sheet = fc.array(fc.array(cell, { maxLength: 30 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.array(sheet, { minLength: 1, maxLength: 3 }), async (tables) => {
      const sheets = tables.map((rows, index) => ({ name: `Sheet <${index}> "&"`, rows }));
      const path = await writeSynthetic(folder, { name: 'a.xlsx', packing: 'none', content: { type: 'xlsx', sheets } });
      const workbook = await openWorkbook(path);
      assert.deepEqual(
        workbook.sheets.map(({ name }) => name),
        sheets.map(({ name }) => name),
      );
      for (const [index, { rows }] of sheets.entries()) {
        const expected = rows.map((cells, row) => ({
          place: row + 1,
          value: trimEnd(cells.map((value) => String(value ?? ''))),
        }));
        assert.deepEqual(
          await collect(workbook.sheets[index]?.rows() ?? fail()),
          expected.filter(({ value }) => value.length > 0),
        );
      }
      await workbook.close();
    }),
    { numRuns: 150 },
  );
});

function fail(): never {
  throw new Error('a sheet is missing');
}

function trimEnd(cells: readonly string[]): string[] {
  return cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1);
}
