import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { activityKeys, findActivityKeys, readActivityKey } from '../../src/core/search-keys.ts';
import { openStore } from '../../src/db/open.ts';
import { type Choice, ChoiceCounts, type Choices, type CountryChoices } from '../../src/search/choices.ts';
import { compileMatch, findMatching } from '../../src/search/match-row.ts';
import { createDatabase, usualEngines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { importCompanies, importSynthetic } from '../harness/entities.ts';
import { startService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { company as gbCompany } from '../registry/gb-file.ts';
import { openMemory } from './engines.ts';
import { askOracle, countByOracle } from './oracle.ts';
import { everything, scenarios } from './world-queries.ts';
import { recordsOf, storeWorld } from './world-store.ts';

test('the counts of a filter are the totals of the searches with each of its values', async () => {
  await using engine = await openMemory();
  const names = ['country', 'status', 'register', 'legalForm', 'legalFormClass', 'isic'] as const;
  await fc.assert(
    fc.asyncProperty(scenarios(8), async ({ entities, queries }) => {
      const records = await engine.store(entities);
      for (const query of queries) {
        const facets = await engine.countFacets(query);
        for (const facet of names)
          assert.deepEqual(facets?.[facet], countByOracle(records, query, facet), JSON.stringify({ facet, query }));
      }
    }),
    { numRuns: runs(2, 20), endOnFailure: true },
  );
});

for (const engine of usualEngines) {
  test(`single records match any query that finds them, on ${engine}`, async () => {
    const database = await createDatabase(engine, { migrated: true });
    const db = openStore('registry', database);
    try {
      await fc.assert(
        fc.asyncProperty(scenarios(20), async ({ entities, queries }) => {
          const records = recordsOf(await storeWorld(db, entities, 1));
          const ids = records.map(({ id }) => id);
          const matches = new Map(queries.map((query, index) => [index, compileMatch(query)]));
          const found = await findMatching(db, matches, ids);
          for (const [index, query] of queries.entries()) {
            const expected = askOracle(records, { ...query, page: 1, pageSize: 1_000_000 }).ids;
            const actual = ids.filter((id) => found.get(id)?.has(index));
            assert.deepEqual(actual.sort(), [...expected].sort(), JSON.stringify(query));
          }
        }),
        { numRuns: runs(30, 200) },
      );
    } finally {
      await db.close();
      await database[Symbol.asyncDispose]();
    }
  });
}

test('filter values: each has the number of entities that a search for it finds', async () => {
  await using service = await startService('sqlite');
  const { search } = service.services;
  assert.deepEqual(await search.listChoices(), {
    entities: 0,
    countries: [],
    isic: { codes: new Map(), registers: new Map() },
    withElf: new Map(),
  });

  await importSynthetic(service, 'md', 100);
  await importCompanies(service, [
    gbCompany('00000001', 'A', { 'SICCode.SicText_1': '62012 - Software' }),
    gbCompany('00000002', 'B', { 'SICCode.SicText_1': '62012 - Software', CompanyCategory: '' }),
  ]);
  // The counts may lag behind an import by one call.
  let choices: Choices = await search.listChoices();
  await until('all companies are counted', async () => {
    choices = await search.listChoices();
    return choices.entities === 102;
  });
  const [gb, md]: readonly (CountryChoices | undefined)[] = choices.countries;
  assert.deepEqual(gb, {
    code: 'GB',
    entities: 2,
    registers: [{ value: 'gb', entities: 2 }],
    statuses: [{ value: 'active', entities: 2 }],
    legalForms: [{ value: 'Private Limited Company', entities: 1 }],
    elf: [{ value: 'H0PO', entities: 1 }],
    legalFormClasses: [{ value: 'limited_company', entities: 1 }],
    activities: {
      unlicensed: [
        { value: '62012', entities: 2 },
        { value: 'Software', entities: 2 },
      ],
      licensed: [],
    },
  });
  assert.equal(md?.code, 'MD');
  const count = async (more: object) => {
    const { body } = await search.find({ ...everything, country: 'MD', pageSize: 1, ...more });
    return JSON.parse(Buffer.from(body).toString()).meta.total;
  };
  const { statuses = [], registers = [], legalForms = [], legalFormClasses = [] } = md ?? {};
  assert.ok(statuses.length > 1 && legalFormClasses.length > 1);
  for (const { value, entities } of statuses) assert.equal(await count({ status: value }), entities);
  for (const { value, entities } of registers) assert.equal(await count({ register: value }), entities);
  for (const { value, entities } of legalForms) assert.equal(await count({ legalForm: value }), entities);
  for (const { value, entities } of legalFormClasses) assert.equal(await count({ legalFormClass: value }), entities);
  for (const activityType of ['unlicensed', 'licensed'] as const) {
    const offered: readonly Choice[] = md?.activities[activityType] ?? [];
    assert.ok(offered.length > 0, activityType);
    for (const { value, entities } of offered.slice(0, 40)) {
      assert.equal(await count({ activity: value, activityType }), entities, value);
    }
  }
});
test('countries are in order of their code, values in order of frequency, then of their text', () => {
  const forms = { b: 2, c: 5, a: 2 };
  const counts = new ChoiceCounts();
  for (const country of ['NO', 'GB']) {
    for (const [value, count] of Object.entries(forms)) {
      for (const field of ['legalForm', 'status'] as const) counts.add(country, field, value, count);
    }
  }
  const { entities, countries } = counts.arrange();
  assert.equal(entities, 18);
  assert.deepEqual(
    countries.map(({ code, legalForms }) => [code, ...legalForms.map(({ value }) => value)]),
    [
      ['GB', 'c', 'a', 'b'],
      ['NO', 'c', 'a', 'b'],
    ],
  );
});

test('reading an activity key returns what was written', () => {
  for (const value of ['62012', 'a\\nb', 'a\nb', '\\', 'licensed']) {
    for (const type of ['licensed', 'unlicensed'] as const) {
      const [named, written] = findActivityKeys(type, value);
      assert.deepEqual(readActivityKey(named), { type, value });
      assert.equal(readActivityKey(written), undefined);
      assert.equal(activityKeys([{ type, code: value, label: null, written: value }]), `${named}\n${written}`);
    }
  }
});
