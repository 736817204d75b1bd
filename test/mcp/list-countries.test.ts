import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolAnswer } from '../../src/mcp/tool.ts';
import { createCountriesTool } from '../../src/mcp/tools/list-countries.ts';

const HASH = `sha256:${'0'.repeat(64)}`;

function listCountries(companies: number, files: readonly string[]): Promise<ToolAnswer> {
  const register = { id: 'xx', country: null, name: 'Register of Nowhere' };
  const registry = {
    listCountries: async () => [],
    listRegisters: async () => [{ register, entities: companies, asOf: null, synthetic: true }],
    listFiles: async () => files.map((file) => ({ register: 'xx', file, hash: HASH, asOf: null, synthetic: 1 })),
  };
  const tool = createCountriesTool(registry as never, { now: () => 0 });
  return Promise.resolve(tool.run({} as never, { accountId: 'a', deadline: 0 }));
}

test('a register of many files lists the first three, with names of bounded length', async () => {
  const { data } = await listCountries(7, ['x'.repeat(600), 'b', 'c', 'd']);
  const [{ files }] = (data as { registers: [{ files: { file: string; hash: string }[] }] }).registers;
  assert.deepEqual(
    files,
    [`${'x'.repeat(500)}…`, 'b', 'c'].map((file) => ({ file, hash: HASH })),
  );
});

test('the text names what is not known, and leaves out registers without companies', async () => {
  const { text } = await listCountries(7, []);
  const line = '- xx (all countries): Register of Nowhere, 7 companies, day not stated, synthetic sample';
  assert.equal(text, `0 countries: none yet. Planned: . Registers:\n${line}`);
  assert.equal((await listCountries(0, ['a'])).text, '0 countries: none yet. Planned: . Registers:');
});
