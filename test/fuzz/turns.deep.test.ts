import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Agent, request as open } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import type { Contract } from '../../src/http/contract.ts';
import { startTarget } from '../abuse/target.ts';
import { usualEngines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { until } from '../harness/until.ts';
import { PLACEHOLDERS, requestsOf } from './requests.ts';

/**
 * Whether any request blocks the event loop of a server, and so all other requests. The time is that of the processor, so a busy
 * machine makes no difference.
 */
const REQUESTS = runs(300, 3_000);
const BATCH_SIZE = 100;
/**
 * A request has 1.5 seconds in total, and on a busy machine a turn takes ten times its processor time. The longest turn of 5,000
 * requests was 19 ms. Loading a large package during a request takes 80 ms or more.
 */
const MAX_TURN_MS = 60;
const PAGES = [
  '/',
  '/docs',
  '/docs/reference',
  '/docs/errors',
  '/docs/search?q=limit',
  '/explore?q=a',
  '/coverage',
  '/status',
];
const WATCH = pathToFileURL(join(import.meta.dirname, '../harness/turn-watch.ts')).href;

for (const engine of usualEngines) {
  test(`no fuzzed request holds the event loop of a server for long, on ${engine}`, async (t) => {
    const file = join(tmpdir(), `turns-${process.pid}-${engine}`);
    const stripe = { STRIPE_SECRET_KEY: 'sk_test_x', STRIPE_API_URL: 'http://127.0.0.1:1' };
    const env = { ...stripe, NODE_OPTIONS: `--import=${WATCH}`, TURN_FILE: file };
    await using target = await startTarget(engine, { env, companies: 200 });
    const { keys } = await target.office.createAccount({ plan: 'business', keys: 1 });
    // On a busy machine, all requests that have arrived meanwhile share a turn.
    const agent = new Agent({ keepAlive: true, maxSockets: runs(4, 16) });
    const send = (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
      new Promise<number>((resolve, reject) => {
        const { hostname, port } = new URL(target.url);
        const sent = open({ hostname, port, method, path, agent, headers }, (response) => {
          response
            .resume()
            .on('end', () => resolve(response.statusCode ?? 0))
            .on('error', reject);
        });
        sent.on('error', reject).end(body);
      });
    const contract = (await (await fetch(`${target.url}/api/v1/openapi.json`)).json()) as Contract;
    const found = await fetch(`${target.url}/api/v1/entities`, { headers: { 'x-api-key': keys[0] ?? '' } });
    const { data } = (await found.json()) as { data: { id: string }[] };
    const identity = { issuer: 'https://login.test', subject: 'turns', email: null, name: null };
    const { token } = await target.office.services.sessions.start(identity);
    /** The longest turn while the work runs. The last request makes sure that the turns before it are written. */
    const measure = async (work: () => Promise<unknown>) => {
      process.kill(target.server.pid, 'SIGUSR2');
      await until('the watch starts again', () => Number(readFileSync(file, 'utf8')) < 10);
      await work();
      await send('GET', '/api/v1/health/live');
      return Number(readFileSync(file, 'utf8'));
    };
    const session = { cookie: `session=${token}`, origin: target.url, 'content-type': 'application/json' };
    const checkout = () => send('POST', '/api/v1/billing/checkout', session, '{"plan":"pro"}');
    const first = await measure(async () => assert.equal(await checkout(), 503));
    // Rendered with their first request, and then kept.
    for (const path of PAGES) await send('GET', path);
    const longest = await measure(async () => {
      for (let sent = 0; sent < REQUESTS; sent += BATCH_SIZE) {
        const batch = fc.sample(requestsOf(contract), { numRuns: BATCH_SIZE });
        const requests = batch.map(({ method, path, headers, body }) => {
          const target = path.replace(PLACEHOLDERS.entity, data[0]?.id ?? '');
          return send(method, target, { ...headers, 'x-api-key': keys[0] ?? '' }, body).catch(() => 0);
        });
        await Promise.all([...requests, ...PAGES.map((path) => send('GET', path))]);
      }
    });
    agent.destroy();
    t.diagnostic(
      `${engine}: ${first.toFixed(0)} ms for the first checkout, ${longest.toFixed(0)} ms in ${REQUESTS} requests`,
    );
    assert.ok(longest > 0, 'nothing was measured');
    assert.ok(first < MAX_TURN_MS, `a turn of the first checkout took ${first} ms`);
    assert.ok(longest < MAX_TURN_MS, `a turn took ${longest} ms`);
  });
}
