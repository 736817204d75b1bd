import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { elfCodes, formColumnOf, formRows, legalFormClassNames } from '../../src/classifications/elf.ts';
import { registers } from '../../src/registers/index.ts';
import { runs } from '../harness/depth.ts';
import { searchEngines } from './engines.ts';
import { askOracle, countByOracle } from './oracle.ts';
import { everything } from './world-queries.ts';
import { recordsOf, storeWorld } from './world-store.ts';
import { company } from './worlds.ts';

const SEED = 42;
const QUERIES = runs(250, 1_000);

/** Forms of all registers and LEI records, also under the code or name of another register, and forms that no table has. */
const form = fc.oneof(
  fc.constantFrom(...formRows).map(({ register, form, label }) => ({ register, form, label })),
  fc
    .constantFrom(...elfCodes.keys(), '8888', 'ZZZ9')
    .map((form) => ({ register: 'gleif', form, label: `Form ${form}` })),
  fc
    .tuple(
      fc.constantFrom(...registers.map(({ id }) => id)),
      fc.constantFrom('AS', 'SA', 'SE', 'Partnership', 'Unknown', ''),
    )
    .map(([register, form]) => ({ register, form, label: form })),
);

const codes = [
  ...new Set(formRows.flatMap(({ elf }) => elf || [])),
  ...[...elfCodes.keys()].slice(0, 50),
  'ZZZ9',
  '8888',
];
const several = <T>(...values: readonly T[]) =>
  fc.option(fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 3 }), { nil: undefined });
const query = fc
  .record({
    elf: several(...codes),
    legalFormClass: several(...legalFormClassNames),
    q: fc.constantFrom('', '', '', '1', 'firm', 'm 12'),
    country: fc.constantFrom(undefined, undefined, 'GB', 'NO', 'FR'),
    register: fc.constantFrom(undefined, undefined, 'gleif', 'no', 'fr', 'zz'),
    sort: fc.constantFrom('name' as const, '-registeredAt' as const),
    page: fc.constantFrom(1, 1, 2),
  })
  .map(({ elf, legalFormClass, ...more }) => {
    const filters = { elf: elf?.join(','), legalFormClass: legalFormClass?.join(',') };
    return { ...everything, ...more, ...filters, pageSize: 20 };
  });

for (const [name, open] of Object.entries(searchEngines)) {
  test(`${QUERIES} searches by ELF code and class find what a loop over all records finds (${name})`, async () => {
    const engine = await open();
    after(() => engine.close());
    const forms = fc.sample(form, { seed: SEED, numRuns: 900 });
    const world = forms.map(({ register, form, label }, at) => {
      const legalForm = formColumnOf(register) === 'code' ? { code: form, label } : { label: form };
      const country = registers.find(({ id }) => id === register)?.country ?? 'NO';
      return { ...company(`Firm ${at}`, String(at + 1), { legalForm }), country, register } as never;
    });
    const records = recordsOf(await storeWorld(engine.db, world, Date.UTC(2026, 0, 1)));
    await engine.reload();
    let found = 0;
    const queries = fc.sample(query, { seed: SEED, numRuns: QUERIES });
    for (const asked of queries) {
      const expected = askOracle(records, asked);
      assert.equal(await engine.find(asked), expected.body, JSON.stringify(asked));
      found += expected.total;
    }
    assert.ok(found > QUERIES, 'most searches find something');
    for (const asked of queries.slice(0, 40)) {
      const facets = await engine.countFacets(asked);
      assert.deepEqual(facets?.legalFormClass, countByOracle(records, asked, 'legalFormClass'), JSON.stringify(asked));
    }
  });
}
