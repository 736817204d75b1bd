import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Db } from '../../src/base/db/db.ts';
import { loadMigrations, migrate } from '../../src/base/db/migrate.ts';
import { openStore } from '../../src/base/db/open.ts';
import { deleteEntities } from '../../src/registry/records/store.ts';
import { countChoices } from '../../src/search/memory/answer/count-values.ts';
import { createEngine, type Engine } from '../../src/search/memory/answer/engine.ts';
import { runAtOnce } from '../../src/search/memory/answer/steps.ts';
import { buildIndex } from '../../src/search/memory/build/build.ts';
import { type IndexState, withoutOverlay } from '../../src/search/memory/overlay.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase } from '../harness/databases.ts';
import { askOracle, type OracleQuery } from './oracle.ts';
import { applyChange } from './overlay-state.ts';
import { readData } from './whole.ts';
import { everything, queries } from './world-queries.ts';
import { changeWorld, NOW, recordsOf, type StoredEntity, storeWorld } from './world-store.ts';
import { type Change, changes, company, type WorldEntity, worlds } from './worlds.ts';

const QUERIES = 40;
const RUNS = 15;

const bodyOf = (engine: Engine, query: OracleQuery) => new TextDecoder().decode(engine.find(query).body);

async function openMigrated() {
  const database = await createDatabase('sqlite', { migrated: true });
  const db = openStore('registry', database);
  await migrate(db, loadMigrations('registry'), testClock());
  const close = async () => {
    await db.close();
    await database[Symbol.asyncDispose]();
  };
  return { db, close };
}

/** A world that changes in rounds, and its two indexes: one with a growing overlay and one that is rebuilt. */
interface Followed {
  readonly stored: readonly StoredEntity[];
  readonly state: IndexState;
}

const listChoices = (state: IndexState) => runAtOnce(countChoices(createEngine(state).parts));

