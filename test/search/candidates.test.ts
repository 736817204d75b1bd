import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { findPostcodes } from '../../src/registry/records/records.ts';
import { createCandidates, readNameSample } from '../../src/search/clickhouse/candidates.ts';
import { type Read, SUMMARY } from '../../src/search/clickhouse/query.ts';
import { dumpColumns, type EntityValues, entityColumns, readDump } from '../../src/search/clickhouse/schema.ts';
import { createMatcher } from '../../src/search/match/matcher.ts';
import type { CandidateSource } from '../../src/search/match/matching.ts';
import { createEngine } from '../../src/search/memory/answer/engine.ts';
import { STEP } from '../../src/search/memory/answer/steps.ts';
import { buildIndex, indexChunks } from '../../src/search/memory/build/build.ts';
import { rowColumns } from '../../src/search/memory/build/chunk.ts';
import { createCandidateFinder } from '../../src/search/memory/match/candidate-finder.ts';
import { Tally } from '../../src/search/memory/match/tally.ts';
import { type IndexState, withoutOverlay } from '../../src/search/memory/overlay.ts';
import { dumpEntities } from '../../src/search/store.ts';
import { isDeep } from '../harness/depth.ts';
import { until } from '../harness/until.ts';
import { company as gbCompany } from '../registry/gb-file.ts';
import { askFor, crowd, findNames, testCandidates } from './candidate-cases.ts';
import { openMemory } from './engines.ts';
import { countLines, createFollowing, type Following } from './following.ts';
import { applyChange } from './overlay-state.ts';
import { changeWorld, NOW, storeWorld } from './world-store.ts';
import { company, type WorldEntity } from './worlds.ts';

const finderOf = (state: IndexState) => createCandidateFinder(state, createEngine(state).parts);

testCandidates('search in memory', openMemory);
testCandidates('rows that ClickHouse found', openFoundRows);
if (isDeep) testCandidates('an index that was built from PostgreSQL', () => openMemory('postgres'));

/** Every look-up finds all rows, so that only their ranking is left. `npm run test:scale` asks real nodes. */
async function openFoundRows() {
  const { db, store, ...memory } = await openMemory();
  let rows: EntityValues[] = [];
  const column = (name: string) => entityColumns.indexOf(name);
  const read: Read = async <Row>(sql: string) => {
    const country = /country_code = '(..)'/.exec(sql)?.[1];
    const found = rows.filter((row) => country === undefined || row[column('country_code')] === country);
    if (sql.includes('argMaxIf'))
      return rows.map((row) => {
        const summary = SUMMARY.split(', ').map((name) => row[column(name)]);
        return [summary, ...['name_key', 'number_keys', 'named_registry'].map((name) => row[column(name)])] as Row;
      });
    const names = Map.groupBy(found, (row) => row[column('name_key')]);
    return Array.from(names, ([name, all]) => [name, all.length] as Row);
  };
  const published = { build: 1, publication: 1, skipped: [], version: '1-0', rows: 0, entities: 1 };
  const candidates = createCandidates(
    () => published,
    (_account, _deadline, work) => work(read),
    () => readNameSample(read, published),
  );
  return {
    ...memory,
    db,
    candidates,
    async store(world: readonly WorldEntity[]) {
      const records = await store(world);
      rows = await db.snapshot(async (view) => {
        const chunks = await Array.fromAsync(dumpEntities(view, dumpColumns), (chunk) => [...readDump(chunk)]);
        return chunks.flat();
      });
      return records;
    },
  };
}

test('after an update, companies that were removed or renamed are no candidates, and new ones are', async () => {
  await using store = await createFollowing('sqlite');
  const { db } = store;
  const world = [company('Wetherstone Cranes'), company('Zellweger Turbines'), company('Nuvexia'), ...crowd];
  const stored = await storeWorld(db, world, NOW);
  const base = withoutOverlay(await buildIndex(db));
  const renamed = { ...(world[0] ?? assert.fail()).record, canonicalName: 'Fjellhammer Cranes' };
  const changed = await changeWorld(
    db,
    stored,
    { changed: [[0, renamed]], delisted: [], added: [company('Xanthippe')] },
    NOW + 1,
  );
  const ids = changed.filter((one) => !stored.includes(one)).map(({ record }) => record.id);
  const segment = await db.snapshot((view) => indexChunks('2-0', dumpEntities(view, rowColumns, ids), 16));
  const removed = stored[1]?.record.id ?? assert.fail();
  const finder = finderOf(applyChange(base, segment, [removed]));
  for (const [asked, expected] of Object.entries({
    'wetherstone cranes': ['Fjellhammer Cranes'],
    wetherstone: [],
    fjellhammer: ['Fjellhammer Cranes'],
    'zellweger turbines': [],
    zellwegr: [],
    xanthippe: ['Xanthippe'],
    xantippe: ['Xanthippe'],
    nuvexia: ['Nuvexia'],
  }))
    assert.deepEqual(await findNames(finder, asked), expected, asked);
});

test('after a fold, candidates have the names of the last import', async () => {
  await using store = await createFollowing('sqlite');
  const rows = (name: string) =>
    Array.from({ length: 80 }, (_, at) => gbCompany(String(10_000_000 + at), `${name} ${at}`));
  await store.importRows(rows('WETHERSTONE'));
  const search = store.open({ maxOverlay: () => 60 });
  await search.refresh();
  search.start();
  await store.importRows(rows('ZELLWEGER'));
  await until('the overlay is folded', () => countLines(search, 'search index folded') > 0);
  for (const name of await findNames(search.candidates, 'wetherstone 7')) assert.match(name, /^ZELLWEGER 7/);
  assert.deepEqual(await findNames(search.candidates, 'wetherstone'), []);
  assert.ok((await findNames(search.candidates, 'zellweger 7')).includes('ZELLWEGER 7'));
});

