import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toSearchQuery } from '../../src/search/parameters.ts';
import { nameDownload } from '../../src/web/text/download-name.ts';
import { shortenLegalForm } from '../../src/web/text/legal-form.ts';

test('a legal form is shortened to its abbreviation or its first words', () => {
  for (const [full, short] of [
    ['LTD - Private Company Limited by Shares', 'LTD'],
    ['PRIVATE COMPANY LIMITED BY SHARES', 'PRIVATE COMPANY LIMITED BY…'],
    ['ТОВАРИСТВО З ОБМЕЖЕНОЮ ВІДПОВІДАЛЬНІСТЮ', 'ТОВАРИСТВО З ОБМЕЖЕНОЮ…'],
    ['Private Limited Company', 'Private Limited Company'],
    ['x'.repeat(40), `${'x'.repeat(30)}…`],
    ['', ''],
  ] as const) {
    assert.equal(shortenLegalForm(full), short);
  }
});

test('a download is named after the search and the day, in ASCII and as it was written', () => {
  const now = Date.parse('2026-11-17T23:59:00Z');
  assert.equal(
    nameDownload(toSearchQuery({ q: 'Müller & Co', country: 'gb' }), now),
    `attachment; filename="companies-muller-co-gb-2026-11-17.csv"; filename*=UTF-8''companies-muller-co-gb-2026-11-17.csv`,
  );
  const cyrillic = nameDownload(toSearchQuery({ q: 'Зоря "1"\r\nX: y' }), now);
  assert.match(
    cyrillic,
    /^attachment; filename="companies--1-x-y-2026-11-17\.csv"; filename\*=UTF-8''companies-%D0%B7/,
  );
  assert.doesNotMatch(cyrillic, /[\r\n]/);
  assert.equal(nameDownload(toSearchQuery({}), now).split(';')[1]?.trim(), 'filename="companies-2026-11-17.csv"');
  assert.ok(nameDownload(toSearchQuery({ q: 'x'.repeat(4_000) }), now).length < 300);
});
