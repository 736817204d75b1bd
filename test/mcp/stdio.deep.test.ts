import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { spawnScript } from '../harness/children.ts';
import { startService, type TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { connect, connectStdio, type Revision, revisions } from './connect.ts';
import { doTask, importTask } from './task.ts';

const programs = {
  'firmament mcp': 'src/main.ts',
  '@firmament/client mcp': 'clients/typescript/bin/firmament-client.js',
} as const;
const pathOf = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));

describe('the bridge over stdio', () => {
  let service: TestService;
  let key: string;
  before(async () => {
    service = await startService('sqlite');
    await importTask(service);
    key = await service.createKey();
  });
  after(() => service[Symbol.asyncDispose]());
  const env = () => ({ FIRMAMENT_URL: service.url, FIRMAMENT_KEY: key });

  for (const [at, [name, program]] of Object.entries(programs).entries()) {
    const revision = revisions[at % 2] as Revision;
    test(`${name}: the official client gets the same results as over HTTP (${JSON.stringify(revision)})`, async () => {
      await using direct = await connect(service, key, revision);
      await using bridged = await connectStdio(process.execPath, [pathOf(program), 'mcp'], env(), revision);
      assert.deepEqual(bridged.getNegotiatedProtocolVersion(), direct.getNegotiatedProtocolVersion());
      assert.deepEqual(await doTask(bridged), await doTask(direct));
      assert.equal(bridged.notes(), `Passing messages to ${service.url}\n`);
    });

    test(`${name}: after the end of its input it answers what it has read, and exits with 0`, async () => {
      const child = spawnScript(pathOf(program), ['mcp'], { env: env(), stdio: ['pipe', 'pipe', 'pipe'] });
      let out = '';
      child.stdout?.on('data', (text) => (out += text));
      child.stdin?.end('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\nnonsense\n');
      await until('it has ended', () => child.exitCode !== null || child.signalCode !== null);
      await until('its output is read', () => out.split('\n').length === 3);
      assert.deepEqual([child.exitCode, child.signalCode], [0, null]);
      const replies = out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.deepEqual(replies.map(({ id }) => id).toSorted(), [1, null]);
    });

    test(`${name}: stops at once on SIGTERM, and without a key it says what to do`, async () => {
      const child = spawnScript(pathOf(program), ['mcp'], { env: env(), stdio: ['pipe', 'pipe', 'pipe'] });
      let notes = '';
      child.stderr?.on('data', (text) => (notes += text));
      await until('it runs', () => notes !== '');
      child.kill('SIGTERM');
      await until('it has ended', () => child.exitCode !== null || child.signalCode !== null);
      assert.deepEqual([child.exitCode, child.signalCode], [0, null]);

      const keyless = spawnScript(pathOf(program), ['mcp'], {
        env: { FIRMAMENT_URL: service.url },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let said = '';
      keyless.stderr?.on('data', (text) => (said += text));
      await until('it has ended', () => keyless.exitCode !== null && said !== '');
      assert.notEqual(keyless.exitCode, 0);
      assert.match(said, new RegExp(`create .*${RegExp.escape(`${service.url}/dashboard`)}`));
    });
  }
});
