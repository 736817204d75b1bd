import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import fc from 'fast-check';
import {
  decodeState,
  encodeState,
  hide,
  type IndexState,
  type LiveDocs,
  type Segment,
  type StateMessage,
  showAll,
} from '../../src/search/memory/overlay.ts';
import type { SearchIndex } from '../../src/search/memory/search-index.ts';
import { blocksFor, has, takeDocs } from '../../src/search/memory/sets.ts';
import { TextList } from '../../src/search/memory/shared-arrays.ts';
import { RebuildNeeded } from '../../src/search/memory/update/changes.ts';
import { compareWithKey, countBefore, readKey } from '../../src/search/memory/update/document-order.ts';
import { findPlaces, layOutOverlay, type SegmentDocs, takeSegments } from '../../src/search/memory/update/layout.ts';
import { runs } from '../harness/depth.ts';
import { compareNamed, indexNames, type NamedRow, nameRow } from './overlay-state.ts';
import { oddPhrase, phrase } from './worlds.ts';

// Few different names and ids, so that many rows differ only in the spelling of the name, or only in the id.
const few = fc.constantFrom(
  '',
  'a',
  'A',
  'ab',
  'a b',
  'A B',
  'a "b"',
  'a "B',
  'a\\b',
  'a \tb',
  'å',
  'Å b',
  'b',
  '\u{1f3e2}',
  '\uffff',
);
const names = fc.oneof({ weight: 3, arbitrary: few }, phrase, oddPhrase);
const row = fc.tuple(names, fc.nat(40)).map(([name, seed]) => nameRow(name, seed));
const rows = (maxLength: number) =>
  fc.uniqueArray(row, { maxLength, size: 'max', comparator: (a, b) => compareNamed(a, b) === 0 });

const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const sorted = (list: readonly NamedRow[]) => [...list].sort(compareNamed);

describe('the order of documents across indexes', () => {
  test('is the order of the names, spellings and ids', async () => {
    await fc.assert(
      fc.asyncProperty(rows(40), rows(40), async (left, right) => {
        const [a, b] = [await indexNames(left), await indexNames(right)];
        const [sortedA, sortedB] = [sorted(left), sorted(right)];
        for (const [docB, rowB] of sortedB.entries()) {
          const key = readKey(b, docB);
          assert.deepEqual(new Uint8Array(key.name), bytes(rowB.name));
          const before = sortedA.filter((rowA) => compareNamed(rowA, rowB) < 0).length;
          for (let from = 0; from <= before; from++) assert.equal(countBefore(a, key, from), before);
          for (const [docA, rowA] of sortedA.entries()) {
            assert.equal(Math.sign(compareWithKey(a, docA, key)), Math.sign(compareNamed(rowA, rowB)));
          }
        }
      }),
      { numRuns: runs(30, 300) },
    );
  });
});

describe('documents that are not hidden', () => {
  test('are all but the hidden ones, with the counts of their blocks', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 13_000 }), fc.array(fc.nat(12_999)), (count, docs) => {
        const hidden = new Set(docs.filter((doc) => doc < count));
        const all = showAll(count);
        checkLive(all, count, new Set());
        checkLive(hide(hide(all, [...hidden].slice(0, 5)), [...hidden, ...hidden]), count, hidden);
        checkLive(all, count, new Set());
      }),
      {
        numRuns: runs(50, 200),
        examples: [
          [4_096, [0, 4_095]],
          [32, [31]],
          [0, []],
        ],
      },
    );
  });
});

function checkLive(live: LiveDocs, count: number, hidden: ReadonlySet<number>) {
  const expected = Array.from({ length: count }, (_, doc) => doc).filter((doc) => !hidden.has(doc));
  assert.equal(live.size, expected.length);
  assert.equal(live.counts.length, blocksFor(count));
  assert.equal(
    live.counts.reduce((sum, one) => sum + one, 0),
    expected.length,
  );
  assert.deepEqual([...takeDocs({ size: live.size, bitmap: live }, 0, count)], expected);
}

/** Where all documents are hidden, several versions of one can exist. */
const hideAll = (count: number) => hide(showAll(count), Array.from({ length: count }).keys());