describe('search in a base with an overlay', () => {
  let whole: Awaited<ReturnType<typeof openMigrated>>;
  let changed: Awaited<ReturnType<typeof openMigrated>>;
  before(async () => {
    whole = await openMigrated();
    changed = await openMigrated();
  });
  after(async () => {
    await whole.close();
    await changed.close();
  });

  async function follow(entities: readonly WorldEntity[]): Promise<Followed> {
    const stored = await storeWorld(whole.db, entities, NOW);
    return { stored, state: withoutOverlay(await buildIndex(whole.db)) };
  }

  /** Applies a change to the store and to the overlay. `removed` are positions, as in `Change`. */
  async function change({ stored, state }: Followed, made: Change, removed: readonly number[], round: number) {
    const now = NOW + round * 1_000;
    const after = await changeWorld(whole.db, stored, made, now);
    const gone = new Set(removed.flatMap((position) => after[position % after.length]?.record.id ?? []));
    await removeEntities(whole.db, [...gone]);
    const left = after.filter(({ record }) => !gone.has(record.id));
    const old = new Set(stored);
    const renewed = left.filter((one) => !old.has(one)).map(({ entity }) => entity);
    await storeWorld(changed.db, renewed, now);
    return { stored: left, state: applyChange(state, await buildIndex(changed.db), [...gone]) };
  }

  async function removeEntities(db: Db, ids: readonly string[]): Promise<void> {
    await db.transaction((tx) => deleteEntities(tx, ids));
  }

  test('random queries: the same bytes as from a rebuilt index and from the oracle, after every change', async () => {
    let sent = 0;
    const rounds = fc.array(fc.tuple(changes, fc.array(fc.nat(), { maxLength: 5 })), { minLength: 1, maxLength: 4 });
    const scenario = fc.tuple(worlds, rounds).chain(([entities, made]) => {
      const renewed = made.flatMap(([{ changed, added }]) => [
        ...changed.map(([, record]) => record),
        ...added.map(({ record }) => record),
      ]);
      const query = queries([...entities.map(({ record }) => record), ...renewed]);
      const asked = fc.array(query, { minLength: QUERIES, maxLength: QUERIES, size: 'max' });
      return fc.tuple(fc.constant(entities), fc.constant(made), asked);
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ([entities, made, asked]) => {
        let followed = await follow(entities);
        let engine = createEngine(followed.state);
        for (const [round, [one, removed]] of made.entries()) {
          followed = await change(followed, one, removed, round + 1);
          const fresh = withoutOverlay(await buildIndex(whole.db));
          engine = createEngine(followed.state, { previous: engine });
          const engines = [engine, engine, createEngine(followed.state, { cacheBytes: 0 }), createEngine(fresh)];
          for (const query of asked) {
            const { body } = askOracle(recordsOf(followed.stored), query);
            for (const each of engines) assert.equal(bodyOf(each, query), body, JSON.stringify(query));
          }
          assert.deepEqual(listChoices(followed.state), listChoices(fresh));
          sent += asked.length;
        }
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
    assert.ok(sent >= RUNS * QUERIES, `only ${sent} queries`);
  });

  test('any page of many results, in sets of several blocks, after each of several changes', async () => {
    const total = 13_000;
    const words = ['alpha', 'beta', 'gamma', 'delta', 'limited', 'bank', 'of', 'north', 'qat', 'sqats'];
    const nameOf = (at: number, turn: number) =>
      [7, 31, 101, 11].map((step) => words[((at + turn) * step) % words.length]).join(' ') + (at % 97);
    const make = (at: number, turn: number) =>
      company(nameOf(at, turn), String(at), {
        status: at % 3 === turn ? 'inactive' : 'active',
        legalForm: { label: at % 50 === 0 ? 'Rare' : 'Ltd' },
        registeredAt: at % 9 === 0 ? null : `${1990 + ((at + turn) % 40)}-01-0${1 + (at % 7)}`,
      });
    let followed = await follow(Array.from({ length: total }, (_, at) => make(at, 0)));
    let engine = createEngine(followed.state);
    for (let round = 1; round <= 4; round++) {
      const positions = Array.from({ length: 300 }, (_, at) => (at * 37 * round) % total);
      const made: Change = {
        changed: positions.map((position) => [position, make(position, round).record]),
        delisted: round === 3 ? [] : [5, 4_100 * round],
        added: Array.from({ length: 50 }, (_, at) => make(total * round + at, round)),
      };
      followed = await change(followed, made, [round, 1_000 * round], round);
      engine = createEngine(followed.state, { previous: engine, cacheBytes: 0 });
      const fresh = createEngine(withoutOverlay(await buildIndex(whole.db)), { cacheBytes: 0 });
      for (const fields of [
        {},
        { status: 'inactive' },
        { legalForm: 'Rare' },
        { q: 'a' },
        { q: 'alpha', status: 'active' },
        { q: 'alpha', status: 'active', legalForm: 'Ltd', country: 'GB' },
        { q: 'qat' },
        { q: 'qat', legalForm: 'Rare' },
        { q: 'a9' },
        { q: '123' },
        { q: 'th sq' },
        { sort: '-registeredAt' },
        { q: 'a', sort: '-updatedAt' },
        { q: 'alpha', registeredFrom: '2000-01-01', sort: '-registeredAt' },
      ] as const) {
        const query = { ...everything, ...fields };
        const pages = JSON.parse(bodyOf(fresh, query)).meta.pageCount;
        for (const page of [1, 2, 3, Math.floor(pages / 3), Math.floor(pages / 2), pages - 1, pages, pages + 1]) {
          if (page < 1) continue;
          assert.equal(bodyOf(engine, { ...query, page }), bodyOf(fresh, { ...query, page }), JSON.stringify(query));
        }
        const all = bodyOf(fresh, { ...query, pageSize: 2 * total });
        // Other queries use the scratch memory meanwhile.
        const between = () => [engine.find({ ...everything, q: 'beta' }), engine.find({ ...everything, q: '12' })];
        assert.ok(all.startsWith(await readData(await engine.findAll(query), { between })), JSON.stringify(query));
        const some = bodyOf(fresh, { ...query, pageSize: 450 });
        assert.ok(some.startsWith(await readData(await engine.findAll(query), { limit: 450 })), JSON.stringify(query));
      }
    }
  });
});
