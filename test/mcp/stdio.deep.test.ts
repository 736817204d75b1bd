import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { spawnScript } from '../harness/children.ts';
import { useService } from '../harness/shared-service.ts';
import { until } from '../harness/until.ts';
import { connect, connectStdio, revisions } from './connect.ts';
import { doTask, importTask } from './task.ts';

const program = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

describe('the bridge over stdio', () => {
  const service = useService('sqlite');
  let key: string;
  before(async () => {
    await importTask(service);
    key = await service.createKey();
  });
  const env = () => ({ FIRMAMENT_URL: service.url, FIRMAMENT_KEY: key });

  for (const revision of revisions) {
    test(`the official client gets the same results as over HTTP (${JSON.stringify(revision)})`, async () => {
      await using direct = await connect(service, key, revision);
      await using bridged = await connectStdio(process.execPath, [program, 'mcp'], env(), revision);
      assert.deepEqual(bridged.getNegotiatedProtocolVersion(), direct.getNegotiatedProtocolVersion());
      assert.deepEqual(await doTask(bridged), await doTask(direct));
      assert.equal(bridged.notes(), `Passing messages to ${service.url}\n`);
    });
  }

  test('after the end of its input it answers what it has read, and exits with 0', async () => {
    const child = spawnScript(program, ['mcp'], { env: env(), stdio: ['pipe', 'pipe', 'pipe'] });
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

  test('stops at once on SIGTERM, and without a key it says what to do', async () => {
    const child = spawnScript(program, ['mcp'], { env: env(), stdio: ['pipe', 'pipe', 'pipe'] });
    let notes = '';
    child.stderr?.on('data', (text) => (notes += text));
    await until('it runs', () => notes !== '');
    child.kill('SIGTERM');
    await until('it has ended', () => child.exitCode !== null || child.signalCode !== null);
    assert.deepEqual([child.exitCode, child.signalCode], [0, null]);

    const keyless = spawnScript(program, ['mcp'], {
      env: { FIRMAMENT_URL: service.url },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    keyless.stderr?.on('data', (text) => (said += text));
    await until('it has ended', () => keyless.exitCode !== null && said !== '');
    assert.notEqual(keyless.exitCode, 0);
    assert.match(said, new RegExp(`create .*${RegExp.escape(`${service.url}/dashboard`)}`));
  });
});
