import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  fillMonth,
  offerAddresses,
  selectAddress,
  selectLinks,
  selectPackage,
  selectResources,
} from '../../src/import/fetch/find.ts';
import { loadOverrides, OverridesError } from '../../src/import/fetch/overrides.ts';
import { SourceProblem } from '../../src/import/fetch/problem.ts';
import type { LinkedFile } from '../../src/registers/fetch-plan.ts';
import { gb } from '../../src/registers/gb/register.ts';
import { md } from '../../src/registers/md/register.ts';
import { anyCharacter } from '../harness/any-character.ts';
import { useFolder } from '../harness/use.ts';

const page = new URL('https://example.org/data/page.html');

describe('finding the newest file', () => {
  test('the newest link of a page is used, in whatever way and order it is written', () => {
    assert.ok(gb.fetch.kind === 'page');
    const { link } = gb.fetch.pages[0] as LinkedFile;
    const name = (date: string) => `BasicCompanyDataAsOneFile-${date}.zip`;
    const html = `
      <a href="${name('2026-08-01')}">August</a> <A class=x HREF='/${name('2026-10-01')}'>October</A>
      <a href=https://download.example/${name('2026-09-01')}?a=1&amp;b=2>September</a>
      <a href="BasicCompanyData-2026-11-01-part1_7.zip">a part</a> <a href="http://[broken">x</a>`;
    assert.deepEqual(selectLinks(html, page, link).map(String), [`https://example.org/${name('2026-10-01')}`]);
    // Without dates, the last one.
    const last = selectLinks('<a href="a1"><a href="a2"><a href="b">', page, /a\d$/);
    assert.deepEqual(last.map(String), ['https://example.org/data/a2']);
    const decoded = selectLinks('<a href="a?x=1&amp;y=2">', page, /a\?/);
    assert.deepEqual(decoded.map(String), ['https://example.org/data/a?x=1&y=2']);
  });

  test('of a file in parts, all parts of the newest day are used, in their order', () => {
    assert.ok(gb.fetch.kind === 'page');
    const { link } = gb.fetch.pages[1] as LinkedFile;
    const name = (day: string, part: number, of = 11) => `psc-snapshot-2026-09-${day}_${part}of${of}.zip`;
    const write = (names: readonly string[]) => names.map((each) => `<a href="${each}">x</a>`).join('\n');
    const parts = Array.from({ length: 11 }, (_, index) => name('18', index + 1));
    const others = [name('17', 1), name('17', 12, 12), 'persons-with-significant-control-snapshot-2026-09-18.zip'];
    const found = selectLinks(write([...parts.toReversed(), ...others, parts[3] ?? '']), page, link);
    assert.deepEqual(
      found.map(String),
      parts.map((part) => `https://example.org/data/${part}`),
    );
    assert.throws(() => selectLinks(write([...parts.toSpliced(4, 1), ...others]), page, link), {
      constructor: SourceProblem,
      message: /page\.html has no link to part 5 of 11$/,
    });
  });

  test('a page without such a link says which one is missing', () => {
    assert.ok(gb.fetch.kind === 'page');
    const { link } = gb.fetch.pages[0] as LinkedFile;
    assert.throws(() => selectLinks('<a href="new-product.zip">', page, link), {
      constructor: SourceProblem,
      advice: 'moved',
      message: /page\.html has no link to a file like \/BasicCompanyDataAsOneFile-<year>-<month>-<day>\.zip$/,
    });
  });

  test('the newest package and the newest resource of a portal are used', () => {
    const results = ['firme-08-12-2025', 'firme-02-09-2026', 'firme-other', 'firme-30-06-2026'].map((name) => ({
      name,
    }));
    const answer = JSON.stringify({ success: true, result: { results } });
    const pattern = /^firme-(?<day>\d{2})-(?<month>\d{2})-(?<year>\d{4})$/;
    assert.equal(selectPackage(answer, page, pattern), 'firme-02-09-2026');
    assert.ok(md.fetch.kind === 'ckan');
    const { resources } = md.fetch.packages[0] ?? { resources: [] };
    const offered = ['07.09.2026', '14.09.2026', '31.08.2026'].map((day) => ({
      name: `Informații la data de ${day}`,
      url: `http://example.org/${day}/company.xlsx`,
    }));
    const found = selectResources(JSON.stringify({ result: { resources: offered } }), page, resources);
    assert.deepEqual(found.map(String), ['https://example.org/14.09.2026/company.xlsx']);
  });

  test('an optional resource may be missing, a required one may not', () => {
    const answer = JSON.stringify({ result: { resources: [{ name: 'A.CSV', url: 'https://example.org/a.csv' }] } });
    const wanted = [{ match: /^a\.csv$/i }, { match: /^b\.csv$/i, optional: true as const }];
    assert.equal(selectResources(answer, page, wanted).length, 1);
    assert.throws(() => selectResources(answer, page, [{ match: /^b\.csv$/i }]), /no file like b\.csv/);
  });

  test('an answer of another shape is a problem, never an exception of another kind', () => {
    const read = [
      (text: string) => selectPackage(text, page, /x/),
      (text: string) => selectResources(text, page, [{ match: /x/ }]),
      (text: string) => selectAddress(text, page, ['data', 0, 'url']),
      (text: string) => selectLinks(text, page, /\.zip$/),
    ];
    const texts = fc.oneof(
      fc.json(),
      fc.string(),
      fc.constantFrom('<html>', '{"result":null}', '{"result":{"resources":[null]}}'),
    );
    fc.assert(
      fc.property(fc.constantFrom(...read), texts, (select, text) => {
        assert.throws(() => select(text), SourceProblem);
      }),
    );
  });

  test('an address in a JSON response is found by its path', () => {
    const answer = JSON.stringify({ data: [{ lei2: { csv: { url: 'https://example.org/lei2.csv.zip' } } }] });
    assert.equal(selectAddress(answer, page, ['data', 0, 'lei2', 'csv', 'url']).pathname, '/lei2.csv.zip');
    assert.throws(() => selectAddress(answer, page, ['data', 1, 'lei2']), /has no address of a file at data\.1\.lei2/);
  });

  test('the month is written with two digits', () => {
    const url = fillMonth('https://example.org/{year}-{month}/a-{year}{month}.zip', new Date('2026-03-31T00:00:00Z'));
    assert.equal(url.href, 'https://example.org/2026-03/a-202603.zip');
  });

  test('names of files are those of the publisher, unique and harmless', () => {
    const names = (...addresses: string[]) =>
      offerAddresses(addresses.map((url) => new URL(url))).map(({ name }) => name);
    assert.deepEqual(names('https://a.example/x/REGISTER%20(1).csv?y=1'), ['REGISTER_(1).csv']);
    assert.deepEqual(names('https://a.example/a.csv', 'https://b.example/a.csv', 'https://b.example/'), [
      'a.csv',
      '2-a.csv',
      '3-file',
    ]);
    assert.deepEqual(names('https://a.example/%E0%A4%A.csv', 'https://a.example/..%2F..%2Fetc'), [
      'E0_A4_A.csv',
      'etc',
    ]);
    // Cut at the point, it would be a hidden file.
    assert.deepEqual(names(`https://a.example/a.${'b'.repeat(149)}`), ['b'.repeat(149)]);
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), (text) => {
        for (const path of [text, encodeURIComponent(text), `a/${text}?b=${text}`]) {
          const [name = ''] = names(`https://a.example/${path}`);
          assert.match(name, /^[^./\\][^/\\]*$/);
          assert.ok(name.length <= 160);
        }
      }),
    );
  });
});

