import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { elfCodes, formColumnOf, formRows, legalFormClassNames } from '../../src/classifications/elf.ts';
import { isicCodes, listRules } from '../../src/classifications/isic.ts';
import { activityKeys, findActivityKeys, readActivityKey } from '../../src/core/search-keys.ts';
import { openStore } from '../../src/db/open.ts';
import { registers } from '../../src/registers/index.ts';
import { type Choice, ChoiceCounts, type Choices, type CountryChoices } from '../../src/search/choices.ts';
import { compileMatch, findMatching } from '../../src/search/match-row.ts';
import { createDatabase, usualEngines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { importCompanies, importSynthetic } from '../harness/entities.ts';
import { startService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { company as gbCompany } from '../registry/gb-file.ts';
import { openMemory, type TestEngine } from './engines.ts';
import { askOracle, countByOracle, type OracleQuery, type OracleRecord } from './oracle.ts';
import { everything, scenarios } from './world-queries.ts';
import { recordsOf, storeWorld } from './world-store.ts';
import { company } from './worlds.ts';

const SEED = 42;
const QUERIES = runs(200, 400);

const rules = listRules();
const keys = [...rules.families].flatMap(([published, family]) =>
  [...rules.codes.keys()].flatMap((key) => (key.startsWith(`${family}|`) ? `${published}|${key.split('|')[1]}` : [])),
);
const ODD_KEYS = ['TOL|2002|7222', 'KVED||6201', 'CZ-NACE|2008|G', 'CZ-NACE|2008|Z', 'UK SIC|2007|7499', 'NAF||6201'];

/** Codes of all schemes, of which some have the same number in two editions, and codes that no table has. */
const activity = fc
  .tuple(fc.constantFrom(...keys, ...ODD_KEYS), fc.constantFrom('', '0', '1Z'), fc.constantFrom({}, {}, { main: true }))
  .map(([key, rest, main]) => {
    const [scheme = '', edition = '', digits = ''] = key.split('|');
    const published = edition === '' ? {} : { edition };
    return { type: 'unlicensed' as const, scheme, ...published, code: digits + rest, label: null, ...main };
  });

const registerIds = registers.map(({ id }) => id);
/** Forms of all registers and LEI records, also under the code or name of another register, and forms that no table has. */
const form = fc.oneof(
  fc.constantFrom(...formRows).map(({ register, form, label }) => ({ register, form, label })),
  fc
    .constantFrom(...elfCodes.keys(), '8888', 'ZZZ9')
    .map((code) => ({ register: 'gleif', form: code, label: `Form ${code}` })),
  fc
    .tuple(fc.constantFrom(...registerIds), fc.constantFrom('AS', 'SA', 'SE', 'Partnership', 'Unknown', ''))
    .map(([register, text]) => ({ register, form: text, label: text })),
);

const known = formRows.flatMap(({ elf }) => elf || []);
const codes = [...new Set(known), ...[...elfCodes.keys()].slice(0, 50), 'ZZZ9', '8888'];
const several = <T extends string>(...values: readonly T[]) =>
  fc
    .option(fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 3 }), { nil: undefined })
    .map((list) => list?.join(','));

const rest = {
  q: fc.constantFrom('', '', '', '1', 'firm', 'm 12'),
  sort: fc.constantFrom('name' as const, '-registeredAt' as const),
  page: fc.constantFrom(1, 1, 2),
};
const askedIsic = fc.record({ isic: several(...isicCodes, 'J', 'C', 'G', '62', '46', '47'), ...rest });
const askedForms = fc.record({
  elf: several(...codes),
  legalFormClass: several(...legalFormClassNames),
  country: fc.constantFrom(undefined, undefined, 'GB', 'NO', 'FR'),
  register: fc.constantFrom(undefined, undefined, 'gleif', 'no', 'fr', 'zz'),
  ...rest,
});
const sample = (query: fc.Arbitrary<object>): OracleQuery[] =>
  fc.sample(query, { seed: SEED, numRuns: QUERIES }).map((asked) => ({ ...everything, ...asked, pageSize: 20 }));

async function assertLikeOracle(engine: TestEngine, records: readonly OracleRecord[], queries: readonly OracleQuery[]) {
  let found = 0;
  for (const asked of queries) {
    const expected = askOracle(records, asked);
    assert.equal(await engine.find(asked), expected.body, JSON.stringify(asked));
    found += expected.total;
  }
  assert.ok(found > QUERIES, 'most searches find something');
}

describe('filters', () => {
  test('searches by industry find what a loop over all records finds', async () => {
    await using engine = await openMemory();
    const lists = fc.sample(fc.array(activity, { maxLength: 4 }), { seed: SEED, numRuns: 600 });
    const world = lists.map((activities, at) => company(`Firm ${at}`, String(at + 1), { activities }));
    const records = await engine.store(world);
    const queries = sample(askedIsic);
    await assertLikeOracle(engine, records, queries);
    // Sections and divisions count companies, not activities, also without the filter and with few results.
    const few = ['firm 1', 'firm 12', 'm 123'].map((q) => ({ ...everything, q }));
    for (const asked of [everything, ...few, ...queries.slice(0, 4)]) {
      const facets = await engine.countFacets(asked);
      assert.deepEqual(facets?.isic, countByOracle(records, asked, 'isic'), JSON.stringify(asked));
    }
  });

  test('searches by ELF code and class find what a loop over all records finds', async () => {
    await using engine = await openMemory();
    const world = fc.sample(form, { seed: SEED, numRuns: 900 }).map(({ register, form: text, label }, at) => {
      const legalForm = formColumnOf(register) === 'code' ? { code: text, label } : { label: text };
      const country = registers.find(({ id }) => id === register)?.country ?? 'NO';
      return { ...company(`Firm ${at}`, String(at + 1), { legalForm }), country, register } as never;
    });
    const records = await engine.store(world);
    const queries = sample(askedForms);
    await assertLikeOracle(engine, records, queries);
    for (const asked of queries.slice(0, 40)) {
      const { legalFormClass } = (await engine.countFacets(asked)) ?? {};
      assert.deepEqual(legalFormClass, countByOracle(records, asked, 'legalFormClass'), JSON.stringify(asked));
    }
  });

  test('the counts of a filter are the totals of the searches with each of its values', async () => {
    await using engine = await openMemory();
    await fc.assert(
      fc.asyncProperty(scenarios(8), async ({ entities, queries }) => {
        const records = await engine.store(entities);
        for (const query of queries) {
          const facets = await engine.countFacets(query);
          for (const facet of ['country', 'status', 'register', 'legalForm'] as const)
            assert.deepEqual(facets?.[facet], countByOracle(records, query, facet), JSON.stringify({ facet, query }));
        }
      }),
      { numRuns: runs(2, 20), endOnFailure: true },
    );
  });
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
      await database.remove();
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
