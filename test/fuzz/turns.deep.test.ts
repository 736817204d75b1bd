import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Agent, request as open } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import type { Contract } from '../../src/api/contract.ts';
import { startTarget } from '../abuse/target.ts';
import { measureLongestTurn } from '../attack/longest-turn.ts';
import { listRoutes } from '../attack/routes.ts';
import { usualEngines } from '../harness/databases.ts';
import { isDeep, runs } from '../harness/depth.ts';
import { sign } from '../harness/payment-events.ts';
import { startService, type TestService } from '../harness/service.ts';
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
const WATCH = pathToFileURL(join(import.meta.dirname, './turn-watch.ts')).href;

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

/**
 * Every route that reads a body gets the largest one that it accepts, in many hostile shapes, from a caller who may use the route. None of
 * them may keep the event loop busy, because all other requests would wait. A new route is part of this by itself. On an idle machine the
 * longest turn is about 50 ms; the deep run shares the machine with other tests, so its bound is twice that.
 */
const BODIES_MAX_TURN_MS = isDeep ? 100 : 250;
/** The limits of all routes, from the largest. The first body that is not too large says which of them a route has. */
const LIMITS = [2048, 1024, 512, 256, 64, 16, 4].map((kilobytes) => kilobytes * 1024);

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
/** The fields of requests. A shape puts its value into each of them. */
const JSON_FIELDS = ['name', 'queries', 'entities', 'types', 'search', 'add', 'url', 'monitorIds', 'plan', 'params'];
const FORM_FIELDS = ['name', 'list', 'state', 'queries', 'extend', 'q', 'url', 'action', 'monitors', 'plan'];
const VALID_JSON = '"name":"a","plan":"pro","url":"https://example.com/","jsonrpc":"2.0","id":1,"method":"tools/call"';
const VALID_FORM = 'name=a&plan=pro&units=1&action=add&url=https%3A%2F%2Fexample.com%2F';

type Shape = readonly [name: string, write: (size: number) => string];

/** `part` as often as there is room, between `start` and `end`. */
const fill = (size: number, start: string, part: string, end: string) =>
  start + part.repeat(Math.max(0, Math.floor((size - start.length - end.length) / part.length))) + end;

function writeKeys(size: number, separator: string, write: (at: number) => string): string {
  const keys: string[] = [];
  for (let at = 0, length = 0; length < size - 400; at++) {
    const key = write(at);
    keys.push(key);
    length += key.length + separator.length;
  }
  return keys.join(separator);
}

const jsonShapes: readonly Shape[] = [
  ['deep lists', (size) => fill(size, '', '[', '')],
  ['deep objects', (size) => fill(size, '', '{"a":', '0')],
  ['closed lists', (size) => `${'['.repeat(size / 2 - 1)}${']'.repeat(size / 2 - 1)}`],
  ['a repeated key', (size) => fill(size, `{${VALID_JSON}`, ',"name":"a"', '}')],
  ['different keys', (size) => `{${writeKeys(size, ',', (at) => `"k${at}":0`)}}`],
  ['a long key', (size) => fill(size, '{"', 'k', '":0}')],
  ['white space', (size) => fill(size, '', ' ', '{}')],
  ['digits', (size) => fill(size, `{${VALID_JSON},"limit":`, '9', '}')],
  ['no end', (size) => fill(size, '{"name":"', 'a', '')],
  ...JSON_FIELDS.flatMap((field): Shape[] => [
    [`${field}: a long text`, (size) => fill(size, `{${VALID_JSON},"${field}":"`, 'a', '"}')],
    [`${field}: escapes`, (size) => fill(size, `{${VALID_JSON},"${field}":"`, '\\u0061', '"}')],
    [`${field}: equal items`, (size) => fill(size, `{${VALID_JSON},"${field}":[`, '"added",', '"added"]}')],
    [`${field}: empty objects`, (size) => fill(size, `{${VALID_JSON},"${field}":[`, '{},', '{}]}')],
    [`${field}: queries`, (size) => fill(size, `{${VALID_JSON},"${field}":[`, '{"name":"a a a"},', '{"name":"a"}]}')],
    [`${field}: a long query`, (size) => fill(size, `{${VALID_JSON},"${field}":[{"name":"`, 'a ', '"}]}')],
  ]),
];

const formShapes: readonly Shape[] = [
  ['keys without values', (size) => fill(size, VALID_FORM, '&a', '')],
  ['a repeated key', (size) => fill(size, VALID_FORM, '&name=a', '')],
  ['separators', (size) => fill(size, VALID_FORM, '&', '')],
  ['equals signs', (size) => fill(size, '', '=', '')],
  ['different keys', (size) => writeKeys(size, '&', (at) => `k${at}=1`)],
  ['a long key', (size) => fill(size, '', 'k', '=1')],
  ...FORM_FIELDS.flatMap((field): Shape[] => [
    [`${field}: a long text`, (size) => fill(size, `${VALID_FORM}&${field}=`, 'a', '')],
    [`${field}: escapes`, (size) => fill(size, `${VALID_FORM}&${field}=`, '%61', '')],
    [`${field}: plus signs`, (size) => fill(size, `${VALID_FORM}&${field}=`, '+', '')],
    [`${field}: markup`, (size) => fill(size, `${VALID_FORM}&${field}=`, `<"'>`, '')],
    [`${field}: not UTF-8`, (size) => fill(size, `${VALID_FORM}&${field}=`, '%ff', '')],
    [`${field}: lines`, (size) => fill(size, `${VALID_FORM}&${field}=`, 'a%0a', '')],
    [`${field}: rows`, (size) => fill(size, `${VALID_FORM}&${field}=`, 'GB%2C1%0a', '')],
    [`${field}: lists`, (size) => fill(size, `${VALID_FORM}&${field}=`, '%5b', '')],
    [`${field}: queries`, (size) => fill(size, `${VALID_FORM}&${field}={`, '"a":{"query":"a a a"},', '"b":{}}')],
  ]),
];

