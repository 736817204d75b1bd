/** Compares the code lists of every register with an independent copy of the publisher's documents, value by value. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { registers } from '../../src/registers/index.ts';
import { type CodeList, REQUIRED_LISTS, type Without } from './code-lists/code-list.ts';

const MAX_SHOWN = 20;

for (const { id } of registers) {
  const file = new URL(`code-lists/${id}.ts`, import.meta.url);
  describe(`code lists of ${id}`, async () => {
    if (!existsSync(file)) {
      test('exist', () =>
        assert.fail(`add test/registers/code-lists/${id}.ts with the publisher's lists of statuses, forms and roles`));
      return;
    }
    const { codeLists, without = {} }: { codeLists: readonly CodeList[]; without?: Without } = await import(file.href);

    test('are complete', () => {
      for (const list of REQUIRED_LISTS) {
        const isListed = codeLists.some((codeList) => codeList.list === list && codeList.cases.length > 0);
        assert.equal(
          isListed,
          without[list] === undefined,
          `code-lists/${id}.ts: either list every "${list}" in codeLists, or say in "without" why there is none`,
        );
      }
    });

    for (const [index, { list, map, cases, others }] of codeLists.entries()) {
      test(`${list} (${index + 1}): every documented value has its meaning and is not reported`, () => {
        const values = cases.map(([value]) => value);
        assert.equal(new Set(values).size, values.length, 'a value is listed twice');
        const wanted = cases.map(([value, shown]) => [value, { shown, reported: false }] as const);
        assertSame(wanted, map);
      });

      if (list === 'status') {
        test(`${list} (${index + 1}): white space of any length means the same`, () => {
          const changed = cases.flatMap(([value, shown]) => {
            const { shown: actual } = map(value.replaceAll(' ', ' \u00a0'));
            return actual?.replace(/\s+/g, ' ') === (shown ?? undefined) ? [] : [`${value}: ${actual}`];
          });
          assert.deepEqual(changed, []);
        });
      }

      if (others === undefined) continue;
      test(`${list} (${index + 1}): no other value is known`, () => {
        const { shown, reported } = others;
        assertSame(
          Array.from(others.values, (value) => [value, { shown, reported }]),
          map,
        );
      });
    }
  });
}

/** Lists the differences instead of both complete lists, which may have thousands of values. */
function assertSame(wanted: readonly (readonly [string, unknown])[], map: CodeList['map']): void {
  assert.ok(wanted.length > 0);
  const differences = wanted.flatMap(([value, expected]) => {
    const [actual, right] = [JSON.stringify(map(value)), JSON.stringify(expected)];
    return actual === right ? [] : [`${JSON.stringify(value)}: ${actual} instead of ${right}`];
  });
  assert.equal(
    differences.length,
    0,
    `${differences.length} of ${wanted.length} differ:\n${differences.slice(0, MAX_SHOWN).join('\n')}`,
  );
}
