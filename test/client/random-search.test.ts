import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { createClient } from '../../clients/typescript/src/index.ts';
import { type Engine, usualEngines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { company, type GbRow } from '../registry/gb-file.ts';
import { type FaultProxy, reachesService, startFaultProxy, type Upstream } from './fault-proxy.ts';
import { anySearch, checkRun, nameQuery, readTruth, runSearch, type Search, type Truth } from './search-run.ts';
import { anySteps, persistent, type Step } from './steps.ts';

/** Companies that move forwards and backwards, appear, and stop matching from generation to generation. */
const GENERATIONS: readonly (readonly GbRow[])[] = [
  Array.from({ length: 30 }, (_, at) =>
    company(`${10_000_000 + at}`, `ACME ${String.fromCharCode(65 + (at % 26))}${at} LTD`),
  ),
  [company('10000000', 'ZULU ACME LTD'), company('10000029', '1ST ACME LTD'), company('20000001', 'ACME NEW LTD')],
  [company('10000005', 'OTHER NAME LTD'), company('10000010', 'ACME A0 LTD'), company('20000002', 'AA ACME LTD')],
  [company('10000005', 'ACME BACK LTD'), company('10000000', 'ACME A LTD'), company('10000020', 'ACME Z9 PLC')],
];

/** Whatever the random runs are: a search through faults that starts again after an import, and one that ends. */
const BY_TEN: Search = { query: { status: 'active', pageSize: 10 }, onChange: 'restart', restarts: 12 };
const ONE_IMPORT: Step<number>[] = [
  { fault: 'reset', event: null },
  { fault: null, event: null },
  { fault: null, event: 1 },
];

interface Generation extends Upstream {
  readonly service: TestService;
  readonly truth: Truth;
}

/** One service per generation of the same data. An import between two requests is a change from one to another. */
async function startGeneration(engine: Engine, number: number): Promise<Generation> {
  const service = await startService(engine);
  for (const rows of GENERATIONS.slice(0, number + 1)) {
    service.clock.advance(1_000);
    await importCompanies(service, rows);
  }
  const upstream = { url: service.url, key: await service.createKey() };
  return { ...upstream, service, truth: await readTruth(upstream) };
}

for (const engine of usualEngines) {
  describe(`searches of the TypeScript client through faults and imports on ${engine}`, () => {
    let proxy: FaultProxy;
    const generations: Generation[] = [];
    before(async () => {
      proxy = await startFaultProxy();
      for (const number of GENERATIONS.keys()) generations.push(await startGeneration(engine, number));
    });
    after(async () => {
      await proxy?.[Symbol.asyncDispose]();
      for (const { service } of generations) await service[Symbol.asyncDispose]();
    });

    test('every company exactly once, or SnapshotChanged', async () => {
      const seen = { restarted: 0, ended: 0, faults: 0 };
      // It keeps replies of all generations, to be revalidated.
      const caching = createClient({ url: proxy.url, ...persistent });
      const [first] = generations;

      async function check(search: Search, steps: readonly Step<number>[], isCaching: boolean): Promise<void> {
        let current = first ?? assert.fail();
        let requests = 0;
        const served: Generation[] = [];
        proxy.direct(async () => {
          const { fault = null, event = null } = steps[requests] ?? {};
          requests += 1;
          current = generations[event ?? -1] ?? current;
          if (reachesService(fault)) served.push(current);
          if (fault !== null) seen.faults += 1;
          return { upstream: current, fault };
        });
        const client = isCaching ? caching : createClient({ url: proxy.url, ...persistent, cache: 0 });
        const outcome = await runSearch(client, search);
        const snapshots = served.map(({ truth }) => truth.get(nameQuery(search.query)) ?? assert.fail());
        checkRun(outcome, search, snapshots);
        if (!outcome.isComplete) seen.ended += 1;
        else if (new Set(served).size > 1) seen.restarted += 1;
        // The limits of a minute are not what is tested here.
        if ((client.limits?.window.remaining ?? 3_000) < 1_500)
          for (const { service } of generations) service.clock.advance(60_000);
      }

      const anyGeneration = fc.nat(GENERATIONS.length - 1);
      await fc.assert(fc.asyncProperty(anySearch, anySteps(anyGeneration), fc.boolean(), check), {
        numRuns: runs(25, 10_000),
        endOnFailure: false,
        examples: [
          [BY_TEN, ONE_IMPORT, false],
          [{ ...BY_TEN, onChange: 'throw' }, ONE_IMPORT, false],
        ],
      });
      // The runs did what they are for.
      assert.ok(seen.restarted > 0 && seen.ended > 0 && seen.faults > 0, JSON.stringify(seen));
    });
  });
}