describe('frequent words', () => {
  const FREQUENT = 2_100;
  const number = (at: number) => String(at).padStart(4, '0');
  let store: Following;
  let state: IndexState;
  before(async () => {
    store = await createFollowing('sqlite');
    await storeWorld(
      store.db,
      [
        ...Array.from({ length: FREQUENT }, (_, at) => company(`Often Stone More Words ${number(at)}`)),
        ...Array.from({ length: FREQUENT }, (_, at) => company(`Rather Brick ${number(at)}`)),
        company('Often A Brick'),
        company('Renamed', 'renamed', { registry: { previousNames: [{ name: 'Former Often' }] } }),
      ],
      NOW,
    );
    state = withoutOverlay(await buildIndex(store.db));
  });
  after(() => store[Symbol.asyncDispose]());

  test('names with one of them, if no name has all', async () => {
    const names = await findNames(finderOf(state), 'often rather');
    assert.ok(names.filter((name) => /^(Often|Rather) /.test(name)).length > 10, names.join(', '));
  });

  test('names with two of them come before names with one', async () => {
    assert.deepEqual((await findNames(finderOf(state), 'brick often'))[0], 'Often A Brick');
    assert.match((await findNames(finderOf(state), 'stone rather often'))[0] ?? '', /^Often Stone/);
  });

  test('a query reads no more documents and words than it may, and says that it was bounded', async () => {
    const { parts } = createEngine(state);
    const asked = askFor('often rathr brick stome');
    const find = (postings: number, words: number) =>
      createCandidateFinder(state, parts, undefined, { postings, words }).find(asked);
    assert.equal((await find(1_000_000, 1_000_000)).bounded, false);
    assert.equal((await find(5_000, 1_000_000)).bounded, true);
    assert.equal((await find(1_000_000, 1)).bounded, true);
    const { match } = parts[0] ?? assert.fail();
    const terms = asked.words.map((word) => ({
      text: word,
      weight: 1,
      isOptional: false,
      isFrequent: false,
    }));
    for (const [postings, words] of [
      [0, 0],
      [100, 100],
      [5_000, 1_000],
    ] as const) {
      const budget = { postings, words, isBounded: false };
      let tested = 0;
      let inStep = 0;
      const accepts = () => ++tested > 0 && ++inStep <= STEP;
      for (const _step of match.rank(terms, true, () => 1, new Tally(), { accepts, wants: undefined }, budget)) {
        assert.ok(inStep <= STEP, `${inStep} documents in one step`);
        inStep = 0;
      }
      assert.ok(budget.isBounded && budget.postings >= 0 && budget.words >= 0);
      assert.ok(tested <= postings, `${tested} of ${postings}`);
    }
  });
});

test('hostile names take a bounded number of steps', async () => {
  await using store = await createFollowing('sqlite');
  await storeWorld(
    store.db,
    Array.from({ length: 3_000 }, (_, at) => company(`Aaaa Aaab ${at % 50} Word${at}`)),
    NOW,
  );
  const state = withoutOverlay(await buildIndex(store.db));
  const finder = finderOf(state);
  for (const name of [
    'a'.repeat(10_000),
    'aaaa '.repeat(200),
    Array.from({ length: 200 }, (_, at) => `word${at}`).join(' '),
    Array.from({ length: 200 }, (_, at) => `wrod${at}`).join(' '),
    '('.repeat(10_000),
    'a.'.repeat(5_000),
    `a t/a ${'b t/a '.repeat(1_000)}`,
    'їґ'.repeat(5_000),
  ]) {
    let steps = 0;
    const source: CandidateSource = {
      find: (asked) => {
        const work = finder.findInSteps(asked);
        for (;;) {
          const { done, value } = work.next();
          if (done === true) return value;
          steps++;
        }
      },
    };
    const requester = { account: 'a', deadline: Number.POSITIVE_INFINITY };
    const { answer } = await createMatcher(source).match({ name }, requester);
    assert.ok(steps <= MAX_STEPS, `${steps} steps for ${name.slice(0, 20)}`);
    assert.ok(answer.candidates.length <= 5);
  }
});

/** 24 words and 24 joined ones, each looked up and then counted with up to 64 similar words, twice. */
const MAX_STEPS = 2 * 48 * (2 + 64);

test('a postcode decides between companies of one name', async () => {
  await using store = await createFollowing('sqlite');
  const { db } = store;
  const postcodes = ['CB2 1TN', 'EH1 1YZ', 'OX1 2JD'];
  const world = postcodes.map((postCode) =>
    company('Wetherstone Cranes', postCode, { registry: { address: { text: postCode, postCode } } }),
  );
  await storeWorld(db, [...world, ...crowd], NOW);
  const finder = finderOf(withoutOverlay(await buildIndex(db)));
  const matcher = createMatcher(finder, (ids) => findPostcodes(db, ids));
  const requester = { account: 'account', deadline: Number.POSITIVE_INFINITY };
  for (const postcode of postcodes) {
    const { answer } = await matcher.match({ name: 'Wetherstone Cranes', postcode }, requester);
    const [first] = answer.candidates;
    assert.equal(first?.entity.registrationNumber, postcode);
  }
});
