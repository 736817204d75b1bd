import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Db, Queries, Value } from '../../src/base/db/db.ts';
import { nameSnapshot, parseVersion } from '../../src/base/version.ts';
import { parseCursor } from '../../src/watch/feed/cursor.ts';
import { type ChangePage, readPage } from '../../src/watch/feed/feed.ts';
import { engines, useStore } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { describeOn } from '../harness/describe-on.ts';
import { emptyJournal, type JournalChange, type JournalImport, pruneBefore, publishChanges } from './journal.ts';

// Random imports, and what readers of the journal do meanwhile.

const COUNTRIES = ['GB', 'NO', 'DE'];
const REGISTERS = ['gb', 'no', 'gleif'];
const TYPES = ['added', 'changed', 'delisted', 'relisted'] as const;

const anyOf = <T>(values: readonly T[]) => fc.constantFrom(...values);
const filter = fc.record({
  country: anyOf([null, null, ...COUNTRIES]),
  register: anyOf([null, null, ...REGISTERS]),
  type: anyOf([null, null, 'loaded', ...TYPES]),
});
type Filter = typeof filter extends fc.Arbitrary<infer T> ? T : never;

const newImport = anyOf(REGISTERS).chain((register) =>
  fc
    .record({
      isFirst: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
      isMixed: fc.integer({ min: 0, max: 3 }).map((number) => number === 0),
      drafts: fc.array(fc.record({ type: anyOf(TYPES), country: anyOf(COUNTRIES), other: anyOf(REGISTERS) }), {
        maxLength: 12,
      }),
    })
    .map(({ isFirst, isMixed, drafts }) => ({
      register,
      changes: isFirst
        ? drafts.slice(0, 2).map(({ country }): JournalChange => ({ type: 'loaded', country, register }))
        : drafts.map(({ other, ...draft }): JournalChange => ({ ...draft, register: isMixed ? other : register })),
    })),
);

/** A step of a reader reads one page, and may stop within it. */
const step = fc.oneof(
  { weight: 4, arbitrary: newImport.map((of) => ({ kind: 'import' as const, of })) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      reader: fc.nat({ max: 3 }),
      limit: fc.integer({ min: 1, max: 7 }),
      /** After how many changes of the page it stops; it continues with the cursor of the last of them. */
      stopAfter: fc.option(fc.nat({ max: 7 }), { nil: undefined, freq: 3 }),
    }),
  },
  // A reader starts again, with the data of an earlier import.
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('snapshot' as const),
      reader: fc.nat({ max: 3 }),
      age: fc.nat({ max: 5 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('prune' as const), keep: fc.integer({ min: 1, max: 4 }) }) },
);
const bounds = fc.record({
  changes: fc.integer({ min: 1, max: 20 }),
  imports: fc.integer({ min: 2, max: 5 }),
});

/** A change that was published, as the model knows it. */
interface Published extends JournalChange {
  readonly generation: number;
  readonly position: number;
  readonly entityId: string;
}

const passes = ({ country, register, type }: Filter, change: Published) =>
  (country ?? change.country) === change.country &&
  (register ?? change.register) === change.register &&
  (type ?? change.type) === change.type;

const isAfter = (change: Published, { generation, seen }: Pick<Reader, 'generation' | 'seen'>) =>
  change.generation > generation || (change.generation === generation && change.position >= seen);

/** Follows the feed and compares each page with the model. */
interface Reader {
  readonly filter: Filter;
  cursor: string | undefined;
  /** Index in the model of the next change that it may see. */
  next: number;
  /** Its cursor is after this many changes of this import. */
  generation: number;
  seen: number;
}

