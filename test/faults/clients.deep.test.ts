import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { createDatabase, type TestDatabase, usualEngines } from '../harness/databases.ts';
import { boundMs } from '../harness/depth.ts';
import { type Office, openOffice } from '../harness/keys.ts';
import { type Answer, SEARCH } from '../harness/load.ts';
import { paymentEnv } from '../harness/payment-events.ts';
import { type RunningServer, startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { type Pressure, startPressure } from './pressure.ts';

/** The 99th percentile of well-behaved callers must stay below this, on a busy machine. */
const MAX_P99_MS = boundMs(5_000);
const HANG_UPS = 500;
const IDLE_CONNECTIONS = 2_000;

for (const engine of usualEngines) {
  describe(`misbehaving clients on ${engine}`, () => {
    let database: TestDatabase;
    let office: Office;
    let server: RunningServer;
    before(async () => {
      database = await createDatabase(engine);
      office = openOffice(database);
      await office.createAccount();
      server = await startServer(database, { env: { ...paymentEnv, LOG_LEVEL: 'fatal' } });
    });
    after(async () => {
      server?.kill('SIGKILL');
      await server?.ended;
      await office?.[Symbol.asyncDispose]();
      await database?.remove();
    });

    const sockets: Socket[] = [];
    /** One source address does not have enough ports for all connections, so fifty addresses are used. */
    async function open(): Promise<Socket> {
      const localAddress = `127.0.0.${2 + (sockets.length % 50)}`;
      const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1', localAddress });
      socket.on('error', () => undefined);
      sockets.push(socket);
      await once(socket, 'connect');
      return socket;
    }
    function closeAll(): void {
      for (const socket of sockets.splice(0)) socket.destroy();
    }
    const press = () => startPressure({ office, urls: () => [server.url], callers: 10, allowed: [] });
    const request = (path: string, key: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n\r\n`;

    async function check(pressure: Pressure, from: number): Promise<string> {
      const { answers, summary } = await pressure.end();
      const times = answers.filter(({ sentAt }) => sentAt >= from).map(({ ms }: Answer) => ms);
      const p99 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.POSITIVE_INFINITY;
      assert.ok(p99 < MAX_P99_MS, `the 99th percentile was ${p99} ms`);
      return `${summary}, 99th percentile ${Math.round(p99)} ms`;
    }

    test(`${HANG_UPS} clients hang up half-way: at most the complete requests are charged`, async (t) => {
      const account = await office.createAccount({ keys: 20 });
      await using pressure = await press();
      const from = performance.now();
      let complete = 0;
      for (let count = 0; count < HANG_UPS; count++) {
        const socket = await open();
        const bytes = request(SEARCH, account.keys[count % 20] ?? '');
        const isComplete = count % 2 === 0;
        if (isComplete) complete++;
        socket.write(isComplete ? bytes : bytes.slice(0, Math.floor(Math.random() * bytes.length)));
        // At a random moment: before the request is read, while it is processed or while it is answered.
        setTimeout(() => socket.resetAndDestroy(), Math.random() * 20);
      }
      await until('all have hung up', () => sockets.every(({ destroyed }) => destroyed));
      const { quota, daily } = await office.settle(account.accountId);
      assert.ok(quota <= complete, `${quota} charged of ${complete}`);
      assert.equal(daily, quota);
      closeAll();
      t.diagnostic(`${complete} complete requests, ${quota} charged; ${await check(pressure, from)}`);
    });

    test(`${IDLE_CONNECTIONS} idle connections do not slow down others`, async (t) => {
      await using pressure = await press();
      for (let count = 0; count < IDLE_CONNECTIONS; count++) {
        const socket = await open();
        // Half of the connections were used once and kept; the others have never sent anything.
        if (count % 2 === 0) socket.resume().write('GET /api/v1/plans HTTP/1.1\r\nHost: a\r\n\r\n');
      }
      const opened = sockets.filter(({ destroyed }) => !destroyed).length;
      const from = performance.now();
      await until('others are served', () => pressure.answers.filter(({ sentAt }) => sentAt > from).length > 150);
      t.diagnostic(`${opened} of ${IDLE_CONNECTIONS} open; ${await check(pressure, from)}`);
      assert.ok(opened >= IDLE_CONNECTIONS * 0.9, `${opened} are open`);
      closeAll();
    });
  });
}
