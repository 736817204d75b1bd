import assert from 'node:assert/strict';
import { before, beforeEach, describe, test } from 'node:test';
import {
  ConnectionFailed,
  createClient,
  IdempotencyKeyReused,
  InsufficientQuota,
  InvalidRequest,
  type MatchQuery,
} from '../../clients/typescript/src/index.ts';
import { importCompanies } from '../harness/entities.ts';
import { useService } from '../harness/shared-service.ts';
import { until } from '../harness/until.ts';
import { useSimpleMatcher } from '../reconciliation/simple-matcher.ts';
import { company } from '../registry/gb-file.ts';
import { useFaultProxy } from './fault-proxy.ts';

const numbered = (at: number) => `ACME N${at}N LTD`;

describe('matching with the TypeScript client', () => {
  const service = useService('sqlite');
  const proxy = useFaultProxy(service);
  before(async () => {
    await importCompanies(
      service,
      Array.from({ length: 260 }, (_, at) => company(`${10_000_000 + at}`, numbered(at))),
    );
    useSimpleMatcher(service);
  });
  beforeEach(() => {
    proxy.requests.length = 0;
    service.clock.advance(60_000);
  });

  async function connect(plan: 'free' | 'business' = 'business') {
    const key = await service.createKey({ plan });
    const caller = (await service.services.apiKeys.findKey(key)) ?? assert.fail('the key is not found');
    const used = async () => (await service.services.meter.readUsage(caller)).used;
    return { client: createClient({ url: proxy.url, key, backoff: 1 }), used, caller };
  }

  test('one query gives an answer or throws its error', async () => {
    const { client, used } = await connect();
    const answer = await client.match({ name: numbered(7), country: 'gb' });
    assert.deepEqual([answer.status, answer.candidates[0]?.entity.canonicalName], ['match', numbered(7)]);
    assert.equal((await client.match('nothing like it')).status, 'none');
    const error = await client.match('').catch((problem) => problem);
    assert.ok(error instanceof InvalidRequest);
    assert.match(error.message, /"name" must not be empty/);
    assert.match(error.requestId ?? '', /^[0-9a-f-]{36}$/);
    assert.equal(await used(), 2);
  });

  test('a list gives what became of each query, in order', async () => {
    const { client, used } = await connect();
    const queries: MatchQuery[] = [{ name: numbered(1) }, { name: 'x', limit: 0 }, { name: 'ACME', limit: 2 }];
    const results = await client.match(queries);
    assert.deepEqual(
      results.map(({ answer, error }) => answer?.status ?? error?.code),
      ['match', 'invalid_request', 'ambiguous'],
    );
    assert.equal(results[2]?.answer?.candidates.length, 2);
    assert.ok(results.every(({ query }, at) => query === queries[at]));
    assert.equal(await used(), 2);
  });

  test('matchAll takes any iterable in lists of 100, keeps the order and reads no further than it has to', async () => {
    const { client, used } = await connect();
    let read = 0;
    async function* names() {
      for (let at = 0; at < 260; at++) {
        read++;
        yield numbered(at);
      }
    }
    const results = client.matchAll(names(), { concurrency: 2 });
    const first = await results.next();
    assert.equal(first.done, false);
    assert.equal(read, 200, 'two lists');
    const found = [first.value?.answer?.candidates[0]?.entity.canonicalName];
    for await (const { answer } of results) found.push(answer?.candidates[0]?.entity.canonicalName);
    assert.deepEqual(
      found,
      Array.from({ length: 260 }, (_, at) => numbered(at)),
    );
    assert.deepEqual([proxy.requests.length, await used()], [3, 260]);
    const none = [];
    for await (const each of client.matchAll([])) none.push(each);
    assert.deepEqual([none, proxy.requests.length], [[], 3]);
  });

  test('a loop that is left reads no more, and closes the source', async () => {
    const { client } = await connect();
    let isClosed = false;
    function* names() {
      try {
        for (let at = 0; ; at++) yield numbered(at % 260);
      } finally {
        isClosed = true;
      }
    }
    for await (const { answer } of client.matchAll(names())) if (answer?.status === 'match') break;
    assert.ok(isClosed);
    assert.equal(proxy.requests.length, 2);
  });

  test('replies that say that nothing was done are repeated, and cost nothing more', async () => {
    const { client, used } = await connect();
    proxy.faults.push('limited', 'unavailable');
    assert.equal((await client.match(numbered(1))).status, 'match');
    assert.deepEqual([proxy.requests.length, await used()], [3, 1]);
  });

  test('a request whose reply was lost is not repeated, so nothing is charged twice', async () => {
    const { client, used } = await connect();
    for (const fault of ['lost', 'cut', 'gateway'] as const) {
      proxy.faults.push(fault);
      proxy.requests.length = 0;
      await assert.rejects(client.match(numbered(1)), fault === 'gateway' ? Error : ConnectionFailed);
      assert.equal(proxy.requests.length, 1, fault);
    }
    assert.ok((await used()) <= 2);
  });

  test('a signal and an exhausted quota end the whole list', async () => {
    const { client, caller, used } = await connect('free');
    const controller = new AbortController();
    const results = client.matchAll(
      Array.from({ length: 260 }, (_, at) => numbered(at)),
      { signal: controller.signal, concurrency: 1 },
    );
    await results.next();
    controller.abort(new Error('enough'));
    const rest = async () => {
      for await (const each of results) assert.ok(each.answer);
    };
    await assert.rejects(rest(), /enough/);
    await until('the charges are settled', async () => (await used()) % 100 === 0);
    const left = caller.plan.monthlyRequests - (await used());
    await service.services.meter.takeUnits(caller, left - 1);
    await assert.rejects(client.match(['a', 'b']), InsufficientQuota);
  });
});

describe('posts of the TypeScript client through faults', () => {
  const service = useService('sqlite');
  const proxy = useFaultProxy(service);
  const connect = () => createClient({ url: proxy.url, key: 'frm_test_proxied', backoff: 0 });

  test('a request that did not arrive is sent again; two calls make two keys', async () => {
    const { headers } = await service.signIn();
    const client = connect();
    for (const name of ['first', 'second']) {
      proxy.faults.push('reset', 'unavailable', 'gateway');
      const { data } = await client.createApiKey({ name }, { headers });
      assert.equal(proxy.faults.length, 0);
      // The secret works.
      await createClient({ url: service.url, key: data.secret }).listCountries();
    }
    const { data: keys } = await client.listApiKeys({ headers });
    assert.deepEqual(keys.map(({ name }) => name).toSorted(), ['first', 'second']);
  });

  test('a key whose reply was lost is made once, and the error names it', async () => {
    const { headers } = await service.signIn();
    proxy.faults.push('lost');
    const client = connect();
    const error = await client.createApiKey({ name: 'once' }, { headers }).catch((reason: unknown) => reason);
    assert.ok(error instanceof IdempotencyKeyReused, String(error));
    const { data: keys } = await client.listApiKeys({ headers });
    assert.deepEqual(
      keys.map(({ id, name }) => [id, name]),
      [[error.resourceId, 'once']],
    );
    await client.revokeApiKey({ id: error.resourceId ?? '' }, { headers });
  });

  test('a program can choose the Idempotency-Key, to repeat a call after a restart', async () => {
    const { headers: cookie } = await service.signIn();
    const headers = { ...cookie, 'Idempotency-Key': 'b1d4c2f8-chosen-by-the-program' };
    const create = () => createClient({ url: service.url }).createApiKey({ name: 'one' }, { headers });
    const { data } = await create();
    await assert.rejects(create(), { name: 'IdempotencyKeyReused', resourceId: data.id });
  });
});
