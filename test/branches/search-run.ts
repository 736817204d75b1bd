/**
 * Builds indexes of the world of `search-world.ts`, changes, saves, loads and serves them, and compares answers with the oracle:
 * some in `npm test`, all in `npm run test:deep`.
 * `search.test.ts` runs it and counts which branches it takes.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { createEngine, type Engine } from '../../src/search/memory/answer/engine.ts';
import { BitmapHits, LiveListHits } from '../../src/search/memory/answer/hits.ts';
import { buildIndex, indexChunks } from '../../src/search/memory/build/build.ts';
import { rowColumns } from '../../src/search/memory/build/chunk.ts';
import { loadIndex, saveIndex } from '../../src/search/memory/index-file.ts';
import { createCandidateFinder } from '../../src/search/memory/match/candidate-finder.ts';
import type { IndexState } from '../../src/search/memory/overlay.ts';
import { withoutOverlay } from '../../src/search/memory/overlay.ts';
import { createHandedSearch, createServedIndex } from '../../src/search/memory/served-index.ts';
import { encodeState } from '../../src/search/memory/state-message.ts';
import { dumpEntities } from '../../src/search/store.ts';
import { compress } from '../../src/system/compression.ts';
import { runs } from '../harness/depth.ts';
import { createFollowing } from '../search/following.ts';
import { askOracle, countByOracle, type OracleRecord } from '../search/oracle.ts';
import { applyChange } from '../search/overlay-state.ts';
import { readData } from '../search/whole.ts';
import { changeWorld, recordsOf, storeWorld } from '../search/world-store.ts';
import { checkCandidates, named } from './search-candidates.ts';
import { followStore } from './search-follow.ts';
import { queries, wholeQueries } from './search-queries.ts';
import { createChange, createWorld } from './search-world.ts';

const NOW = Date.parse('2026-09-01T12:00:00.123Z');

await using store = await createFollowing('sqlite');
const { db, database } = store;

/** One query of so many is compared with the oracle, which takes most of the time. Each state begins with another one. */
const [STEP, WHOLE_STEP] = [runs(23, 1), runs(3, 1)];
let checks = 0;

/** Compares the answers of a state, each twice: the second may come from a cache. */
async function check(state: IndexState, records: readonly OracleRecord[], previous?: Engine): Promise<Engine> {
  const engine = createEngine(state, { previous });
  for (const [at, query] of queries.entries()) {
    const find = () => Buffer.from(engine.find(query).body).toString();
    const found = find();
    if ((at + checks) % STEP === 0) assert.equal(found, askOracle(records, query).body, JSON.stringify(query));
    assert.equal(find(), found, JSON.stringify(query));
  }
  for (const [at, query] of wholeQueries.entries()) {
    if ((at + checks) % WHOLE_STEP !== 0) continue;
    const { body } = askOracle(records, { ...query, pageSize: 1_000_000 });
    const found = await readData(await engine.findAll(query));
    assert.equal(found, body.slice(0, body.lastIndexOf('"meta":')), JSON.stringify(query));
  }
  checks++;
  return engine;
}

const stored = await storeWorld(db, createWorld(), NOW);
// By two threads, and with lists where a usual index has sets.
const first = withoutOverlay(await buildIndex(database));
const engine = await check(first, recordsOf(stored));
const readRows = (ids?: readonly string[]) =>
  db.snapshot((view) => indexChunks('2-0', dumpEntities(view, rowColumns, ids), 1_000_000));
await check(withoutOverlay(await readRows()), recordsOf(stored));

// Changed, delisted and new companies, twice: two segments.
let state = first;
let world = stored;
let previous = engine;
for (const round of [1, 2]) {
  const changed = await changeWorld(db, world, createChange(round), NOW + round);
  const old = new Set(world);
  const ids = changed.filter((one) => !old.has(one)).map(({ record }) => record.id);
  state = applyChange(state, await readRows(ids), []);
  world = changed;
  previous = await check(state, recordsOf(world), previous);
}

const served = createServedIndex();
assert.equal(served.isReady(), false);
served.use(first);
await served.listChoices();
served.use(state);
const choices = await served.listChoices();
const countOf = (code: string) =>
  recordsOf(world).filter(({ activities }) => activities.some((one) => one.code === code)).length;
for (const code of ['62020', '01']) assert.ok(JSON.stringify(choices).includes(String(countOf(code))), code);
assert.equal(served.correct?.('plian'), 'plain');
assert.equal(served.correct?.('sevnes plian'), 'sevens plain');
assert.equal(served.correct?.('plainlz'), 'plainls');
assert.match(served.correct?.('abcx') ?? '', /^abc\d$/);
for (const q of ['plain', 'qqqqqqqq', 'xx', 'a '.repeat(20), 'x'.repeat(30)])
  assert.equal(served.correct?.(q), undefined);