describe('the layout of an overlay', () => {
  test('numbers the documents of all segments in result order, between those of the base', async () => {
    await fc.assert(
      fc.asyncProperty(rows(60), fc.array(rows(20), { maxLength: 5 }), async (baseRows, segmentRows) => {
        const base = await indexNames(baseRows);
        const segments: SegmentDocs[] = [];
        for (const list of segmentRows) {
          const index = await indexNames(list);
          segments.push({
            index,
            live: hideAll(index.entities),
            places: findPlaces(base, hideAll(base.entities), index),
          });
        }
        const overlay = layOutOverlay(hideAll(base.entities), segments);

        // Stable: of two versions with the same name and id, the one of the older segment is first.
        const all = segmentRows.flatMap((list, segment) => sorted(list).map((one, doc) => ({ one, segment, doc })));
        all.sort((a, b) => compareNamed(a.one, b.one) || a.segment - b.segment);
        assert.equal(overlay.places.length, all.length);
        for (const [rank, { one, segment, doc }] of all.entries()) {
          assert.equal(overlay.segments[segment]?.ranks[doc], rank);
          assert.equal(overlay.places[rank], baseRows.filter((other) => compareNamed(other, one) < 0).length);
        }
        assert.deepEqual(takeSegments(overlay), segments);
        for (const array of [overlay.places, ...overlay.segments.map(({ ranks }) => ranks)]) {
          assert.ok(array.buffer instanceof SharedArrayBuffer);
        }
      }),
      { numRuns: runs(30, 300) },
    );
  });

  test('fails if an entity is live in two places', async () => {
    const index = await indexNames([nameRow('a', 1), nameRow('b', 2)]);
    const [live, hidden] = [showAll(2), hide(showAll(2), [1])];
    assert.throws(() => findPlaces(index, hidden, index), RebuildNeeded);
    const places = findPlaces(index, hideAll(2), index);
    assert.throws(
      () =>
        layOutOverlay(live, [
          { index, live, places },
          { index, live: hidden, places },
        ]),
      RebuildNeeded,
    );
    layOutOverlay(live, [
      { index, live: hide(live, [0]), places },
      { index, live: hidden, places },
    ]);
  });

  test('keeps what is hidden', async () => {
    const base = await indexNames([nameRow('a', 1), nameRow('b', 2)]);
    const index = await indexNames([nameRow('a', 3), nameRow('c', 1)]);
    const live = hide(showAll(2), [1]);
    const overlay = layOutOverlay(live, [
      { index, live: hide(showAll(2), [0]), places: findPlaces(base, live, index) },
    ]);
    assert.equal(overlay.live, live);
    assert.ok(!has(overlay.segments[0]?.live ?? assert.fail(), 0));
    assert.deepEqual([...overlay.places], [nameRow('a', 3).id < nameRow('a', 1).id ? 0 : 1, 2]);
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
    places: findPlaces(base, showAll(base.entities), part),
  }));
  return { version, base, overlay: layOutOverlay(showAll(base.entities), segments) };
}

const segmentsOf = ({ overlay }: IndexState): readonly Segment[] => overlay?.segments ?? [];

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

  test('lists of any texts arrive', async () => {
    const base = await index(0, 5);
    const channel = new MessageChannel();
    const text = fc.option(fc.string({ unit: 'grapheme' }));
    await fc.assert(
      fc.asyncProperty(fc.array(text), fc.string({ unit: 'grapheme' }), async (list, asked) => {
        const columns = { ...base.texts.columns, legalForm: TextList.from(list) };
        const sent = { ...base, texts: { ...base.texts, columns } };
        const { base: received } = decodeState(await pass(encodeState({ version: '1-0', base: sent }), channel));
        const { legalForm } = received.texts.columns;
        assert.equal(legalForm.length, list.length);
        assert.deepEqual([...legalForm], list);
        assert.deepEqual(JSON.parse(JSON.stringify(legalForm)), list);
        assert.equal(legalForm.indexOf(asked), list.indexOf(asked));
        for (const one of list) assert.equal(legalForm.indexOf(one), list.indexOf(one));
      }),
      { numRuns: runs(30, 200) },
    );
    channel.port1.close();
  });
});
