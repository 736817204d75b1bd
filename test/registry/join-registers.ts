import { type Cell, defineRegister, type JoinedRows, noRows } from '../../src/registers/contract.ts';
import { table, testManifest } from './test-register.ts';

const map = (cell: Cell, _context: unknown, rows: JoinedRows = noRows) => ({
  number: cell('number') || null,
  canonicalName: cell('name'),
  status: 'active' as const,
  legalForm: null,
  registeredAt: null,
  registrations: [
    {
      authority: 'X',
      type: 'national' as const,
      number: cell('number'),
      status: null,
      registeredAt: null,
      endedAt: null,
    },
  ],
  activities: [],
  registry: {
    details: rows('details').map((row) => row('text')),
    sites: rows('sites').map((row) => row('site')),
    others: rows('people').map((row) => row('name')),
  },
});

const mapTyped = (cell: Cell, context: unknown, rows?: JoinedRows) => ({
  ...map(cell, context, rows),
  number: cell('number') === '' ? null : `${cell('type')}-${cell('number')}`,
});

const manifest = {
  ...testManifest,
  readCodes: (tables: ReadonlyMap<string, readonly Readonly<Record<string, string>>[]>) =>
    tables.get('about')?.[0]?.kind ?? '',
} as const;

/** Companies with two joined tables, one of which may also refer to a company through its sites. */
export const joining = defineRegister<string>({
  ...manifest,
  id: 'joining',
  sources: [
    { ...table('companies', ['number', 'name']), key: 'number', map },
    { ...table('sites', ['site', 'owner']), joins: { column: 'owner', required: true } },
    {
      ...table('details', ['entity', 'text']),
      joins: {
        column: 'entity',
        keep: (cell) => cell('text') !== 'useless',
        through: [{ source: 'sites', column: 'site', when: /^S/ }],
      },
    },
    table('about', ['kind']),
  ],
  refuse: (kind) => (kind === 'update' ? 'an update: import the full file' : null),
});

/** Also has a code table that it can do without, and a file that it recognizes only to refuse it. */
export const labelled = {
  ...joining,
  sources: [
    ...joining.sources,
    { ...table('labels', ['code', 'label']), without: 'codes have no labels' },
    { ...table('closed', ['closed']), refusal: 'this file lists only closed companies. Import companies.csv' },
  ],
};

/** Several rows of a company become one record. */
export const gathering = defineRegister<string>({
  ...manifest,
  id: 'gathering',
  sources: [
    {
      ...table('people', ['number', 'name', 'since']),
      gather: {
        column: 'number',
        choose: (rows) => rows.reduce((best, row, at) => (row('since') > (rows[best] as Cell)('since') ? at : best), 0),
      },
      map,
    },
  ],
});

/** A number is unique only within a type, as in Cyprus. */
export const composite = defineRegister<string>({
  ...manifest,
  id: 'composite',
  sources: [
    { ...table('companies', ['type', 'number', 'name']), key: ['type', 'number'], map: mapTyped },
    { ...table('details', ['kind', 'no', 'text']), joins: { column: ['kind', 'no'] } },
  ],
});

/** Gathers rows by a key of two columns. */
export const compositeGathering = defineRegister<string>({
  ...manifest,
  id: 'composite-gathering',
  sources: [
    {
      ...table('people', ['type', 'number', 'name']),
      gather: { column: ['type', 'number'], choose: (rows) => rows.length - 1 },
      map: mapTyped,
    },
  ],
});