describe('FETCH_SOURCES', () => {
  const folder = useFolder();
  const read = (content: unknown) => {
    const path = join(folder, 'sources.json');
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return loadOverrides(path, ['lv', 'lt']);
  };

  test('has https addresses, and plain http for this machine only', () => {
    const urls = ['https://mirror.example/register.csv', 'http://127.0.0.1:8080/a.csv', 'http://localhost/b.csv'];
    assert.deepEqual(read({ lv: urls }).get('lv')?.map(String), urls);
    assert.equal(read({}).size, 0);
  });

  test('that is wrong is refused in one sentence', () => {
    for (const [content, message] of [
      ['{', /^FETCH_SOURCES .* is not valid JSON: .*\.$/],
      [[], /^FETCH_SOURCES must name a file with a JSON object/],
      [
        { xx: ['https://a.example'] },
        'FETCH_SOURCES names the register "xx", which does not exist: use one of lv, lt.',
      ],
      [{ lv: 'https://a.example' }, 'FETCH_SOURCES has no list of addresses for "lv": write ["https://…"].'],
      [{ lv: [] }, /has no list of addresses/],
      [{ lv: ['register.csv'] }, /has an invalid address for "lv": write it in full/],
      [{ lv: [1] }, /has an invalid address/],
      [{ lv: ['http://mirror.example/a.csv'] }, /that is not https: plain http is allowed for this machine only/],
      [{ lv: ['http://127.0.0.1.example/a.csv'] }, /that is not https/],
      [{ lv: ['file:///etc/passwd'] }, /that is not https/],
      [{ lv: ['https://user:secret@a.example/a.csv'] }, /^(?!.*secret).*has an address .*with a password/],
      [{ lv: ['https://:secret@a.example/a.csv'] }, /^(?!.*secret).*has an address .*with a password/],
      [{ lv: ['https://user@a.example/a.csv'] }, /has an address .*with a password/],
    ] as const) {
      assert.throws(() => read(content), { constructor: OverridesError, message });
    }
    assert.throws(
      () => loadOverrides(join(folder, 'missing.json'), ['lv']),
      /FETCH_SOURCES names a file that cannot be read/,
    );
  });
});
