import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isDeep } from '../harness/depth.ts';
import { measureLongestTurn } from '../harness/longest-turn.ts';
import { sign } from '../harness/payment-events.ts';
import { listRoutes } from '../harness/routes.ts';
import { startService, type TestService } from '../harness/service.ts';

/**
 * Every route that reads a body gets the largest one that it accepts, in many hostile shapes, from a caller who may use the route. None of
 * them may keep the event loop busy, because all other requests would wait. A new route is part of this by itself.
 */
const MAX_TURN_MS = isDeep ? 50 : 250;
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
  return async (type: string, body: string) => {
    service.clock.advance(60_000);
    const signature = pattern.endsWith('/billing/webhook') && { 'payment-signature': sign(body, service.clock.now()) };
    const reply = await fetch(service.url + path, {
      method,
      redirect: 'manual',
      headers: { ...credentials, ...signature, accept: `${JSON_TYPE}, text/event-stream`, 'content-type': type },
      body,
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
        if (ms > MAX_TURN_MS || status === 500)
          failures.push(`${route}, ${size / 1024} KiB, ${name}: ${status} after ${ms.toFixed(0)} ms`);
      }
    }
  }
  t.diagnostic(`${routes.length} routes, at most ${longest.toFixed(0)} ms`);
  assert.deepEqual(failures, []);
});
