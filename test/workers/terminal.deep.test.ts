import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { completeEnv } from '../harness/children.ts';
import { useDatabase } from '../harness/databases.ts';
import { until } from '../harness/until.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
/** `script` of util-linux runs a command in a pseudo-terminal. */
const hasScript = spawnSync('script', ['--version']).stdout?.includes('util-linux') === true;
const ESCAPE = '\x1b';

describe('firmament serve in a terminal', { skip: !hasScript && 'needs "script" of util-linux' }, () => {
  const database = useDatabase('sqlite');

  /**
   * Starts the service, requests a page that does not exist, presses Ctrl+C, and returns what the terminal shows. Ctrl+C discards what
   * the terminal has not shown yet, so it is pressed after `last` was shown.
   */
  async function useService(args: string, env: Record<string, string>, last = 'Ctrl+C'): Promise<string> {
    const child = spawn('script', ['-qec', `'${process.execPath}' '${MAIN}' serve ${args}`, '/dev/null'], {
      env: completeEnv({ SHELL: '/bin/sh', TERM: 'xterm-256color', ...env }),
      cwd: database.dataDir,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const closed = once(child, 'close');
    let shown = '';
    child.stdout.on('data', (chunk) => {
      shown += chunk;
    });
    try {
      await until('the service is ready', () => shown.includes('Ctrl+C'));
      const url = /Open.*(http:\/\/127\.0\.0\.1:\d+)/.exec(shown)?.[1] ?? '';
      const headers = { connection: 'close' };
      assert.equal((await fetch(`${url}/api/v1/health/ready`, { headers })).status, 200);
      assert.equal((await fetch(`${url}/api/v1/nothing-here`, { headers })).status, 404);
      await until(`the terminal shows "${last}"`, () => shown.includes(last));
    } finally {
      child.stdin.write('\x03');
      await closed;
    }
    return shown;
  }

  const settings = () => ({ DATA_DIR: database.dataDir, PORT: '0', ADMIN_PORT: '0', WORKERS: '1' });

  test('it shows what it does and where to go, and writes the log to a file', async () => {
    const shown = await useService('', { ...settings(), NO_COLOR: '1' });
    assert.match(shown, /Starting Firmament \d.*: preparing the databases and the search index …\r\n/);
    assert.match(shown, /is ready\./);
    assert.match(shown, /Log +server\.log \(--log shows it here\)/);
    assert.match(shown, /The store is empty\. Fill it with a register, for example: firmament update lv/);
    assert.match(shown, /Stopped\.\r\n$/);
    assert.doesNotMatch(shown, /"level"|nothing-here|404/);
    assert.ok(!shown.includes(ESCAPE), 'NO_COLOR is ignored');
    const log = readFileSync(join(database.dataDir, 'server.log'), 'utf8').trim().split('\n');
    const statuses = log.map((line) => JSON.parse(line).status);
    assert.ok(statuses.includes(404), 'the request is not in the log');
  });

  test('with --log it shows the log in colours instead', async () => {
    const shown = await useService('--log', settings(), '404 GET ');
    assert.match(shown, /404 GET /);
    assert.ok(shown.includes(`${ESCAPE}[32minfo`));
    assert.doesNotMatch(shown, /server\.log|preparing the|"level"/);
  });
});
