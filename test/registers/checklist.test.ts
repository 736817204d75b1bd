/** Fails if a step of docs/adding-a-register.md was forgotten. Each message says what to do. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { countries, registers } from '../../src/registers/index.ts';
import { generateFile } from '../../synthetic/generators.ts';

const root = new URL('../../', import.meta.url);
const exists = (path: string) => existsSync(new URL(path, root));

describe('every register', () => {
  test('has a folder, and every folder is a register', () => {
    const entries = readdirSync(new URL('src/registers/', root), { withFileTypes: true });
    const folders = entries
      .filter((entry) => entry.isDirectory() && entry.name !== 'classifications')
      .map(({ name }) => name);
    assert.deepEqual(
      registers.map(({ id }) => id),
      folders.sort(),
      'src/registers/list.ts: list the register of every folder, sorted by id; the id is the name of the folder',
    );
  });

  test('has a complete manifest', () => {
    for (const register of registers) {
      for (const field of ['name', 'nativeName', 'publisher', 'licence'] as const)
        assert.ok(register[field].length > 3, `${register.id}: fill "${field}" in the manifest`);
      assert.match(register.sourceUrl, /^https:\/\//, `${register.id}: sourceUrl`);
      assert.ok(register.minimumRows > 0, `${register.id}: minimumRows`);
      assert.ok(register.files.length > 0, `${register.id}: files`);
    }
  });

  test('has a country, which no list of planned countries repeats', () => {
    const codes = countries.map(({ code }) => code);
    assert.deepEqual(codes, [...new Set(codes)].sort());
    for (const { id, country } of registers)
      assert.ok(country === null || codes.includes(country), `src/registers/${id}/manifest.json: country`);
  });

  test('has golden records, with its code lists', () => {
    for (const { id } of registers)
      assert.ok(
        exists(`test/registers/${id}/code-lists/expected.json`),
        `add test/registers/${id}/code-lists/ (golden.test.ts)`,
      );
  });

  test('generates a file that depends only on the seed', () => {
    for (const register of registers) {
      const take = (seed: number) => JSON.stringify(generateFile(register, 20, seed), spreadIterables);
      assert.equal(take(3), take(3), `${register.id}: the same seed gave two different files`);
      assert.notEqual(take(3), take(4), `${register.id}: two seeds gave the same file`);
    }
  });
});

function spreadIterables(_key: string, value: unknown): unknown {
  const isIterable = typeof value === 'object' && value !== null && Symbol.iterator in value && !Array.isArray(value);
  return isIterable ? [...(value as Iterable<unknown>)] : value;
}
