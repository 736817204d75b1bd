import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import fc from 'fast-check';
import { createEngine } from '../../src/search/memory/answer/engine.ts';
import {
  decodeState,
  encodeState,
  hide,
  type IndexState,
  type Segment,
  type StateMessage,
  showAll,
} from '../../src/search/memory/overlay.ts';
import type { SearchIndex } from '../../src/search/memory/search-index.ts';
import { RebuildNeeded } from '../../src/search/memory/update/changes.ts';
import { findPlaces } from '../../src/search/memory/update/update.ts';
import { runs } from '../harness/depth.ts';
import { applyChange, indexNames, nameRow } from './overlay-state.ts';
import { everything } from './world-queries.ts';

/** Where all documents are hidden, several versions of one can exist. */
const hideAll = (count: number) => hide(showAll(count), Array.from({ length: count }).keys());

describe('the places of added documents', () => {
  test('cannot be found if an entity is live in two places', async () => {
    const index = await indexNames([nameRow('a', 1), nameRow('b', 2)]);
    assert.throws(() => findPlaces({ index, live: hide(showAll(2), [1]) }, index), RebuildNeeded);
    assert.deepEqual([...findPlaces({ index, live: hideAll(2) }, index)], [0, 1]);
  });

  test('count the documents before them, also those that are hidden', async () => {
    const base = await indexNames([nameRow('a', 1), nameRow('b', 2)]);
    const added = await indexNames([nameRow('a', 3), nameRow('c', 1)]);
    const places = findPlaces({ index: base, live: hide(showAll(2), [1]) }, added);
    assert.deepEqual([...places], [nameRow('a', 3).id < nameRow('a', 1).id ? 0 : 1, 2]);
  });
});

const index = (version: number, count: number): Promise<SearchIndex> =>
  indexNames(
    Array.from({ length: count }, (_, at) => nameRow(`NAME ${version} ${at}`, version * 1_000 + at)),
    `${version}-0`,
  );

function stateOf(version: string, base: SearchIndex, indexes: readonly SearchIndex[]): IndexState {
  if (indexes.length === 0) return { version, base };
  const segments = indexes.map((part) => ({
    index: part,
    live: showAll(part.entities),
    places: findPlaces({ index: base, live: showAll(base.entities) }, part),
  }));
  return { version, base, overlay: { live: showAll(base.entities), segments } };
}

const segmentsOf = ({ overlay }: IndexState): readonly Segment[] => overlay?.segments ?? [];

test('a fragment and a word find only documents with both, however many documents are hidden', async () => {
  const many = Array.from({ length: 40 }, (_, at) => nameRow(`${at % 4 === 0 ? 'AZETA' : 'ZETA'} ${at}`, at));
  const base = await indexNames([...many, nameRow('OTHER RARE', 40), nameRow('ZETA RARE', 41)], '1-0', 1_024);
  const removed = many.slice(0, 30).map(({ id }) => id);
  const state = applyChange({ version: '1-0', base }, await indexNames([nameRow('NEW', 42)], '2-0'), removed);
  assert.equal(createEngine(state).find({ ...everything, q: 'zeta', words: 'rare' }).total, 1);
});

describe('a state as a message', () => {
  /** Through a message port: as another thread gets it. */
  async function pass(message: StateMessage, { port1, port2 }: { port1: MessagePort; port2: MessagePort }) {
    port1.postMessage(message);
    const [received] = await once(port2, 'message');
    return received as StateMessage;
  }

  test('any sequence of states arrives, and indexes that were sent before stay the same objects', async () => {
    const all = await Promise.all(Array.from({ length: 6 }, (_, at) => index(at, 3 * at)));
    const choice = fc.record({
      base: fc.nat(1),
      segments: fc.uniqueArray(fc.integer({ min: 2, max: 5 }), { maxLength: 4 }),
    });
    const channel = new MessageChannel();
    await fc.assert(
      fc.asyncProperty(fc.array(choice, { minLength: 1, maxLength: 6 }), async (choices) => {
        let sent: IndexState | undefined;
        let received: IndexState | undefined;
        for (const [at, { base, segments }] of choices.entries()) {
          const next = stateOf(
            `${at}-1`,
            all[base] as SearchIndex,
            segments.map((part) => all[part] as SearchIndex),
          );
          const before = received;
          received = decodeState(await pass(encodeState(next, sent), channel), before);
          assert.deepEqual(received, next);
          if (sent !== undefined && before !== undefined) {
            assert.equal(received.base === before.base, next.base === sent.base);
            for (const [position, { index: part }] of segmentsOf(next).entries()) {
              const old = segmentsOf(sent).findIndex((segment) => segment.index === part);
              if (old !== -1) assert.equal(segmentsOf(received)[position]?.index, segmentsOf(before)[old]?.index);
            }
          }
          sent = next;
        }
      }),
      { numRuns: runs(30, 200) },
    );
    channel.port1.close();
  });

  test('an index that the receiver has is not sent again', async () => {
    const [base, one, two] = await Promise.all([index(0, 5), index(1, 2), index(2, 2)]);
    const first = stateOf('1-0', base, [one]);
    const second = stateOf('2-0', base, [one, two]);
    const message = encodeState(second, first);
    assert.equal(message.base, 0);
    assert.equal(message.overlay?.segments[0]?.index, 1);
    assert.throws(() => decodeState(message), /there is no index 0/);
  });

  test('arrays are shared, not copied', async () => {
    const base = await index(0, 5);
    const channel = new MessageChannel();
    const received = decodeState(await pass(encodeState({ version: '1-0', base }), channel));
    base.arrays.words[0] = 12_345;
    assert.equal(received.base.arrays.words[0], 12_345);
    base.texts.columns.isic.bytes.fill(0x5a);
    assert.match(received.base.texts.columns.isic.at(1) ?? '', /^Z+$/);
    channel.port1.close();
  });
});
