import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packOverlapping, packSheet } from '../abuse/packed-files.ts';
import { zip } from '../formats/feed.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { GB_HEADER } from './gb-file.ts';
import { findRegister, useImports } from './gb-import.ts';

/** Files that try to fill the memory or to keep the import busy. `test/abuse` has the large forms, with figures. */

const norwegian = (number: string, more: string) =>
  `{"organisasjonsnummer":"${number}","navn":"SELSKAP AS","organisasjonsform":{"kode":"AS"},"konkurs":false,` +
  `"underAvvikling":false,"underTvangsavviklingEllerTvangsopplosning":false,"mer":${more}}`;

const RSUD =
  '<row r="1"><c t="str"><v>IDNO/ Cod fiscal</v></c><c t="str"><v>Data înregistrării</v></c><c t="str"><v>Denumirea completă</v>' +
  '</c><c t="str"><v>Forma org./jurid.</v></c><c t="str"><v>Genuri de activitate nelicentiate</v></c><c t="str">' +
  '<v>Genuri de activitate licentiate</v></c></row>';

describeOn(usualEngines, 'hostile files', (engine) => {
  const store = useImports(engine);
  const { run, state, write } = store;
  const readSource = async (): Promise<Record<string, unknown>> => {
    const row = await store.db.one<{ source: string }>('SELECT source_data AS source FROM entities');
    return JSON.parse(row?.source ?? '');
  };

  test('a JSON record of 64 levels is kept as it is', async () => {
    const more = '['.repeat(63) + ']'.repeat(63);
    const result = await run(write('a.json', `[${norwegian('923609016', more)}]`), { register: findRegister('no') });
    assert.deepEqual(result.problems, []);
    assert.equal(JSON.stringify((await readSource()).mer), more);
  });

  test('a row with a cell in the last column of a sheet is rejected, and the others are imported', async () => {
    const row = (number: number, more = '') =>
      `<row r="${number}"><c t="str"><v>100360001234${number}</v></c><c><v>43000</v></c><c t="str"><v>FIRMA ${number}</v>` +
      `</c><c t="str"><v>SRL</v></c>${more}</row>`;
    const path = write('a.xlsx', await packSheet([RSUD, row(2), row(3, '<c r="XFD3"><v>1</v></c>'), row(4)]));
    const result = await run(path, { register: findRegister('md') });
    assert.deepEqual([result.counts.rows, result.counts.rejected, result.problems.at(-1)?.place], [3, 1, 3]);
    assert.ok(result.problems.some(({ problem }) => problem === 'more than 1,024 columns, but the header has 6'));
  });

  test('main rows of one company that repeat many joined rows are rejected', async () => {
    const header = 'DENUMIRE^CUI^COD_INMATRICULARE^DATA_INMATRICULARE^EUID^FORMA_JURIDICA\n';
    const firm = 'FIRMA SRL^1^J40/1/2001^13/02/1991^E^SRL\n';
    const status = `J40/1/2001^${'1'.repeat(1_000_000)}\n`;
    const paths = [
      write('OD_FIRME.CSV', header + firm.repeat(4)),
      write('OD_STARE_FIRMA.CSV', `COD_INMATRICULARE^COD\n${status.repeat(10)}`),
    ];
    const result = await run(paths, { register: findRegister('ro') });
    assert.deepEqual([result.counts.added, result.counts.duplicates, result.counts.rejected], [1, 1, 2]);
  });

  const refused: ReadonlyArray<[string, () => Promise<string>, RegExp]> = [
    [
      'a header of 2,000 columns',
      async () => write('a.csv', `${GB_HEADER}${','.repeat(2_000)}\n`),
      /a\.csv: row 1: the header has more than 1,024 columns/,
    ],
    [
      'an archive whose entries share the same bytes',
      async () => write('a.zip', await packOverlapping([`${GB_HEADER}\n`.repeat(100)], 900)),
      /a\.zip has entries that overlap/,
    ],
    [
      'an archive of 2,000 entries',
      async () => write('a.zip', await packOverlapping([GB_HEADER], 2_000)),
      /a\.zip has 2,000 entries, more than 1,000/,
    ],
    [
      'an archive with two entries of one name',
      async () => {
        const bytes = await zip({ 'aa.csv': GB_HEADER, 'bb.csv': GB_HEADER });
        return write('a.zip', Buffer.from(bytes.toString('latin1').replaceAll('bb.csv', 'aa.csv'), 'latin1'));
      },
      /a\.zip has two entries named aa\.csv/,
    ],
  ];
  for (const [what, make, message] of refused) {
    test(`${what} is refused with a message that says why, and nothing changes`, async () => {
      const before = await state();
      await assert.rejects(run(await make()), { name: 'FormatError', message });
      assert.deepEqual(await state(), before);
    });
  }
});