describeOn(engines, 'readers of the journal', (engine) => {
  const { db } = useStore(engine, 'registry');
  let number = 0;

  /** The version of the data after each import. */
  const versions: string[] = [];

  async function publish({ register, changes }: Omit<JournalImport, 'publishedAt'>): Promise<Published[]> {
    const named = changes.map((change) => ({ ...change, entityId: `entity ${++number}` }));
    const after = await publishChanges(db, { register, publishedAt: ++number, changes: named });
    versions.push(after);
    return named.map((change, position) => ({ ...change, position, generation: parseVersion(after).generation }));
  }

  const keysOf = (page: ChangePage) =>
    page.data.map(({ type, entityId, register }) => `${type} ${entityId} ${register}`);
  const keyOf = ({ type, entityId, register }: Published) =>
    `${type} ${type === 'loaded' ? null : entityId} ${register}`;

  test('see each change that passes their filter exactly once and in order, wherever they stop and resume', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 40 }),
        fc.array(filter, { minLength: 4, maxLength: 4 }),
        bounds,
        async (steps, filters, bounds) => {
          await emptyJournal(db);
          versions.length = 0;
          const model: Published[] = [];
          let newest = await readNewest(db);
          let oldest = newest;
          const readers = filters.map(
            (filter): Reader => ({ filter, cursor: undefined, next: 0, generation: oldest, seen: 0 }),
          );

          async function read(reader: Reader, limit: number, stopAfter: number | undefined): Promise<boolean> {
            const { filter, cursor } = reader;
            const reading = readPage(db, { cursor, filter, limit }, bounds);
            if (cursor !== undefined && model.some((change) => change.generation < oldest && isAfter(change, reader))) {
              await assert.rejects(reading, { code: 'cursor_expired' });
              Object.assign(reader, { cursor: undefined });
              return true;
            }
            if (cursor === undefined) reader.next = model.findIndex(({ generation }) => generation >= oldest);
            const page = await reading;
            const left = reader.next === -1 ? [] : model.slice(reader.next).filter((change) => passes(filter, change));
            assert.ok(page.data.length <= limit);
            assert.deepEqual(keysOf(page), left.slice(0, page.data.length).map(keyOf));
            if (!page.meta.hasMore) assert.equal(page.data.length, left.length, 'changes are missing');
            const last = stopAfter === undefined ? undefined : page.data[stopAfter];
            const seen = last === undefined ? page.data.length : (stopAfter ?? 0) + 1;
            reader.cursor = last?.cursor ?? page.meta.nextCursor;
            const { generation, seen: seenUpTo } = parseCursor(reader.cursor);
            Object.assign(reader, { generation, seen: seenUpTo });
            const next = left[seen];
            reader.next = findNext(next);
            return page.meta.hasMore || last !== undefined;
          }

          const findNext = (change: Published | undefined) =>
            change === undefined ? model.length : model.indexOf(change);

          for (const step of steps) {
            if (step.kind === 'snapshot') {
              const version = versions.at(-1 - step.age);
              if (version === undefined) continue;
              const seen = parseVersion(version).generation;
              Object.assign(readers[step.reader] as Reader, {
                cursor: nameSnapshot('1.0.0', version),
                generation: seen,
                seen: Number.POSITIVE_INFINITY,
                next: findNext(model.find(({ generation }) => generation > seen)),
              });
            } else if (step.kind === 'import') {
              model.push(...(await publish(step.of)));
              newest = await readNewest(db);
            } else if (step.kind === 'prune') {
              oldest = Math.max(oldest, newest - step.keep + 1);
              await pruneBefore(db, oldest);
            } else {
              await read(readers[step.reader] as Reader, step.limit, step.stopAfter);
            }
          }
          // In the end, every reader reaches the present end in a bounded number of pages.
          for (const reader of readers) {
            let pages = 0;
            while (await read(reader, 3, undefined)) assert.ok(++pages < 1_000, 'the feed does not end');
            assert.deepEqual(
              keysOf(await readPage(db, { cursor: reader.cursor, filter: reader.filter, limit: 5 })),
              [],
            );
          }
        },
      ),
      { numRuns: runs(20, 200) },
    );
  });

  test('never take pruned changes for missing ones: a page that is pruned while it is read is expired', async () => {
    await emptyJournal(db);
    const added: JournalChange = { type: 'added', country: 'GB', register: 'gb' };
    const filter = { country: 'GB', register: null, type: null };
    const { nextCursor } = (await readPage(db, { cursor: 'now', filter, limit: 10 })).meta;
    for (let count = 0; count < 5; count++) await publish({ register: 'gb', changes: [added, added] });
    const cursor = nextCursor;
    await assert.rejects(readPage(pruneAtThirdRead(db), { cursor, filter, limit: 10 }), { code: 'cursor_expired' });
    // Without a cursor, it starts again with what is kept.
    for (let count = 0; count < 5; count++) await publish({ register: 'gb', changes: [added, added] });
    const page = await readPage(pruneAtThirdRead(db), { cursor: undefined, filter, limit: 10 });
    assert.equal(page.data.length, 2);
  });
});

async function readNewest(db: Db): Promise<number> {
  return (await db.one<{ newest: number }>('SELECT max(generation) AS newest FROM journal'))?.newest ?? 0;
}

/** Removes all imports but the newest before the changes of the third one are read. */
function pruneAtThirdRead(db: Db): Queries {
  let reads = 0;
  return {
    ...db,
    async all<R extends object>(sql: string, params?: readonly Value[]): Promise<R[]> {
      if (sql.includes('FROM changes c') && ++reads === 3) await pruneBefore(db, await readNewest(db));
      return db.all<R>(sql, params);
    },
  };
}
