import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import {
  type Change,
  type Client,
  createClient,
  type EntitySummary,
  type SearchQuery,
  SnapshotChanged,
} from '../../clients/typescript/src/index.ts';
import { runs } from '../harness/depth.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { publishChanges } from '../journal/journal.ts';
import { company, type GbRow } from '../registry/gb-file.ts';
import {
  anySteps,
  type FaultProxy,
  persistent,
  reachesService,
  type Step,
  startFaultProxy,
  type Upstream,
} from './fault-proxy.ts';

/** How a run searches. */
interface Search {
  readonly query: SearchQuery;
  readonly onChange: 'restart' | 'throw';
  readonly restarts: number;
}

const QUERIES: readonly SearchQuery[] = [
  { q: 'acme' },
  { q: 'ltd', country: 'gb' },
  { status: 'active' },
  { q: 'none' },
];

const anySearch: fc.Arbitrary<Search> = fc.record({
  query: fc
    .record({ filter: fc.constantFrom(...QUERIES), pageSize: fc.integer({ min: 1, max: 12 }) })
    .map(({ filter, pageSize }) => ({ ...filter, pageSize })),
  onChange: fc.constantFrom('restart', 'throw'),
  restarts: fc.integer({ min: 0, max: 12 }),
});

/** The results of each query in one snapshot. */
type Truth = ReadonlyMap<string, readonly EntitySummary[]>;

const nameQuery = ({ q, country, status }: SearchQuery) => JSON.stringify([q, country, status]);

/** Asks the service itself, without the iterator. */
async function readTruth({ url, key }: Upstream): Promise<Truth> {
  const direct = createClient({ url, key, cache: 0 });
  const found = new Map<string, readonly EntitySummary[]>();
  for (const query of QUERIES) {
    const { data, meta } = await direct.searchEntities({ ...query, pageSize: 100 });
    assert.ok(meta.total <= 100);
    found.set(nameQuery(query), data);
  }
  return found;
}

/** What a run gave, and how it ended. */
interface Outcome {
  readonly given: readonly EntitySummary[];
  readonly isComplete: boolean;
  readonly cursor: string | undefined;
}

async function runSearch(client: Client, { query, ...options }: Search): Promise<Outcome> {
  const given: EntitySummary[] = [];
  const results = client.entities.search(query, options);
  try {
    for await (const company of results) given.push(company);
    return { given, isComplete: true, cursor: results.cursor };
  } catch (error) {
    if (!(error instanceof SnapshotChanged)) throw error;
    return { given, isComplete: false, cursor: results.cursor };
  }
}

/**
 * Checks a run against the true results of each snapshot that a reply came from, in the order of the replies. A reply that did not
 * arrive counts, too, so there may be more snapshots than the client has seen, but not fewer.
 */
function checkRun(outcome: Outcome, search: Search, snapshots: readonly (readonly EntitySummary[])[]): void {
  const { given, isComplete } = outcome;
  assert.equal(new Set(given.map(({ id }) => id)).size, given.length, 'a company was given twice');
  for (const company of given) {
    assert.ok(
      snapshots.some((results) => results.some((other) => isSame(other, company))),
      `${company.canonicalName} is in no snapshot`,
    );
  }
  const changes = snapshots.filter((results, index) => index > 0 && results !== snapshots[index - 1]).length;
  const last = snapshots.at(-1) ?? assert.fail('there was no reply');
  if (!isComplete) {
    assert.ok(
      changes > (search.onChange === 'throw' ? 0 : search.restarts),
      `SnapshotChanged after ${changes} changes`,
    );
  } else if (search.onChange === 'throw') {
    // The last reply was complete, so all pages came from its snapshot.
    assert.deepEqual(given, last);
  } else {
    const ids = new Set(given.map(({ id }) => id));
    for (const { id, canonicalName } of last) assert.ok(ids.has(id), `${canonicalName} is missing`);
    if (changes === 0) assert.deepEqual(given, last);
  }
}

const isSame = (one: EntitySummary, other: EntitySummary) =>
  one.id === other.id && one.canonicalName === other.canonicalName && one.updatedAt === other.updatedAt;

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
async function startGeneration(number: number): Promise<Generation> {
  const service = await startService('sqlite');
  for (const rows of GENERATIONS.slice(0, number + 1)) {
    service.clock.advance(1_000);
    await importCompanies(service, rows);
  }
  const upstream = { url: service.url, key: await service.createKey() };
  return { ...upstream, service, truth: await readTruth(upstream) };
}

