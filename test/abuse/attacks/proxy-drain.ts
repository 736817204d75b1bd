import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../harness/postgres-server.ts';
import { type RunningServer, startServer } from '../../harness/process.ts';
import { until } from '../../harness/until.ts';
import type { Attack } from '../attack.ts';
import { PROXY_HOST, proxyNames, startProxy } from '../proxy.ts';
import { startTarget } from '../target.ts';

const RESTARTS = 6;
const CALLERS = 12;

/** The statuses of the callers' requests until they stop; 0 is a broken connection. */
function startCallers(port: number, certificate: string, keys: readonly string[]) {
  const counts = new Map<number, number>();
  let isRunning = true;
  let sent = 0;
  const agent = new Agent({ keepAlive: true, ca: certificate, servername: PROXY_HOST });
  function ask(method: string, path: string): Promise<number> {
    return new Promise((resolve) => {
      const headers = { host: `${PROXY_HOST}:${port}`, 'x-api-key': keys[sent++ % keys.length] };
      const sending = request({ host: '127.0.0.1', port, agent, method, path, headers }, (response) => {
        response.resume().on('close', () => resolve(response.complete ? (response.statusCode ?? 0) : 0));
      });
      sending.on('error', () => resolve(0));
      sending.end();
    });
  }
  async function call(): Promise<void> {
    for (let at = 0; isRunning; at++) {
      // A POST is never sent twice by a proxy, so it shows requests that are lost. Without a session it gets 401.
      const status = await (at % 3 === 0 ? ask('POST', '/api/v1/billing/portal') : ask('GET', '/api/v1/entities?q=a'));
      counts.set(status, (counts.get(status) ?? 0) + 1);
      await sleep(60 * Math.random());
    }
  }
  const running = Promise.all(Array.from({ length: CALLERS }, call));
  return {
    countServed: () => counts.get(200) ?? 0,
    async stop() {
      isRunning = false;
      await running;
      agent.destroy();
      return counts;
    },
  };
}

/** Whether a server has answered requests of the callers since it started. */
async function isUsed(adminPort: number): Promise<boolean> {
  const reply = await fetch(`http://127.0.0.1:${adminPort}/metrics`).catch(() => undefined);
  return /^http_request_duration_seconds_count\{.*entities/m.test((await reply?.text()) ?? '');
}

/**
 * HAProxy checks readiness, so it leaves a server before the listener closes. nginx does not: a POST that arrives at that
 * moment can be lost, at most one in each restart.
 */
const MAX_LOST = { haproxy: 0, nginx: RESTARTS };

export const attacks: readonly Attack[] = proxyNames.map((name) => ({
  name: `${RESTARTS} restarts behind ${name} under load`,
  // Two servers at a time need PostgreSQL.
  engines: ['postgres'],
  async run(engine) {
    await using target = await startTarget(engine, { companies: 500 });
    const dataDir = mkdtempSync(join(tmpdir(), 'firmament-second-'));
    const database = { ...target.database, dataDir };
    const ports = [await findFreePort(), await findFreePort()];
    const adminPorts = [await findFreePort(), await findFreePort()];
    const port = await findFreePort();
    const env = { PUBLIC_URL: `https://${PROXY_HOST}:${port}`, TRUST_PROXY: '127.0.0.1', LOG_LEVEL: 'fatal' };
    const start = (at: number) =>
      startServer(database, { env: { ...env, ADMIN_PORT: String(adminPorts[at]) }, port: ports[at] ?? 0 });
    const servers = [await start(0), await start(1)];
    try {
      await using proxy = await startProxy(
        name,
        port,
        servers.map(({ url }) => url),
      );
      const account = await target.office.createAccount({ keys: 20 });
      // HAProxy checks the servers before it uses them.
      const first = startCallers(port, proxy.certificate, account.keys);
      for (const adminPort of adminPorts) await until('the proxy uses the server', () => isUsed(adminPort));
      const { quota: before } = await first.stop().then(() => target.office.settle(account.accountId));
      const callers = startCallers(port, proxy.certificate, account.keys);
      await until('callers are served', () => callers.countServed() > CALLERS);
      for (let count = 0; count < RESTARTS; count++) {
        const server = servers[count % 2] as RunningServer;
        server.kill('SIGTERM');
        const { code, stderr } = await server.ended;
        if (code !== 0) throw new Error(`the server exited with ${code}: ${stderr}`);
        servers[count % 2] = await start(count % 2);
        // HAProxy uses it again after three successful checks; nginx after ten seconds.
        await until('the proxy uses the server again', () => isUsed(adminPorts[count % 2] ?? 0));
      }
      const counts = await callers.stop();
      const [served, refused] = [counts.get(200) ?? 0, counts.get(401) ?? 0];
      const others = [...counts].filter(([status]) => status !== 200 && status !== 401);
      const { quota } = await target.office.settle(account.accountId);
      const lostCount = others.reduce((sum, [, count]) => sum + count, 0);
      const lost = others.map(([status, count]) => `${count} × ${status}`).join(', ') || 'none lost';
      return {
        held: lostCount <= MAX_LOST[name] && served > 100 && quota - before === served,
        figures: `${served + refused} requests, ${lost}, ${quota - before} charged of ${served} served`,
      };
    } finally {
      for (const server of servers) server.kill('SIGKILL');
      await Promise.all(servers.map(({ ended }) => ended));
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
}));
