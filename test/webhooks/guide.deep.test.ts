import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { linkClient } from '../client/examples.ts';
import { until } from '../harness/until.ts';
import { openWorld } from './world.ts';

const guide = readFileSync(new URL('../../docs/guides/webhooks.md', import.meta.url), 'utf8');
const readCode = (language: string) =>
  new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(guide)?.[1] ?? assert.fail(language);

const LANGUAGES = [
  { name: 'TypeScript', code: readCode('ts'), file: 'receiver.ts', command: process.execPath, missing: false },
  { name: 'Python', code: readCode('python'), file: 'receiver.py', command: 'python3', missing: isMissing('python3') },
] as const;

function isMissing(command: string): string | false {
  try {
    execFileSync('sh', ['-c', `command -v ${command}`]);
    return false;
  } catch {
    return `needs ${command}`;
  }
}

async function findPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await ended;
}

describe('the receivers of the guide', () => {
  for (const { name, code, file, command, missing } of LANGUAGES) {
    test(`in ${name} it has about 20 lines, accepts what is signed, drops repetitions and refuses the rest`, {
      skip: missing,
    }, async () => {
      assert.ok(
        code
          .trim()
          .split('\n')
          .filter((line) => line.trim() !== '').length <= 22,
      );
      const folder = mkdtempSync(join(tmpdir(), 'firmament-receiver-'));
      linkClient(folder);
      writeFileSync(join(folder, file), code);
      await using world = await openWorld('sqlite');
      // The receiver compares with the clock of the machine.
      world.clock.set(new Date(systemClock.now()).toISOString());
      const account = await world.createAccount();
      const port = await findPort();
      const url = `http://127.0.0.1:${port}/`;
      const { id, secret } = await world.webhooks.create(account, { url });
      const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) };
      const child = spawn(command, [join(folder, file)], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      let printed = '';
      child.stdout.on('data', (chunk) => {
        printed += chunk;
      });
      try {
        await until('it listens', () =>
          fetch(url, { method: 'POST', body: '{}' }).then(
            () => true,
            () => false,
          ),
        );
        world.addEvents(account, ['company 1', 'company 2']);
        await world.webhooks.step();
        await world.webhooks.replay(account.accountId, id, '0');
        await world.webhooks.rotate(account.accountId, id);
        await world.webhooks.sendTest(account.accountId, id);
        await world.webhooks.step();
        assert.deepEqual(world.outcomes, Array(5).fill('delivered'));
        await until('it has printed all', () => printed.trim().split('\n').length >= 3);
        const lines = printed.trim().split('\n').toSorted();
        assert.deepEqual(lines.slice(0, 2), ['entity.changed company 1', 'entity.changed company 2']);
        assert.match(lines[2] ?? '', /^webhook\.test /);
        assert.equal(lines.length, 3);
        const forged = { 'webhook-id': 'msg_1', 'webhook-timestamp': String(Math.floor(systemClock.now() / 1_000)) };
        const headers = { ...forged, 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` };
        assert.equal((await fetch(url, { method: 'POST', body: '{"type":"x","data":{}}', headers })).status, 400);
      } finally {
        await stop(child);
        rmSync(folder, { recursive: true, force: true });
      }
    });
  }
});
