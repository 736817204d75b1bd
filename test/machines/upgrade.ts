import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SEARCH } from '../harness/load.ts';
import type { Machines } from '../harness/machines.ts';
import { run } from '../harness/process.ts';
import { until } from '../harness/until.ts';

/** A server of an older release, when a newer release migrates the schema. It ends machine 0, and no other can start. */
export function testUpgrade(use: () => Machines): void {
  test('a running server with a newer schema is not ready but still serves; a new server refuses to start', async () => {
    const machines = use();
    const { office } = machines;
    const server = machines.at(0);
    const { keys } = await office.createAccount();
    const newer = "INSERT INTO migrations (version, name, applied_at) VALUES (9999, '9999_future.sql', 0)";
    await office.services.accountsDb.run(newer);
    // Probes fail within a second, so that a balancer takes the server out. Requests that still arrive are served.
    await until(
      'the server is not ready',
      async () => (await fetch(`${server.url}/api/v1/health/ready`)).status === 503,
    );
    assert.equal((await fetch(`${server.url}/api/v1/health/live`)).status, 200);
    for (let round = 0; round < 3; round++) {
      const reply = await fetch(server.url + SEARCH, { headers: { 'x-api-key': keys[0] ?? '' } });
      assert.equal(reply.status, 200);
    }
    server.kill('SIGTERM');
    assert.equal((await server.ended).code, 0, 'the server does not stop cleanly');

    const env = machines.envOf(0);
    const again = await run(['serve'], { ...env, PORT: '0', ADMIN_PORT: '0', WORKERS: '1' });
    assert.equal(again.code, 1);
    assert.match(again.stderr, /newer release/);
    assert.equal((await run(['migrate'], env)).code, 1);
  });
}
