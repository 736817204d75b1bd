import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../src/core/errors.ts';
import { describeVersion, nameSnapshot } from '../../src/core/version.ts';
import { type Cursor, readCursor, readStart, writeCursor } from '../../src/journal/feed/cursor.ts';
import { anyCharacter } from '../harness/any-character.ts';
import { runs } from '../harness/depth.ts';

const version = fc
  .tuple(fc.integer({ min: 0, max: 999_999_999_999_999 }), fc.integer({ min: 0, max: 4_102_444_800_000 }))
  .map(([generation, publishedAt]) => describeVersion(generation, publishedAt));
const cursor: fc.Arbitrary<Cursor> = fc.record({ version, seen: fc.integer({ min: 0, max: 999_999_999_999_999 }) });

describe('cursors', () => {
  test('any cursor is read as it was written', () => {
    fc.assert(fc.property(cursor, (given) => assert.deepEqual(readCursor(writeCursor(given)), { ...given })));
  });

  test('any other text is rejected: what is read is always exactly what was written', () => {
    const changed = fc
      .tuple(cursor.map(writeCursor), fc.nat(), fc.constantFrom('', 'A', '-', '=', '.', 'é'))
      .map(([text, at, with_]) => text.slice(0, at % text.length) + with_ + text.slice((at % text.length) + 1));
    const decoded = fc.string().map((text) => Buffer.from(text).toString('base64url'));
    const anything = fc.oneof(changed, decoded, fc.string(), fc.string({ unit: anyCharacter }));
    const isRead = (text: string) => {
      try {
        return writeCursor(readCursor(text)) === text;
      } catch (error) {
        return error instanceof Failure && error.code === 'invalid_request';
      }
    };
    fc.assert(fc.property(anything, isRead), { numRuns: runs(2_000, 200_000) });
  });

  test('the name of any snapshot is the place after its last change, and no cursor is taken for one', () => {
    const release = fc.constantFrom('0.1.0', '12.0.3', '1.0.0-rc.1', '1.0.0-7', '1.0.0+build.5');
    fc.assert(
      fc.property(release, version, cursor, (release, version, cursor) => {
        assert.deepEqual(readStart(nameSnapshot(release, version)), { version, seen: Number.POSITIVE_INFINITY });
        assert.deepEqual(readStart(writeCursor(cursor)), { ...cursor });
      }),
    );
    for (const text of ['0.1.0', '12-mgx1k2j0', '.12-mgx1k2j0', '0.1.0.12', '0.1.0.012-mgx1k2j0', '0.1.0.12-MGX', ''])
      assert.throws(() => readStart(text), { code: 'invalid_request' }, text);
  });
});
