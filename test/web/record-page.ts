import type { Visitor } from '../../src/portal/parts/layout.ts';
import { type EntityView, entityPage } from '../../src/portal/record/page.ts';
import { recordExcerpt } from '../../src/registry/records/shown-record.ts';
import type { RegisterState } from '../../src/registry/registry.ts';
import { makeSummary } from './summaries.ts';

/** The text of a record's page without the JSON, which would match every value. */
export function showRecord(...given: Parameters<typeof showPage>): string {
  const [page = ''] = showPage(...given)
    .replace(/<head>.*?<\/head>/s, '')
    .split('id="json"');
  return page
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .replaceAll(' ,', ',');
}

/** The HTML of a record's page. */
export function showPage(
  registry: object,
  more: object = {},
  registers: readonly RegisterState[] = [],
  visitor: Visitor = { name: 'Anna' },
  parts: Pick<EntityView, 'ownership'> = {},
): string {
  const record = {
    ...makeSummary({
      countryCode: 'BE',
      register: 'be',
      registrationNumber: '0123.456.789',
      city: 'Brussel',
      canonicalName: 'ALPHA NV',
      legalForm: 'Naamloze vennootschap',
      registeredAt: '2003-02-01',
    }),
    registry,
    sourceData: {},
    registrations: [],
    provenance: null,
    ...more,
  };
  const excerpt = recordExcerpt.select([JSON.stringify(record)]);
  const view = {
    visitor,
    publicUrl: 'http://127.0.0.1:3000',
    excerpt,
    history: { changes: [], hasMore: false },
    registers,
    now: Date.parse('2026-03-15T12:00:00.000Z'),
    ...(visitor !== 'anonymous' && { left: 1 }),
    ...parts,
  };
  return entityPage(view).text;
}

export const provenance = {
  register: 'be',
  publisher: 'KBO',
  file: 'Full.zip',
  hash: 'sha256:aa',
  row: 184467,
  asOf: '2026-06-01',
  importedAt: '2026-06-03T04:12:09.000Z',
  sourceUrl: 'https://example.com',
  licence: 'CC0',
  synthetic: true,
  files: [
    { file: 'Full.zip', hash: 'sha256:aa', entry: 'enterprise.csv', rows: [{ first: 184467, last: 184467 }] },
    {
      file: 'Full.zip',
      hash: 'sha256:aa',
      entry: 'activity.csv',
      rows: [{ first: 20, last: 31 }, ...[40, 50, 60, 70].map((row) => ({ first: row, last: row }))],
    },
    { file: 'code.csv', hash: 'sha256:bb', entry: null, rows: [] },
  ],
};

export const UP_TO_DATE: Omit<RegisterState, 'register'> = {
  entities: 1,
  asOf: '2026-03-01',
  importedAt: Date.parse('2026-03-02T00:00:00.000Z'),
  checkedAt: Date.parse('2026-03-15T09:00:00.000Z'),
  freshness: 'fresh',
  failures: 0,
  problem: null,
  synthetic: false,
};
