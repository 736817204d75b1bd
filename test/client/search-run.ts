import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  type Client,
  createClient,
  type EntitySummary,
  type SearchQuery,
  SnapshotChanged,
} from '../../clients/typescript/src/index.ts';
import type { Upstream } from './fault-proxy.ts';

/** How a run searches. */
export interface Search {
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

export const anySearch: fc.Arbitrary<Search> = fc.record({
  query: fc
    .record({ filter: fc.constantFrom(...QUERIES), pageSize: fc.integer({ min: 1, max: 12 }) })
    .map(({ filter, pageSize }) => ({ ...filter, pageSize })),
  onChange: fc.constantFrom('restart', 'throw'),
  restarts: fc.integer({ min: 0, max: 12 }),
});

/** The results of each query in one snapshot. */
export type Truth = ReadonlyMap<string, readonly EntitySummary[]>;

export const nameQuery = ({ q, country, status }: SearchQuery) => JSON.stringify([q, country, status]);

/** Asks the service itself, without the iterator. */
export async function readTruth({ url, key }: Upstream): Promise<Truth> {
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
export interface Outcome {
  readonly given: readonly EntitySummary[];
  readonly isComplete: boolean;
  readonly cursor: string | undefined;
}

export async function runSearch(client: Client, { query, ...options }: Search): Promise<Outcome> {
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

/** Checks that what a complete run gave, with the changes after its cursor, is what the search finds now. */
export async function checkCopy(
  client: Client,
  { given, cursor }: Outcome,
  { q = '' }: SearchQuery,
  truth: readonly EntitySummary[],
) {
  assert.ok(cursor !== undefined);
  const copy = new Map(given.map(({ id, canonicalName }) => [id, canonicalName]));
  for await (const { entityId, after } of client.changes.read({ cursor })) {
    assert.ok(entityId !== null && after !== null);
    // All companies of the test are British and active.
    if (after.canonicalName.toLowerCase().includes(q)) copy.set(entityId, after.canonicalName);
    else copy.delete(entityId);
  }
  assert.deepEqual(copy, new Map(truth.map(({ id, canonicalName }) => [id, canonicalName])));
}

/**
 * Checks a run against the true results of each snapshot that a reply came from, in the order of the replies. A reply that did not
 * arrive counts, too, so there may be more snapshots than the client has seen, but not fewer.
 */
export function checkRun(outcome: Outcome, search: Search, snapshots: readonly (readonly EntitySummary[])[]): void {
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
