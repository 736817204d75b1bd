import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KeptFile } from '../../src/import/fetch/state.ts';
import { refuseOlder } from '../../src/import/update/update.ts';

const DAY_1 = 'Mon, 16 Nov 2026 03:00:00 GMT';
const DAY_2 = 'Tue, 17 Nov 2026 03:00:00 GMT';
const UNKNOWN = { given: null, held: null };

/** A file whose hash is its address and date. */
function file(path: string, lastModified: string | null): KeptFile {
  const url = `https://publisher.example/${path}`;
  return { url, name: path, hash: `${url} ${lastModified}`, size: 1, etag: null, lastModified };
}

describe('files that an update would import', () => {
  const judge = (given: readonly KeptFile[], imported: readonly KeptFile[], days = UNKNOWN as Days) =>
    refuseOlder(given, [...imported, ...given], new Set(imported.map(({ hash }) => hash)))(days);
  type Days = { given: string | null; held: string | null };

  test('are refused by their day', () => {
    const later = [file('a.csv', DAY_2)];
    assert.match(
      judge(later, [], { given: '2026-11-01', held: '2026-11-02' }) ?? '',
      /^the publisher offers files of 2026-11-01, but files of 2026-11-02 are imported$/,
    );
    for (const held of ['2026-11-01', '2026-10-31', null]) {
      assert.equal(judge(later, [file('a.csv', DAY_1)], { given: '2026-11-01', held }), null);
    }
  });

  test('are refused by the date of the server if one of the days is unknown, and only then', () => {
    const judgeDays = (days: Days) => judge([file('a.csv', DAY_1)], [file('a.csv', DAY_2)], days);
    const words = `a.csv was last changed on ${DAY_1}, before the imported file`;
    for (const days of [UNKNOWN, { given: '2026-11-02', held: null }, { given: null, held: '2026-11-01' }]) {
      assert.equal(judgeDays(days), words);
    }
    assert.equal(judgeDays({ given: '2026-11-02', held: '2026-11-01' }), null);
  });

  test('are compared at their address, and a single file with whatever was imported', () => {
    assert.match(judge([file('new-name.csv', DAY_1)], [file('a.csv', DAY_2)]) ?? '', /^new-name\.csv was last changed/);
    // Another file of the publication was changed later; the file at this address is new.
    assert.equal(
      judge([file('c.csv', DAY_1), file('d.csv', DAY_1)], [file('a.csv', DAY_2), file('b.csv', DAY_2)]),
      null,
    );
    const imported = [file('a.csv', DAY_1), file('b.csv', DAY_2)];
    assert.match(judge([file('a.csv', DAY_2), file('b.csv', DAY_1)], imported) ?? '', /^b\.csv was last changed/);
  });

  test('may be imported already, have no date, or follow an import without one', () => {
    // The same address was imported with two versions: the older one is not new.
    const both = [file('a.csv', DAY_1), file('a.csv', DAY_2)];
    assert.equal(judge([file('a.csv', DAY_1), file('b.csv', null)], both), null);
    assert.equal(judge([file('a.csv', null)], [file('a.csv', DAY_2)]), null);
    assert.equal(judge([file('a.csv', DAY_1)], [file('a.csv', null)]), null);
    assert.equal(judge([file('a.csv', DAY_1)], []), null);
  });
});
