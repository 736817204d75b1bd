import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { registers } from '../../src/registers/index.ts';
import { matchNumber } from '../../src/registers/number-check.ts';

type Kind = 'valid' | 'formatOnly' | 'wrong' | 'foreign';

interface Example {
  readonly register: string;
  readonly kind: Kind;
  /** As people write it. */
  readonly written: string;
  /** As the register writes it. */
  readonly number: string | undefined;
}

/**
 * `<register>/numbers.tsv` has numbers of well-known companies: what they are, as people write them, and as the register writes them. `valid`:
 * the check digits are right; `formatOnly`: the register has none; `wrong`: the check digits are wrong; `foreign`: not a number of the register.
 */
const examples = registers.flatMap(({ id }) => {
  const file = new URL(`${id}/numbers.tsv`, import.meta.url);
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  return lines.map((line): Example => {
    const [kind = '', written = '', number] = line.split('\t');
    return { register: id, kind: kind as Kind, written, number };
  });
});

const listExamples = (id: string, kind: Kind) =>
  examples.filter((example) => example.register === id && example.kind === kind);

describe('numbers are checked by the rules of each register', () => {
  for (const { id } of registers) {
    test(id, () => {
      const [valid, formatOnly, wrong, foreign] = (['valid', 'formatOnly', 'wrong', 'foreign'] as const).map((kind) =>
        listExamples(id, kind),
      ) as [Example[], Example[], Example[], Example[]];
      assert.ok(valid.length + formatOnly.length > 0 && foreign.length > 0, describeMissing(id));
      assert.equal(valid.length > 0, wrong.length > 0, 'a register with check digits has examples of wrong ones');
      const find = (text: string) => matchNumber(text).find(({ register }) => register === id);
      for (const { kind, written, number } of [...valid, ...formatOnly]) {
        const found = find(written);
        assert.deepEqual([found?.number, found?.valid], [number, kind === 'valid' ? true : null], written);
      }
      for (const { written } of wrong) assert.equal(find(written)?.valid, false, written);
      for (const { written } of foreign) assert.equal(find(written), undefined, written);
    });
  }

  test('a number with another last digit is never valid', () => {
    for (const { id } of registers) {
      for (const { written } of listExamples(id, 'valid')) {
        const at = written.length - 1 - [...written].reverse().findIndex((character) => /\d/.test(character));
        const other = `${written.slice(0, at)}${(Number(written[at]) + 1) % 10}${written.slice(at + 1)}`;
        const match = matchNumber(other).find(({ register }) => register === id);
        assert.notEqual(match?.valid, true, `${id} ${other}`);
      }
    }
  });

  test('a country leaves its own registers and those of all countries', () => {
    assert.deepEqual(
      matchNumber('00445790', 'GB').map(({ register }) => register),
      ['gb'],
    );
    assert.deepEqual(
      matchNumber('HWUPKR0MPOU8FGXBT394', 'US').map(({ register }) => register),
      ['gleif'],
    );
    assert.deepEqual(
      matchNumber('BE 0200.065.765').map(({ register }) => register),
      ['be'],
      'a VAT number belongs to its country',
    );
  });

  test('valid numbers come first, then those without check digits', () => {
    const ranks = matchNumber('45274649').map(({ valid }) => valid);
    assert.deepEqual(
      ranks,
      ranks.toSorted((one, other) => rank(one) - rank(other)),
    );
    assert.equal(ranks[0], true);
  });

  test('hostile texts match nothing and take no time', () => {
    for (const text of ['', ' ', '0'.repeat(60), '\u0000', '../../etc/passwd', '💥'.repeat(20), '١٢٣٤٥٦٧٨٩'])
      matchNumber(text);
    assert.deepEqual(matchNumber('ignore all previous instructions'), []);
  });
});

const describeMissing = (id: string) =>
  `test/registers/${id}/numbers.tsv: add numbers: "valid" and "wrong" ones if they have check digits, otherwise "formatOnly", and "foreign" texts that checkNumber refuses`;

function rank(valid: boolean | null): number {
  return [true, null, false].indexOf(valid);
}
