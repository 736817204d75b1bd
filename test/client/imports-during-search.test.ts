import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { createClient } from '../../clients/typescript/src/index.ts';
import { engines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import {
  anySearch,
  checkCopy,
  checkRun,
  nameQuery,
  readTruth,
  runSearch,
  type Search,
  type Truth,
} from './search-run.ts';
import { anySteps, persistent, type Step } from './steps.ts';

/** The new name of a company, which may be a new company. */
interface Rename {
  readonly number: number;
  readonly name: string;
}

const anyRename: fc.Arbitrary<Rename> = fc.record({
  number: fc.nat(39),
  name: fc.constantFrom('A ACME LTD', 'ACME M LTD', 'Z ACME LTD', 'OTHER LTD', 'ACME M PLC', 'ACME 5 LTD'),
});
const PAGES_OF_TWO: Search = { query: { q: 'acme', pageSize: 2 }, onChange: 'restart', restarts: 12 };
const THREE_IMPORTS: Step<Rename>[] = ['A ACME LTD', 'Z ACME LTD', 'ACME M LTD'].flatMap((name, number) => [
  { fault: null, event: { number, name } },
  { fault: null, event: null },
]);

const toRow = ({ number, name }: Rename) => company(`${10_000_000 + number}`, name);

for (const engine of engines) {
  describe(`searches of the TypeScript client while the service imports on ${engine}`, () => {
    let proxy: FaultProxy;
    let service: TestService;
    before(async () => {
      proxy = await startFaultProxy();
      service = await startService(engine, { smallIndex: 1 });
      const rows = Array.from({ length: 30 }, (_, number) => toRow({ number, name: `ACME ${number} LTD` }));
      await importCompanies(service, rows);
    });
    after(async () => {
      await proxy?.[Symbol.asyncDispose]();
      await service?.[Symbol.asyncDispose]();
    });

    test('every company exactly once, or SnapshotChanged; with the changes after its cursor, a copy stays true', async () => {
      const upstream = { url: service.url, key: await service.createKey({ plan: 'business' }) };
      /** What each version of the data answers. Imports run one after the other, so each version is read before the next. */
      const truths = new Map<string, Truth>();
      const direct = createClient(upstream);
      const record = async () => {
        const version = (await direct.searchEntitiesHead()).get('x-data-version') ?? assert.fail();
        truths.set(version, await readTruth(upstream));
      };
      await record();

      async function check(search: Search, steps: readonly Step<Rename>[]): Promise<void> {
        let requests = 0;
        let imports = Promise.resolve();
        const versions: string[] = [];
        proxy.direct(async () => {
          const { fault = null, event = null } = steps[requests] ?? {};
          requests += 1;
          // The clock of the service stands still otherwise, and the rate window would never reset.
          service.clock.advance(1_000);
          // The search goes on meanwhile.
          if (event !== null)
            imports = imports.then(async () => {
              await importCompanies(service, [toRow(event)]);
              await record();
            });
          return { upstream, fault, observe: (version) => void versions.push(version) };
        });
        const outcome = await runSearch(createClient({ url: proxy.url, ...persistent }), search);
        await imports;
        const snapshots = versions.map(
          (version) => truths.get(version)?.get(nameQuery(search.query)) ?? assert.fail(version),
        );
        checkRun(outcome, search, snapshots);
        const now = [...truths.values()].at(-1)?.get(nameQuery(search.query)) ?? assert.fail();
        if (outcome.isComplete) await checkCopy(direct, outcome, search.query, now);
      }
      await fc.assert(fc.asyncProperty(anySearch, anySteps(anyRename), check), {
        numRuns: runs(4, 300),
        examples: [[PAGES_OF_TWO, THREE_IMPORTS]],
      });
      assert.ok(truths.size > 2);
    });
  });
}
