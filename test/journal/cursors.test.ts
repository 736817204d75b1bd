import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Db } from '../../src/base/db/db.ts';
import { Failure } from '../../src/base/errors.ts';
import { describeVersion, nameSnapshot, parseVersion } from '../../src/base/version.ts';
import { createJournalPruning } from '../../src/registry/journal/journal.ts';
import { type Place, parseCursor, parseStart, writeCursor } from '../../src/watch/feed/cursor.ts';
import { createChangeFeed } from '../../src/watch/feed/feed.ts';
import { anyCharacter } from '../harness/any-character.ts';
import { engines, useStore } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { describeOn } from '../harness/describe-on.ts';
import { emptyJournal, type JournalChange, publishChanges } from './journal.ts';

const version = fc
  .tuple(fc.integer({ min: 0, max: 999_999_999_999_999 }), fc.integer({ min: 0, max: 4_102_444_800_000 }))
  .map(([generation, publishedAt]) => describeVersion(generation, publishedAt));
const cursor: fc.Arbitrary<Place> = fc
  .tuple(version, fc.integer({ min: 0, max: 999_999_999_999_999 }))
  .map(([version, seen]) => ({ ...parseVersion(version), seen }));

describe('cursors', () => {
  test('any cursor is read as it was written', () => {
    fc.assert(fc.property(cursor, (given) => assert.deepEqual(parseCursor(writeCursor(given)), { ...given })));
  });

  test('any other text is rejected: what is read is always exactly what was written', () => {
    const changed = fc
      .tuple(cursor.map(writeCursor), fc.nat(), fc.constantFrom('', 'A', '-', '=', '.', 'é'))
      .map(([text, at, with_]) => text.slice(0, at % text.length) + with_ + text.slice((at % text.length) + 1));
    const decoded = fc.string().map((text) => Buffer.from(text).toString('base64url'));
    const anything = fc.oneof(changed, decoded, fc.string(), fc.string({ unit: anyCharacter }));
    const isRead = (text: string) => {
      try {
        return writeCursor(parseCursor(text)) === text;
      } catch (error) {
        return error instanceof Failure && error.code === 'invalid_request';
      }
    };
    fc.assert(fc.property(anything, isRead), { numRuns: runs(2_000, 50_000) });
  });

  test('the name of any snapshot is the place after its last change, and no cursor is taken for one', () => {
    const release = fc.constantFrom('0.1.0', '12.0.3', '1.0.0-rc.1', '1.0.0-7', '1.0.0+build.5');
    fc.assert(
      fc.property(release, version, cursor, (release, version, cursor) => {
        const end = { ...parseVersion(version), seen: Number.POSITIVE_INFINITY };
        assert.deepEqual(parseStart(nameSnapshot(release, version)), end);
        assert.deepEqual(parseStart(writeCursor(cursor)), { ...cursor });
      }),
    );
    for (const text of ['0.1.0', '12-mgx1k2j0', '.12-mgx1k2j0', '0.1.0.12', '0.1.0.012-mgx1k2j0', '0.1.0.12-MGX', ''])
      assert.throws(() => parseStart(text), { code: 'invalid_request' }, text);
  });
});

const DAY = 86_400_000;
const ANY = { country: null, register: null, type: null };

describeOn(engines, 'expiry of cursors', (engine) => {
  const { db } = useStore(engine, 'registry');
  /** The entry of the empty journal has the time of the last import, so each test starts later. */
  let start = Date.parse('2026-03-01T06:00:00Z');
  beforeEach(async () => {
    await emptyJournal(db);
    start += 1_000 * DAY;
  });

  const read = async (cursor?: string) => {
    const { data, meta } = await createChangeFeed(db).readPage({ cursor, filter: ANY, limit: 100 });
    return { ...meta, names: data.map(({ after }) => after?.canonicalName) };
  };
  const isExpired = (cursor: string) => assert.rejects(read(cursor), { code: 'cursor_expired' });
  const publish = (day: number, ...names: string[]) => {
    const changes = names.map(
      (name): JournalChange => ({
        type: 'added',
        country: 'GB',
        register: 'gb',
        after: [name, 'active', null, null],
      }),
    );
    return publishChanges(db, { register: 'gb', publishedAt: start + day * DAY, changes });
  };
  /** Keeps the changes of the ten days before this one. */
  const prune = (day: number) => {
    const log = { info: () => undefined, warn: () => undefined };
    return createJournalPruning(db, { now: () => start + day * DAY }, log, 10).prune();
  };

  test('the cursors of an empty store continue after the first import, until its changes are removed', async () => {
    const { oldest, nextCursor } = await read('now');
    const cursors = [oldest, nextCursor, await nameSnapshotOf(db)];
    await publish(0, 'ALPHA LTD');
    await publish(5, 'BETA LTD');
    assert.equal(await prune(9), 0);
    for (const cursor of cursors) assert.deepEqual((await read(cursor)).names, ['ALPHA LTD', 'BETA LTD'], cursor);
    assert.equal(await prune(11), 1);
    for (const cursor of cursors) await isExpired(cursor);
  });

  test('a cursor at the end of removed changes continues: all that follow are there', async () => {
    const version = await publish(0, 'ALPHA LTD', 'BETA LTD');
    const { data } = await createChangeFeed(db).readPage({ cursor: undefined, filter: ANY, limit: 1 });
    const { nextCursor } = await read();
    await publish(1);
    await publish(8, 'GAMMA LTD');
    assert.equal(await prune(12), 2);
    for (const cursor of [nextCursor, nameSnapshot('1.0.0', version)]) {
      assert.deepEqual((await read(cursor)).names, ['GAMMA LTD'], cursor);
    }
    await isExpired(data[0]?.cursor ?? '');
    const { oldest, names } = await read();
    assert.deepEqual([names, (await read(oldest)).names], [['GAMMA LTD'], ['GAMMA LTD']]);
  });

  test('imports without changes remove nothing, however old they are', async () => {
    const { nextCursor } = await read('now');
    for (const day of [0, 1, 2]) await publish(day);
    await publish(30, 'ALPHA LTD');
    assert.equal(await prune(31), 0);
    assert.deepEqual((await read(nextCursor)).names, ['ALPHA LTD']);
  });

  test('only entries that a reader can continue from are kept', async () => {
    for (const day of [0, 1, 2, 3]) await publish(day, `DAY ${day} LTD`);
    await publish(20, 'LATE LTD');
    const countEntries = async () => (await db.one<{ n: number }>('SELECT count(*) AS n FROM journal'))?.n;
    assert.equal(await prune(21), 4);
    assert.equal(await countEntries(), 2, 'the last one of removed changes, and the newest');
    assert.equal(await prune(21), 0);
    assert.deepEqual((await read()).names, ['LATE LTD']);
  });
});

/** As `X-Data-Version` of a store without imports. */
async function nameSnapshotOf(db: Db): Promise<string> {
  const entry = await db.one<{ generation: number; at: number }>('SELECT generation, published_at AS at FROM journal');
  return nameSnapshot('1.0.0', describeVersion(entry?.generation ?? 0, entry?.at ?? 0));
}
