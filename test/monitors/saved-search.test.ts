import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../src/base/errors.ts';
import { importFiles } from '../../src/import/import.ts';
import type { Register } from '../../src/registers/contract.ts';
import { registers } from '../../src/registers/index.ts';
import { toSearchQuery } from '../../src/search/parameters.ts';
import type { Change } from '../../src/watch/feed/feed.ts';
import type { SearchFilters } from '../../src/watch/monitors/monitor.ts';
import { usualEngines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { describeOn } from '../harness/describe-on.ts';
import { untilSearchServes } from '../harness/entities.ts';
import type { TestSession } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { until } from '../harness/until.ts';
import { company, writeGb } from '../registry/gb-file.ts';

const NONE = { country: null, register: null, type: null };
const gb = registers.find(({ id }) => id === 'gb') as Register;

const row = fc.record({
  number: fc.constantFrom('00000001', '00000002', '00000003', 'SC000004', '00000005'),
  name: fc.constantFrom('ALPHA LTD', 'ALPHA BANK LTD', 'OMEGA LTD', 'BANK 24/7 LTD'),
  status: fc.constantFrom('Active', 'Liquidation'),
  category: fc.constantFrom('Private Limited Company', 'Public Limited Company'),
  activity: fc.constantFrom('62012 - Business and domestic software development', '99999 - Dormant Company'),
  town: fc.constantFrom('LONDON', 'YORK'),
});
const rows = fc.uniqueArray(row, { selector: ({ number }) => number, minLength: 1, maxLength: 5 });
const imports = fc.record({ rows, mode: fc.constantFrom('partial', 'full') });
const filters = fc.record(
  {
    q: fc.constantFrom('alpha', 'bank', '24/7', '00000', 'SC000004', ''),
    country: fc.constantFrom('GB', 'gb', 'NO'),
    status: fc.constantFrom('active', 'delisted', 'in_liquidation'),
    legalForm: fc.constant('Public Limited Company'),
    activity: fc.constantFrom('62012', '99999'),
  },
  { requiredKeys: [] },
);
const steps = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('import' as const),
        imports: fc.array(imports, { minLength: 1, maxLength: 2 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('create' as const), filters }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('change' as const),
        filters,
        // What is imported, but not compared yet, when the search is changed.
        imports: fc.array(imports, { maxLength: 1 }),
      }),
    },
  ),
  { minLength: 4, maxLength: 10 },
);

const FIRST = {
  mode: 'partial',
  rows: [{ number: '00000009', name: 'FIRST LTD', status: 'Active', category: 'Other', activity: '1', town: 'YORK' }],
};

interface Followed {
  readonly id: string;
  filters: SearchFilters;
  /** The companies that match, by the events so far. */
  members: ReadonlySet<string>;
  cursor: string;
}