describe('searches of the TypeScript client through faults and imports', () => {
  let proxy: FaultProxy;
  const generations: Generation[] = [];
  before(async () => {
    proxy = await startFaultProxy();
    for (const number of GENERATIONS.keys()) generations.push(await startGeneration(number));
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
      numRuns: runs(25, 300),
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

/** The countries of the changes of an import, in their order. */
type Import = readonly ('GB' | 'NO')[];

/** A program that follows changes and is killed now and then. */
interface Program {
  readonly country: 'GB' | undefined;
  readonly limit: number;
  /** Handles and stores whole pages instead of changes. */
  readonly byPage: boolean;
  /** After how many changes or pages each life ends. */
  readonly lives: readonly number[];
}

const anyImport: fc.Arbitrary<Import> = fc.array(fc.constantFrom('GB', 'NO'), { minLength: 1, maxLength: 6 });
const anyProgram: fc.Arbitrary<Program> = fc.record({
  country: fc.constantFrom('GB', undefined),
  limit: fc.integer({ min: 1, max: 8 }),
  byPage: fc.boolean(),
  lives: fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 8 }),
});

describe('following changes with the TypeScript client through faults and restarts', () => {
  let proxy: FaultProxy;
  let service: TestService;
  before(async () => {
    proxy = await startFaultProxy();
    service = await startService('sqlite');
  });
  after(async () => {
    await proxy?.[Symbol.asyncDispose]();
    await service?.[Symbol.asyncDispose]();
  });

  /** Publishes changes with new ids, which it returns with their countries. */
  async function publish(countries: Import): Promise<{ id: string; country: string }[]> {
    service.clock.advance(60_000);
    const changes = countries.map((country) => {
      const after = [`${country} LTD`, 'active', null, null];
      return { type: 'added', country, register: 'gb', entityId: randomUUID(), after } as const;
    });
    await publishChanges(service.services.registryDb, { register: 'gb', publishedAt: service.clock.now(), changes });
    return changes.map(({ entityId: id, country }) => ({ id, country }));
  }

  test('every change exactly once and in order, across restarts of the program', async () => {
    const upstream = { url: service.url, key: await service.createKey() };
    let restarts = 0;

    async function check({ country, limit, byPage, lives }: Program, steps: readonly Step<Import>[]): Promise<void> {
      const expected: string[] = [];
      let requests = 0;
      // The last import comes after all faults, so that the program has a change to end with.
      const all: readonly Partial<Step<Import>>[] = [...steps, { event: ['NO', 'GB'] }];
      proxy.direct(async () => {
        const { fault = null, event = null } = all[requests] ?? {};
        requests += 1;
        assert.ok(requests < all.length + 1_000, 'a change was missed, and the program waits for it');
        for (const { id, country: of } of event === null ? [] : await publish(event)) {
          if (country === undefined || of === country) expected.push(id);
        }
        return { upstream, fault };
      });
      const start = () => createClient({ url: proxy.url, ...persistent });
      const handled: (string | null)[] = [];
      let cursor = await createClient(upstream).changes.now();
      const store = (changes: readonly Change[], next: string) => {
        handled.push(...changes.map(({ entityId }) => entityId));
        cursor = next;
      };
      const isDone = () => requests >= all.length && handled.length >= expected.length;

      for (const life of [...lives, Number.POSITIVE_INFINITY]) {
        if (isDone()) break;
        restarts += 1;
        let events = 0;
        const { changes } = start();
        const query = { cursor, country, limit, wait: 0 };
        if (byPage) {
          for await (const { data, meta } of changes.followPages(query)) {
            store(data, meta.nextCursor);
            if (++events === life || isDone()) break;
          }
        } else {
          for await (const change of changes.follow(query)) {
            store([change], change.cursor);
            if (++events === life || isDone()) break;
          }
        }
      }
      assert.deepEqual(handled, expected);
      for await (const change of start().changes.read({ cursor, country })) assert.fail(`${change.cursor} is left`);
    }
    await fc.assert(fc.asyncProperty(anyProgram, anySteps(anyImport, 15), check), { numRuns: runs(25, 300) });
    assert.ok(restarts > runs(25, 300));
  });

  test('a change is given as soon as it is published', async () => {
    const { changes } = createClient({ url: service.url, key: await service.createKey() });
    const followed = changes.follow({ cursor: await changes.now() });
    const next = followed.next();
    const [{ id } = assert.fail()] = await publish(['GB']);
    assert.equal((await next).value?.entityId, id);
    await followed.return();
  });
});