let service: TestService;
before(async () => {
  service = await startService('sqlite', { limits: { guessDelayMs: 0 } });
});
after(() => service[Symbol.asyncDispose]());

/** An account of its own for each route, whose requests are not counted together with those of the routes before. */
async function openRoute(method: string, pattern: string) {
  const session = await service.signIn();
  const { account } = session;
  const { apiKeys, reconcileLinks, monitors, webhooks } = service.services;
  const key = await apiKeys.create(account.accountId, 'own', true);
  const link = await reconcileLinks.create(account.accountId, 'own');
  const find = async () => {
    if (pattern.includes('monitors')) return (await monitors.create(account, { name: 'own', watch: [] })).id;
    if (pattern.includes('webhook')) return (await webhooks.create(account, { url: 'https://example.com/' })).id;
    return pattern.includes('links') ? link.id : key.id;
  };
  const path = pattern
    .replace(':id', pattern.includes(':id') ? await find() : '')
    .replace(':link', link.secret)
    .replace(':country', 'gb')
    .replace(':operation', 'searchEntities');
  const takesKey = /^\/(?:mcp|api\/v1\/(?:match|reconcile|monitors|webhook-endpoints))/.test(pattern);
  const credentials: Record<string, string> = takesKey ? { 'x-api-key': key.secret } : session.headers;
  return async (type: string, body: string, query = '') => {
    service.clock.advance(60_000);
    const signature = pattern.endsWith('/billing/webhook') && { 'payment-signature': sign(body, service.clock.now()) };
    const reply = await fetch(service.url + path + query, {
      method,
      redirect: 'manual',
      headers: { ...credentials, ...signature, accept: `${JSON_TYPE}, text/event-stream`, 'content-type': type },
      ...(method !== 'GET' && { body }),
    });
    await reply.arrayBuffer();
    return reply.status;
  };
}

test('no body of any shape and size keeps the event loop busy, on any route', async (t) => {
  const routes = listRoutes(service.app).filter((route) => !/^(?:GET|HEAD|OPTIONS) |\/auth\/logout/.test(route));
  assert.ok(routes.length > 40, routes.join(', '));
  let longest = 0;
  const failures: string[] = [];
  for (const route of routes) {
    const [method = '', pattern = ''] = route.split(' ');
    const send = await openRoute(method, pattern);
    const kinds = [
      ...(pattern.startsWith('/api/') || pattern === '/mcp' ? [[JSON_TYPE, jsonShapes] as const] : []),
      ...(!pattern.startsWith('/api/') || pattern.includes('/reconcile') ? [[FORM_TYPE, formShapes] as const] : []),
    ];
    for (const [type, shapes] of kinds) {
      const probe = type === JSON_TYPE ? '{}' : 'name=a';
      assert.ok((await send(type, probe)) < 600, 'the modules of the route are loaded now');
      let size = 0;
      for (const limit of LIMITS) {
        if (size > 0) break;
        if ((await send(type, `${probe}${' '.repeat(limit - probe.length)}`)) !== 413) size = limit;
      }
      assert.ok(size > 0, `${route} accepts no body`);
      for (const [name, write] of shapes) {
        const body = write(size);
        assert.ok(body.length <= size, `${name}: ${body.length}`);
        let status = 0;
        const ms = await measureLongestTurn(async () => {
          status = await send(type, body);
        });
        longest = Math.max(longest, ms);
        if (ms > BODIES_MAX_TURN_MS || status === 500)
          failures.push(`${route}, ${size / 1024} KiB, ${name}: ${status} after ${ms.toFixed(0)} ms`);
      }
    }
  }
  t.diagnostic(`${routes.length} routes, at most ${longest.toFixed(0)} ms`);
  assert.deepEqual(failures, []);
});

test('no parameter of the longest URL keeps the event loop busy, in any operation', async () => {
  const contract: Contract = JSON.parse((await service.client.get('/api/v1/openapi.json')).text);
  const failures: string[] = [];
  for (const [path, { get }] of Object.entries(contract.paths) as [string, { get?: GetOperation }][]) {
    const send = await openRoute('GET', path.replace('{id}', ':id'));
    for (const { name, in: place, schema } of get?.parameters ?? []) {
      if (place !== 'query') continue;
      const example = String(schema.examples?.[0] ?? schema.enum?.[0] ?? 'ab');
      // With an end that makes a pattern try all ways to match the rest.
      for (const part of ['a', ' ', '0', '-', 'é', '😀', example, `${example},`]) {
        for (const end of ['', '\n!']) {
          const text = encodeURIComponent(part).repeat(7_000 / encodeURIComponent(part).length);
          const ms = await measureLongestTurn(() => send(JSON_TYPE, '', `?${name}=${text}${encodeURIComponent(end)}`));
          if (ms > BODIES_MAX_TURN_MS) failures.push(`${path}?${name}=${part}…: ${ms.toFixed(0)} ms`);
        }
      }
    }
  }
  assert.deepEqual(failures, []);
});

interface GetOperation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: { readonly examples?: readonly unknown[]; readonly enum?: readonly unknown[] };
  }[];
}
