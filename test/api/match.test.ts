import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { before, beforeEach, test } from 'node:test';
import { fail } from '../../src/base/errors.ts';
import type { MatchQuery } from '../../src/search/match/matching.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { importCompanies } from '../harness/entities.ts';
import { useService } from '../harness/shared-service.ts';
import { until } from '../harness/until.ts';
import { useSimpleMatcher } from '../reconciliation/simple-matcher.ts';
import { company } from '../registry/gb-file.ts';
import { useKeys } from './result-service.ts';

const PATH = '/api/v1/match';
const invalid = (name: unknown) => ({ name });
const codesOf = (data: readonly { status?: string; error?: { code: string } }[]) =>
  data.map(({ status, error }) => status ?? error?.code);

describeOn(usualEngines, 'match', (engine) => {
  const service = useService(engine, { limits: { guessDelayMs: 0 } });
  const seen: MatchQuery[] = [];
  before(async () => {
    await importCompanies(service, [
      company('00000001', 'ALPHA HOLDINGS LTD'),
      company('00000002', 'BETA ONE LTD'),
      company('00000003', 'BETA TWO LTD'),
    ]);
    useSimpleMatcher(service, (query) => {
      seen.push(query);
      return query.name === 'breaks' ? new Error('a bug of ours') : undefined;
    });
  });
  beforeEach(() => {
    seen.length = 0;
    service.clock.advance(60_000);
  });

  const { newKey, usedBy, leave } = useKeys(() => service);
  const post = (body: unknown, { key }: { key: string }, headers: Record<string, string> = {}) =>
    service.client.request('POST', PATH, {
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const list = (names: readonly string[]) => ({ queries: names.map((name) => ({ name })) });

  test('a list whose client has gone stops, and costs what was matched', async (t) => {
    const { matcher } = service.services;
    const match = matcher.match.bind(matcher);
    const names = Array.from({ length: 40 }, () => 'alpha');
    const named = names.map((query, at) => [at, { query }]);
    const form = `queries=${encodeURIComponent(JSON.stringify(Object.fromEntries(named)))}`;
    for (const [path, type, body] of [
      [PATH, 'application/json', JSON.stringify(list(names))],
      ['/api/v1/reconcile', 'application/x-www-form-urlencoded', form],
    ] as const) {
      const owner = await newKey();
      const client = connect(Number(new URL(service.url).port), '127.0.0.1');
      const [socket] = (await once(service.app.server, 'connection')) as [Socket];
      let asked = 0;
      t.mock.method(matcher, 'match', async (...given: Parameters<typeof match>) => {
        if (++asked === 10) client.destroy();
        if (asked >= 10) await until('the server notices', () => socket.destroyed);
        return match(...given);
      });
      const headers = `Host: x\r\nX-API-Key: ${owner.key}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}`;
      client.write(`POST ${path} HTTP/1.1\r\n${headers}\r\n\r\n${body}`);
      await until('the server has noticed', () => asked >= 10 && socket.destroyed);
      await service.executor.whenDelivered();
      t.mock.restoreAll();
      assert.ok(asked >= 10 && asked < 20, `${path}: ${asked} queries were matched`);
      assert.equal(await usedBy(owner), asked, path);
    }
  });

  test('one query: the company with score and reasons, version, tag; HEAD and 304 as for other data', async () => {
    const owner = await newKey();
    const headers = { 'x-api-key': owner.key };
    const reply = await service.client.get(`${PATH}?name=alpha&country=gb`, { headers });
    assert.equal(reply.status, 200);
    const { status, candidates, bounded, text } = reply.body.data;
    assert.deepEqual([status, bounded, typeof text, candidates.length], ['match', false, 'string', 1]);
    assert.deepEqual([candidates[0].entity.registrationNumber, candidates[0].match], ['00000001', true]);
    assert.ok(candidates[0].score > 0 && candidates[0].score <= 1 && candidates[0].reasons.length > 0);
    assert.equal(seen[0]?.country, 'GB');
    const search = await service.client.get('/api/v1/entities?q=alpha', { headers });
    assert.equal(reply.headers.get('x-data-version'), search.headers.get('x-data-version'));
    const etag = reply.headers.get('etag') ?? '';
    const known = await service.client.get(`${PATH}?name=alpha&country=gb`, {
      headers: { ...headers, 'if-none-match': etag },
    });
    assert.deepEqual([known.status, known.headers.get('etag')], [304, etag]);
    const head = await service.client.request('HEAD', `${PATH}?name=alpha&country=gb`, { headers });
    assert.deepEqual([head.status, head.headers.get('etag')], [200, etag]);
    assert.equal(await usedBy(owner), 3, 'two matches and a search; 304 is free');
  });

  test('invalid parameters cost nothing and say what to change', async () => {
    const owner = await newKey();
    for (const [query, message] of [
      ['', /"name" is required/],
      ['?name=', /"name" must not be empty/],
      ['?name=%20%20', /must not be blank/],
      ['?name=a&limit=21', /"limit" must be an integer from 1 to 20/],
      ['?name=a&registeredAt=yesterday', /a year, a month or a day/],
      ['?name=a&naem=b', /did you mean "name"/],
    ] as const) {
      const { status, body } = await service.client.get(PATH + query, { headers: { 'x-api-key': owner.key } });
      assert.deepEqual([status, body.error.code], [400, 'invalid_request'], query);
      assert.match(body.error.message, message);
    }
    assert.equal(await usedBy(owner), 0);
    assert.equal(seen.length, 0);
  });

  test('a list is answered in order, each query for one request, and counts once in the rate window', async () => {
    const owner = await newKey();
    const names = ['beta', 'alpha', 'nothing like it', 'BETA TWO', 'alpha'];
    const reply = await post(list(names), owner);
    assert.equal(reply.status, 200);
    assert.deepEqual(codesOf(reply.body.data), ['ambiguous', 'match', 'none', 'match', 'match']);
    assert.deepEqual(reply.body.data[3].candidates[0].entity.canonicalName, 'BETA TWO LTD');
    assert.deepEqual(reply.body.meta, { units: 5 });
    const { plan } = owner.caller;
    assert.equal(reply.headers.get('x-monthly-quota-remaining'), String(plan.monthlyRequests - 5));
    assert.equal(reply.headers.get('x-ratelimit-remaining'), String(plan.requestsPerMinute - 1));
    assert.equal(reply.headers.get('cache-control'), 'private, no-cache');
    const one = await service.client.get(`${PATH}?name=alpha`, { headers: { 'x-api-key': owner.key } });
    assert.equal(reply.headers.get('x-data-version'), one.headers.get('x-data-version'));
    assert.deepEqual(reply.body.data[1], one.body.data);
    assert.equal(await usedBy(owner), 6);
  });

  test('a query that is invalid or fails has its own error, costs nothing and does not affect the others', async () => {
    const owner = await newKey();
    const queries = [
      { name: 'alpha' },
      { name: 'x'.repeat(10_001) },
      { name: 'alpha', limit: 0 },
      invalid(7),
      'alpha',
      null,
      { name: 'breaks' },
      { name: ' ' },
      { name: 'alpha', postcod: 'x' },
      { name: 'alpha', limit: 20 },
      { name: 'x'.repeat(10_000) },
    ];
    const { status, body, headers } = await post({ queries }, owner);
    assert.equal(status, 200);
    const bad = 'invalid_request';
    const expected = ['match', bad, bad, bad, bad, bad, 'internal_error', bad, bad, 'match', 'none'];
    assert.deepEqual(codesOf(body.data), expected);
    assert.match(body.data[1].error.message, /"name" has 10001 characters; the maximum is 10000/);
    assert.match(body.data[8].error.message, /did you mean "postcode"/);
    for (const { error } of body.data.filter((each: { error?: object }) => each.error !== undefined)) {
      assert.equal(error.requestId, headers.get('x-request-id'));
      assert.ok(error.docs.endsWith(`/docs/errors/${error.code}`));
    }
    assert.ok(!body.data[6].error.message.includes('a bug of ours'), 'the cause is not public');
    assert.ok(service.logLines.some((line) => line.includes('a bug of ours')));
    assert.equal(body.meta.units, 3);
    assert.equal(headers.get('x-monthly-quota-remaining'), String(owner.caller.plan.monthlyRequests - 3));
    assert.equal(await usedBy(owner), 3);
  });

  test('a list of invalid queries is free, even without quota', async () => {
    const owner = await newKey();
    await leave(owner, 0);
    const { status, body } = await post({ queries: [invalid(''), invalid(1)] }, owner);
    assert.deepEqual([status, codesOf(body.data)], [200, ['invalid_request', 'invalid_request']]);
    assert.equal(await usedBy(owner), owner.caller.plan.monthlyRequests);
  });

  test('a body that is not such a list is 400, and costs nothing but its place in the rate window', async () => {
    const owner = await newKey();
    const many = { queries: Array.from({ length: 101 }, () => ({ name: 'alpha' })) };
    const bodies = [{}, [], { queries: [] }, { queries: 'alpha' }, many, { queries: [{}], more: 1 }, 'not JSON', '7'];
    for (const body of bodies) {
      const reply = await post(body, owner);
      assert.deepEqual([reply.status, reply.body.error.code], [400, 'invalid_request'], JSON.stringify(body));
    }
    assert.match((await post(many, owner)).body.error.message, /"queries" must be a list of 1 to 100 queries/);
    assert.equal((await post('name=alpha', owner, { 'content-type': 'text/plain' })).status, 415);
    const large = await post(list(['x'.repeat(2 * 1024 * 1024)]), owner);
    assert.deepEqual([large.status, large.body.error.code], [413, 'payload_too_large']);
    const last = await post(list(['alpha']), owner);
    const counted = bodies.length + 4;
    assert.equal(last.headers.get('x-ratelimit-remaining'), String(owner.caller.plan.requestsPerMinute - counted));
    assert.equal(await usedBy(owner), 1);
    assert.equal(seen.length, 1);
  });

  test('if no query can be answered for now, the whole list is 503 and refunded', async () => {
    const owner = await newKey();
    const { match } = service.services.matcher;
    Object.assign(service.services.matcher, {
      match: () => Promise.reject(fail('service_unavailable', { retryAfter: 1 })),
    });
    const reply = await post({ queries: [{ name: 'alpha' }, { name: '' }, { name: 'beta' }] }, owner);
    Object.assign(service.services.matcher, { match });
    assert.deepEqual([reply.status, reply.body.error.code], [503, 'service_unavailable']);
    assert.equal(reply.headers.get('retry-after'), '1');
    assert.equal(await usedBy(owner), 0);
  });
});
