import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { packOverlapping, packSheet } from '../abuse/packed-files.ts';
import { zip } from '../formats/feed.ts';
import { usualEngines } from '../harness/databases.ts';
import { company, GB_HEADER, writeGb } from './gb-file.ts';
import { findRegister, numbered, useImports } from './gb-import.ts';

/** Files that try to fill the memory or to keep the import busy. `test/abuse` has the large forms, with figures. */

const norwegian = (number: string, more: string) =>
  `{"organisasjonsnummer":"${number}","navn":"SELSKAP AS","organisasjonsform":{"kode":"AS"},"konkurs":false,` +
  `"underAvvikling":false,"underTvangsavviklingEllerTvangsopplosning":false,"mer":${more}}`;

const lei = (more: string) =>
  '<d xmlns:lei="x"><LEIRecord><LEI>529900T8BM49AURSDO55</LEI><Entity><LegalName>DEEP</LegalName>' +
  '<LegalAddress><FirstAddressLine>A</FirstAddressLine><City>B</City><Country>GB</Country></LegalAddress>' +
  '<HeadquartersAddress><FirstAddressLine>A</FirstAddressLine><City>B</City><Country>GB</Country></HeadquartersAddress>' +
  '<EntityStatus>ACTIVE</EntityStatus></Entity><Registration><RegistrationStatus>ISSUED</RegistrationStatus>' +
  `</Registration>${more}</LEIRecord></d>`;

const RSUD =
  '<row r="1"><c t="str"><v>IDNO/ Cod fiscal</v></c><c t="str"><v>Data înregistrării</v></c><c t="str"><v>Denumirea completă</v>' +
  '</c><c t="str"><v>Forma org./jurid.</v></c><c t="str"><v>Genuri de activitate nelicentiate</v></c><c t="str">' +
  '<v>Genuri de activitate licentiate</v></c></row>';

/** The value that is `levels` levels below, always the first one. */
function descend(value: unknown, levels: number): unknown {
  let inner = value;
  for (let level = 0; level < levels; level++) inner = Object.values(inner as object)[0];
  return inner;
}

for (const engine of usualEngines) {
  describe(`hostile files on ${engine}`, () => {
    const store = useImports(engine);
    const { run, state, write } = store;
    const readSource = async (): Promise<Record<string, unknown>> => {
      const row = await store.db.one<{ source: string }>('SELECT source_data AS source FROM entities');
      return JSON.parse(row?.source ?? '');
    };

    for (const levels of [65, 200_000]) {
      test(`a JSON record that is ${levels} levels deep is reported, and its inner part is kept as text`, async () => {
        const more = `${'[{"a":'.repeat(levels / 2)}"end"${'}]'.repeat(levels / 2)}`;
        const path = write('deep.json', `[${norwegian('923609016', more)}]`);
        const result = await run(path, { register: findRegister('no') });
        assert.deepEqual([result.counts.added, result.unreadable], [1, 1]);
        const [problem] = result.problems;
        assert.deepEqual([problem?.file, problem?.place, problem?.column], ['deep.json', 1, null]);
        assert.match(problem?.problem ?? '', /^nested more than 64 levels deep/);
        // The record is the first level, so 63 more are objects and arrays.
        const inner = descend((await readSource()).mer, 63);
        assert.equal(typeof inner, 'string');
        const kept = '[{"a":'.repeat(31) + '[' + inner + ']' + '}]'.repeat(31);
        assert.ok(kept === more, 'the source is not kept exactly');
      });
    }

    test('a JSON record of 64 levels is kept as it is', async () => {
      const more = '['.repeat(63) + ']'.repeat(63);
      const result = await run(write('a.json', `[${norwegian('923609016', more)}]`), { register: findRegister('no') });
      assert.deepEqual(result.problems, []);
      assert.equal(JSON.stringify((await readSource()).mer), more);
    });

    test('an XML record that is too deep is reported, and its inner part is kept as text', async () => {
      const more = `${'<a b="1">'.repeat(100_000)}<!-- </a> -->&amp;${'</a>'.repeat(100_000)}`;
      const result = await run(write('deep.xml', lei(more)), { register: findRegister('gleif') });
      assert.deepEqual([result.counts.added, result.unreadable], [1, 1]);
      assert.match(result.problems[0]?.problem ?? '', /^nested more than 64 levels deep/);
      let inner: unknown = (await readSource()).a;
      for (let level = 0; level < 63; level++) inner = (inner as Record<string, unknown>).a;
      assert.ok(inner === more.slice(63 * 9, -63 * 4), 'the source is not kept exactly');
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

    test('a long name is cut, a long legal form left out, a row with a long number rejected', async () => {
      const rows = [
        company('00000001', 'N'.repeat(100_000)),
        company('00000002', 'FORM LTD', { CompanyCategory: 'F'.repeat(501) }),
        company('9'.repeat(501), 'NUMBER LTD'),
        ...numbered(3),
      ];
      const result = await run(writeGb(store.folder, 'long.csv', rows));
      assert.equal(result.counts.rejected, 1);
      assert.deepEqual(
        result.problems
          .filter(({ problem }) => problem.includes('more than'))
          .map(({ place, column, problem }) => [place, column, problem]),
        [
          [2, 'canonicalName', 'cut: it has more than 4,000 characters'],
          [3, 'legalForm', 'left out: it has more than 500 characters'],
          [4, null, 'the registration number has more than 500 characters'],
        ],
      );
      assert.ok(result.problems.every(({ value }) => (value ?? '').length <= 80));
      const [first, second] = [await store.read('00000001'), await store.read('00000002')];
      assert.equal(first?.canonical_name, 'N'.repeat(4_000));
      assert.ok(first?.source_data?.includes('N'.repeat(100_000)));
      assert.equal(second?.legal_form, null);
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
        'a row of two million characters',
        async () => write('a.csv', `${GB_HEADER}\n"${'x'.repeat(2_000_000)}"\n`),
        /a\.csv: line 2: the row has more than 1,048,576 characters/,
      ],
      [
        'a gzip file that unpacks to a thousand times its size',
        async () => write('a.csv.gz', gzipSync(`${GB_HEADER}\n${`${'x'.repeat(1_000_000)}\n`.repeat(80)}`)),
        /a\.csv\.gz unpacks to more than [\d,]+ bytes/,
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
}