// Another thread gets each state relative to the one before.
const handed = createHandedSearch();
handed.use(encodeState(first));
handed.use(encodeState(state, first));
const [query = assert.fail()] = queries;
assert.deepEqual((await handed.find(query)).body, (await served.find(query)).body);
handed.start();
await handed.refresh();
await handed.close();
assert.equal(
  await served.readAll({ ...query, q: 'zz1' }, async ({ total }) => total),
  askOracle(recordsOf(world), { ...query, q: 'zz1' }).total,
);
// Work of several steps, twice at the same time.
const sorting = { ...query, q: '', sort: '-registeredAt', registeredTo: '1982-01-01' } as const;
for (const reply of await Promise.all([served.find(sorting), served.find(sorting)]))
  assert.equal(Buffer.from(reply.body).toString(), askOracle(recordsOf(world), sorting).body);
// The values of filters in all documents, in most of them, in those of some blocks and in few.
const untouched = createServedIndex();
untouched.use(first);
const filters = { country: 'GB', status: 'active', register: 'gb', legalForm: 'Ltd' };
for (const fields of [{ q: '' }, { q: 'abc' }, { q: 'rare form 1' }, { country: 'GB' }, filters]) {
  for (const [search, records] of [
    [untouched, recordsOf(stored)],
    [served, recordsOf(world)],
  ] as const) {
    const one = { ...query, ...fields };
    const facets = await search.countFacets(one);
    for (const name of ['country', 'status', 'register', 'legalForm', 'isic'] as const)
      assert.deepEqual(facets?.[name], countByOracle(records, one, name), JSON.stringify({ fields, name }));
  }
}
// A cache with little room, whose replies grow by their compressed forms.
const small = createEngine(state, { cacheBytes: 20_000 });
const early = small.find(query);
for (const one of queries.slice(0, 60))
  for (let time = 0; time < 2; time++) await compress(small.find(one).body, 'gzip');
await compress(early.body, 'gzip');
const uncached = createEngine(state, { cacheBytes: 0 });
for (let time = 0; time < 2; time++) {
  const one = { ...query, country: 'NO' };
  assert.equal(Buffer.from(uncached.find(one).body).toString(), askOracle(recordsOf(world), one).body);
}
// Lists of more than a thousand documents in an index of more than thirty thousand, half of them hidden.
const list = Uint32Array.from({ length: 3_000 }, (_, at) => at * 11);
const shown = list.filter((_, at) => at % 2 === 0);
const bits = new Uint32Array(2_000);
for (const doc of shown) bits[doc >>> 5] = (bits[doc >>> 5] as number) | (1 << (doc & 31));
const hits = new LiveListHits(list, bits);
for (const from of [0, 7, 600, 1_400, 1_499]) {
  const into = new Uint32Array(50);
  assert.deepEqual([...into.subarray(0, hits.read(from, into))], [...shown.slice(from, from + 50)]);
  assert.equal(hits.countBefore(shown[from] as number), from);
}
// The same documents as a bitmap of nine blocks.
const counts = Uint32Array.from({ length: 9 }, (_, block) => shown.filter((doc) => doc >>> 12 === block).length);
const dense = new BitmapHits(shown.length, [bits], counts);
for (const doc of [0, 1, 4_096, 10_000, 32_000, 9 << 12]) {
  assert.equal(dense.countBefore(doc), shown.filter((other) => other < doc).length);
}
const file = join(database.dataDir, 'saved.index');
await saveIndex(file, first.base);
assert.deepEqual(await loadIndex(file), first.base);
// Candidates for names, from a base, and with a segment that hides some of its documents.
const companies = await storeWorld(db, [...createWorld(), ...named], NOW);
const withNames = withoutOverlay(await buildIndex(db));
served.use(withNames);
await checkCandidates(served.candidates);
assert.match(served.correct?.('pxettle') ?? '', /^p\dettle$/);
// With lists where a usual index has sets, and with little that a query may read.
served.use(withoutOverlay(await readRows()));
await checkCandidates(served.candidates);
const limited = createCandidateFinder(withNames, createEngine(withNames).parts, { postings: 3_000, words: 1 });
const asked = { words: ['often', 'rathr'], joined: [], numbers: [], country: undefined, limit: 60 };
assert.equal((await limited.find(asked)).bounded, true);
const few = createCandidateFinder(withNames, createEngine(withNames).parts, { postings: 100, words: 1 });
assert.equal((await few.find({ ...asked, words: ['seldom1'] })).bounded, true);
const renewed = companies.flatMap(({ record }, at) => (at % 50 === 0 ? record.id : []));
served.use(applyChange(withNames, await readRows(renewed), []));
await checkCandidates(served.candidates);
// So many entities that two threads build the index.
await store.open().refresh();
await followStore();