describeOn(usualEngines, 'saved searches', (engine) => {
  const service = useService(engine);
  /** A monitor from before the first import. */
  let [loaded, owner] = ['', ''];
  before(async () => {
    const { account } = await service.signIn();
    loaded = (await service.services.monitors.create(account, { name: 'early', watch: { country: 'GB' } })).id;
    owner = account.accountId;
    await importRows(FIRST);
  });

  async function find(filters: SearchFilters): Promise<Set<string>> {
    const query = { ...toSearchQuery(filters), pageSize: 100 };
    const { body } = await service.services.search.find(query);
    return new Set(JSON.parse(Buffer.from(body).toString()).data.map(({ id }: { id: string }) => id));
  }

  async function importRows({ rows, mode }: { rows: readonly Record<string, string>[]; mode: string }): Promise<void> {
    const companies = rows.map(({ number, name, status, category, activity, town }) =>
      company(number as string, name as string, {
        CompanyStatus: status as string,
        CompanyCategory: category as string,
        'SICCode.SicText_1': activity as string,
        'RegAddress.PostTown': town as string,
      }),
    );
    const folder = mkdtempSync(join(service.database.dataDir, 'in-'));
    const paths = [writeGb(folder, 'companies.csv', companies)];
    const how = { mode: mode as 'partial', again: true };
    await importFiles(service.services.registryDb, service.clock, { register: gb, registers, paths, ...how });
  }

  async function untilCompared(): Promise<void> {
    await untilSearchServes(service);
    const { changes, monitorPass, accountsDb } = service.services;
    await monitorPass.run();
    const { nextCursor } = (await changes.readPage({ cursor: 'now', filter: NONE, limit: 1 })).meta;
    await until('the changes are compared', async () => {
      return (await accountsDb.one<{ cursor: string }>('SELECT cursor FROM monitor_pass'))?.cursor === nextCursor;
    });
  }

  /** Repeats it as a client does while an import is compared. */
  async function changeSearch(account: TestSession['account'], id: string, search: SearchFilters) {
    for (;;) {
      try {
        return await service.services.monitors.update(account, id, { search });
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== 'service_unavailable') throw error;
      }
    }
  }

  /** What must be reported of changes, if the search finds `found` after each of them. */
  function expectEvents(journal: readonly Change[], members: ReadonlySet<string>, found: ReadonlySet<string>) {
    return journal.flatMap((change) => {
      const [was, is] = [members, found].map((set) => set.has(change.entityId ?? ''));
      if (!was && !is) return [];
      return [{ ...change, type: was === is ? change.type : is ? 'entered' : 'left' }];
    });
  }

  test('the companies of a register that is imported for the first time are members, and are not reported one by one', async () => {
    const { monitors, monitorChanges } = service.services;
    await untilCompared();
    const found = await find({ country: 'GB' });
    assert.equal(found.size, 1);
    assert.deepEqual(await monitors.listEntities(owner, loaded, undefined, 10), [...found]);
    const request = { accountId: owner, id: loaded, cursor: undefined, limit: 10 };
    assert.deepEqual((await monitorChanges.readPage(request)).data, []);
  });

  test('the companies that entered and left are those that the search finds and no longer finds', async () => {
    const { monitors, monitorChanges, changes } = service.services;
    await fc.assert(
      fc.asyncProperty(steps, async (steps) => {
        const { account }: TestSession = await service.signIn();
        const followed: Followed[] = [];
        for (const step of steps) {
          if (step.kind === 'create') {
            const result = await monitors.create(account, {
              name: 'search',
              watch: step.filters as SearchFilters,
            });
            const members = await find(step.filters as SearchFilters);
            assert.equal(result.entities, members.size);
            followed.push({ id: result.id, filters: step.filters as SearchFilters, members, cursor: result.cursor });
            continue;
          }
          for (const each of step.imports) await importRows(each);
          const [changed] = step.kind === 'change' ? followed : [];
          const search = (step.kind === 'change' ? step.filters : {}) as SearchFilters;
          const changing = changed && changeSearch(account, changed.id, search);
          await untilCompared();
          if (changed !== undefined && changing !== undefined) {
            const { monitor, cursor, added, removed } = await changing;
            const request = { accountId: account.accountId, id: changed.id, cursor: changed.cursor, limit: 1_000 };
            const { data, meta } = await monitorChanges.readPage(request);
            const journal = (await changes.readPage({ cursor: changed.cursor, filter: NONE, limit: 1_000 })).data;
            const [old, members] = [await find(changed.filters), await find(search)];
            assert.deepEqual(data, expectEvents(journal, changed.members, old), 'the old search until then');
            assert.deepEqual([meta.nextCursor, monitor.entities], [cursor, members.size]);
            assert.deepEqual([added, removed], [members.difference(old).size, old.difference(members).size]);
            Object.assign(changed, { filters: search, members, cursor });
          }
          for (const one of followed) {
            const request = { accountId: account.accountId, id: one.id, cursor: one.cursor, limit: 1_000 };
            const { data, meta } = await monitorChanges.readPage(request);
            const found = await find(one.filters);
            const journal = (await changes.readPage({ cursor: one.cursor, filter: NONE, limit: 1_000 })).data;
            if (step.imports.length === 1) assert.deepEqual(data, expectEvents(journal, one.members, found));
            const members = new Set(one.members);
            for (const { type, entityId } of data) {
              assert.equal(members.has(entityId ?? ''), type !== 'entered', type);
              if (type === 'entered') members.add(entityId ?? '');
              if (type === 'left') members.delete(entityId ?? '');
            }
            assert.deepEqual([...members].sort(), [...found].sort());
            assert.deepEqual(await monitors.listEntities(account.accountId, one.id, undefined, 100), [...found].sort());
            assert.equal((await monitors.find(account.accountId, one.id)).entities, found.size);
            Object.assign(one, { members, cursor: meta.nextCursor });
          }
        }
      }),
      { numRuns: runs(8, 40) },
    );
  });
});
