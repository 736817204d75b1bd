import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { importCompanies } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { company } from '../registry/gb-file.ts';

const program = fileURLToPath(new URL('../../clients/typescript/bin/firmament-client.js', import.meta.url));

describe('the command line of the client as a process', () => {
  let service: TestService;
  let env: Record<string, string>;
  before(async () => {
    service = await startService('sqlite');
    await importCompanies(
      service,
      Array.from({ length: 300 }, (_, at) => company(`${10_000_000 + at}`, `ACME ${1000 + at} LTD`)),
    );
    env = { FIRMAMENT_URL: service.url, FIRMAMENT_KEY: await service.createKey() };
  });
  after(() => service?.[Symbol.asyncDispose]());

  function start(...args: readonly string[]) {
    const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let notes = '';
    child.stdout.on('data', (text) => (out += text));
    child.stderr.on('data', (text) => (notes += text));
    return { child, closed: once(child, 'close'), out: () => out, notes: () => notes };
  }

  test('a reader that has enough, such as head, ends it silently', async () => {
    const search = start('search', 'acme', '--all', '--json');
    search.child.stdout.once('data', () => search.child.stdout.destroy());
    assert.deepEqual([await search.closed, search.notes()], [[0, null], '']);
  });

  test('the output has no colour in a pipe, and ends with the last company', async () => {
    const search = start('search', 'acme', '--all');
    assert.deepEqual([await search.closed, search.notes()], [[0, null], '']);
    assert.match(search.out(), /^NAME .*\n(ACME .*\n){300}$/);
  });

  test('Ctrl+C ends it at once, and it says where to continue', async () => {
    const following = start('changes', '--follow', '--cursor', 'oldest');
    await until('it follows', () => following.out().includes('loaded'));
    following.child.kill('SIGINT');
    assert.deepEqual(await following.closed, [130, null]);
    assert.match(following.notes(), /^To continue from here: --cursor \S+\n$/);
  });
});
