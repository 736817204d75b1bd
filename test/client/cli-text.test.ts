import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createTable } from '../../clients/typescript/src/cli/table.ts';
import { cutText, measure, printable, printableJson } from '../../clients/typescript/src/cli/text.ts';

const COLUMNS = [{ title: 'NAME', canCut: true }, { title: 'COUNTRY' }, { title: 'ID', width: 36 }];
const OMIT = ['COUNTRY', 'ID'];

describe('tables of the command line', () => {
  test('fit every terminal, also with wide and combining characters', () => {
    const cell = fc.string({ unit: 'grapheme', maxLength: 60 });
    fc.assert(
      fc.property(fc.integer({ min: 16, max: 120 }), fc.array(cell, { maxLength: 5 }), cell, (width, names, later) => {
        const rows = names.map((name) => [name, 'GB', 'x'.repeat(36)]);
        const table = createTable({ width, hasColour: false }, COLUMNS, rows, OMIT);
        for (const line of [table.header, ...[...rows, [later, 'GB', null]].map(table.renderRow)]) {
          assert.ok(measure(line.slice(0, -1)) <= width, JSON.stringify(line));
        }
      }),
    );
  });

  test('leave columns out in order, and cut before', () => {
    const rows = [['A NAME THAT IS LONG', 'GB', 'x'.repeat(36)]];
    const render = (width: number) =>
      createTable({ width, hasColour: false }, COLUMNS, rows, OMIT).renderRow(rows[0] ?? []);
    assert.equal(render(80), `A NAME THAT IS LONG  GB       ${'x'.repeat(36)}\n`);
    assert.equal(render(63), `A NAME THAT IS…   GB       ${'x'.repeat(36)}\n`);
    assert.equal(render(60), `A NAME THAT IS LONG  ${'x'.repeat(36)}\n`);
    assert.equal(render(20), 'A NAME THAT IS LONG\n');
  });

  test('have colour only if wanted', () => {
    const header = (hasColour: boolean) =>
      createTable({ width: undefined, hasColour }, [{ title: 'A' }], [], []).header;
    assert.deepEqual([header(true), header(false)], ['\x1b[1mA\x1b[0m\n', 'A\n']);
  });
});

describe('text of the command line', () => {
  test('has nothing that controls a terminal, and JSON keeps its value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (text) => {
        for (const shown of [printable(text), printableJson({ text }).trimEnd()]) {
          assert.doesNotMatch(shown, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
        }
        assert.deepEqual(JSON.parse(printableJson({ text }, 2)), { text });
      }),
    );
  });

  test('is measured in columns', () => {
    assert.deepEqual(['ACME', '株式会社', 'e\u0301', 'Зоря', '한국'].map(measure), [4, 8, 1, 4, 4]);
    assert.equal(cutText('株式会社', 6), '株式…');
    assert.equal(printable(`a${'\u0301'.repeat(50)}`), `a${'\u0301'.repeat(3)}…`);
  });
});
