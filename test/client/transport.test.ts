import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import {
  ApiError,
  type CallOptions,
  type Client,
  type ClientOptions,
  ConnectionFailed,
  createClient,
  DeadlineExceeded,
  InternalError,
  NotFound,
  QuotaExceeded,
  RateLimited,
  Unavailable,
} from '../../clients/typescript/src/index.ts';
import { type Answer, sendError, sendJson, startScript } from './scripted-server.ts';

const PLANS = { data: [], meta: { count: 0 } };
const COUNTRIES = { data: [], meta: { count: 0 } };
const impatient = { backoff: 1, key: 'frm_test_key', session: 'session-token' };

async function withServer(
  answer: Answer,
  use: (client: ReturnType<typeof createClient>, requests: readonly { method: string }[]) => Promise<void>,
  options: Partial<ClientOptions> = {},
): Promise<void> {
  await using server = await startScript(answer);
  await use(createClient({ url: server.url, ...impatient, ...options }), server.requests);
}

describe('retries of the TypeScript client', () => {
  test('a safe call gets through 429, 503, gateway errors, resets, cut bodies and cut JSON', async () => {
    const faults: Answer[] = [
      (response) => sendError(response, 429, 'rate_limit_exceeded', { 'retry-after': '0' }),
      (response) => sendError(response, 503, 'service_unavailable', { 'retry-after': '0' }),
      (response) => response.writeHead(503).end('<html>busy</html>'),
      (response) => response.writeHead(502).end(),
      (response) => response.writeHead(504).end(),
      (response) => sendError(response, 408, 'request_timeout'),
      (response) => response.destroy(),
      (response) => {
        response.writeHead(200, { 'content-length': '30' }).write('{"data":[');
        setTimeout(() => response.destroy(), 5);
      },
      (response) => response.writeHead(200).end('{"data":['),
      (response) => response.writeHead(200).end('<html>sign in to this network</html>'),
      (response) => {
        response.writeHead(429, { 'content-length': '999' }).write('{"error":{"code":"rate');
        setTimeout(() => response.destroy(), 5);
      },
    ];
    const answer: Answer = (response, request, count) =>
      (faults[count - 1] ?? ((last) => sendJson(last, COUNTRIES)))(response, request, count);
    await withServer(
      answer,
      async (client, requests) => {
        assert.deepEqual(await client.listCountries(), COUNTRIES);
        assert.equal(requests.length, faults.length + 1);
      },
      { attempts: faults.length + 1 },
    );
  });

  test('the number of attempts is bounded, and the last error is thrown', async () => {
    await withServer(
      (response) => sendError(response, 503, 'service_unavailable'),
      async (client, requests) => {
        await assert.rejects(client.listPlans(), Unavailable);
        assert.equal(requests.length, 5);
        await assert.rejects(client.listPlans({ attempts: 1 }), Unavailable);
        assert.equal(requests.length, 6);
      },
    );
    await assert.rejects(createClient({ url: 'http://127.0.0.1:1', backoff: 1 }).listPlans(), ConnectionFailed);
    const wrong: CallOptions = JSON.parse('{"timout":1}');
    const meant = /no option "timout": did you mean "timeout"\?/;
    assert.throws(() => createClient({ url: 'http://x.test', ...wrong }), meant);
    await assert.rejects(createClient({ url: 'http://x.test' }).listPlans(wrong), meant);
  });

  test('an exhausted quota, errors of the caller and internal errors are not retried', async () => {
    const cases = [
      [429, 'monthly_quota_exceeded', QuotaExceeded],
      [500, 'internal_error', InternalError],
      [404, 'not_found', NotFound],
      [418, 'a_code_of_the_future', ApiError],
    ] as const;
    for (const [status, code, expected] of cases) {
      await withServer(
        (response) => sendError(response, status, code, { 'retry-after': '0' }),
        async (client, requests) => {
          await assert.rejects(client.listCountries(), (error) => error instanceof expected && error.code === code);
          assert.equal(requests.length, 1);
        },
      );
    }
  });

  test('calls that change something are sent once', async () => {
    const faults: Answer[] = [
      (response) => sendError(response, 503, 'service_unavailable', { 'retry-after': '0' }),
      (response) => response.destroy(),
    ];
    for (const fault of faults) {
      await withServer(fault, async (client, requests) => {
        const expected = (error: unknown) => error instanceof Unavailable || error instanceof ConnectionFailed;
        await assert.rejects(client.revokeApiKey({ id: '8cfb7733-0cb1-511b-8310-bbbf2455fb10' }), expected);
        await assert.rejects(client.createPortal(), expected);
        assert.deepEqual(
          requests.map(({ method }) => method),
          ['DELETE', 'POST'],
        );
      });
    }
  });

  test('a wait that does not fit the deadline is not begun', async () => {
    const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();
    for (const wait of ['3600', inAnHour]) {
      await withServer(
        (response) => sendError(response, 429, 'rate_limit_exceeded', { 'retry-after': wait }),
        async (client, requests) => {
          const isRight = (error: unknown) => error instanceof RateLimited && Number(error.retryAfter) > 3_500;
          await assert.rejects(client.listCountries(), isRight);
          assert.equal(requests.length, 1);
        },
      );
    }
  });

  test('a reply that stalls is given up after timeout, and the call after deadline', async () => {
    const stall: Answer = (response) => void response.writeHead(200).write('{"data"');
    await withServer(
      (response, request, count) => (count < 3 ? stall(response, request, count) : sendJson(response, PLANS)),
      async (client) => assert.deepEqual(await client.listPlans({ timeout: 500, attempts: 50 }), PLANS),
      { deadline: 600_000 },
    );
    await withServer(stall, async (client) => {
      await assert.rejects(client.listPlans({ deadline: 100 }), DeadlineExceeded);
      await assert.rejects(client.listPlans({ timeout: 20, attempts: 2 }), ConnectionFailed);
      await assert.rejects(client.listPlans({ timeout: Number.POSITIVE_INFINITY, deadline: 100 }), DeadlineExceeded);
    });
  });
});

/** Every way to make a request. Each takes the same options. */
const FORMS: Readonly<Record<string, (client: Client, options: CallOptions) => Promise<unknown>>> = {
  'an operation without an argument': (client, options) => client.listPlans(options),
  'an operation with an argument': (client, options) => client.searchEntities({ q: 'x' }, options),
  'a file': (client, options) => client.downloadExport({ generation: 'latest', path: 'manifest.json' }, options),
  open: (client, options) => client.open('searchEntities', { page: 'all' }, options),
  'entities.get': (client, options) => client.entities.get('8cfb7733-0cb1-511b-8310-bbbf2455fb10', options),
  'entities.search': (client, options) => client.entities.search({}, options).next(),
  'changes.follow': (client, options) => client.changes.follow({ wait: 0 }, options).next(),
  'changes.followPages': (client, options) => client.changes.followPages({ wait: 0 }, options).next(),
  'changes.read': (client, options) => client.changes.read({}, options).next(),
  'changes.now': (client, options) => client.changes.now(options),
};

const silent: Answer = () => undefined;
const busy: Answer = (response) => sendError(response, 503, 'service_unavailable', { 'retry-after': '0' });

for (const [form, call] of Object.entries(FORMS)) {
  describe(`options of a call: ${form}`, () => {
    // What the options replace. If one is ignored, the message names the wrong limit, or more requests are sent.
    const usual = { backoff: 1, key: 'frm_test_key', attempts: 3, timeout: 5_000, deadline: 10_000 };

    test('attempts', async () => {
      await using server = await startScript(busy);
      const client = createClient({ url: server.url, ...usual, timeout: 60_000, deadline: 60_000 });
      await assert.rejects(call(client, {}), Unavailable);
      assert.equal(server.requests.length, 3);
      await assert.rejects(call(client, { attempts: 1 }), Unavailable);
      assert.equal(server.requests.length, 4);
    });

    test('timeout and deadline', async () => {
      await using server = await startScript(silent);
      const client = createClient({ url: server.url, ...usual });
      await assert.rejects(
        call(client, { timeout: 20, attempts: 2 }),
        (error) => error instanceof ConnectionFailed && error.message.includes(' 20 ms'),
      );
      await assert.rejects(
        call(client, { deadline: 30 }),
        (error) => error instanceof DeadlineExceeded && error.message.includes(' 30 ms'),
      );
    });

    test('signal: before the request, during it, and between two attempts', async () => {
      const reason = new Error('enough');
      const patient = { ...usual, timeout: 20_000, deadline: 60_000 };
      const late: Answer = (response) => sendError(response, 503, 'service_unavailable', { 'retry-after': '20' });
      for (const answer of [silent, late]) {
        const controller = new AbortController();
        await using server = await startScript((response, request, count) => {
          answer(response, request, count);
          // With `late`, after the client has read the reply.
          setTimeout(() => controller.abort(reason), 20);
        });
        const client = createClient({ url: server.url, ...patient });
        await assert.rejects(call(client, { signal: controller.signal }), reason);
        await assert.rejects(call(client, { signal: controller.signal }), reason);
        assert.equal(server.requests.length, 1, 'a request was sent after the signal');
      }
    });

    test('headers', async () => {
      await using server = await startScript(busy);
      const client = createClient({ url: server.url, ...usual, attempts: 1 });
      await assert.rejects(call(client, { headers: { 'X-Request-Id': 'mine' } }), Unavailable);
      assert.equal(server.requests[0]?.headers['x-request-id'], 'mine');
    });
  });
}

describe('the body of an open reply', () => {
  test('is ended by the signal, with its reason', async () => {
    const reason = new Error('enough');
    const controller = new AbortController();
    await using server = await startScript((response) => void response.writeHead(200).write('first'));
    const client = createClient({ url: server.url });
    const { body } = await client.open('listPlans', {}, { signal: controller.signal });
    const reader = (body ?? assert.fail()).getReader();
    assert.equal(new TextDecoder().decode((await reader.read()).value), 'first');
    controller.abort(reason);
    await assert.rejects(reader.read(), reason);
  });

  test('is not ended by time limits', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      let sent: AbortSignal | null | undefined;
      const client = createClient({
        url: 'http://127.0.0.1:1',
        fetch: async (_url, init) => {
          sent = init?.signal;
          return new Response('body');
        },
      });
      const response = await client.open('listPlans', {}, { timeout: 50, deadline: 100 });
      mock.timers.tick(1_000_000);
      assert.equal(sent?.aborted, false);
      assert.equal(await response.text(), 'body');
    } finally {
      mock.timers.reset();
    }
  });
});

test('following from now misses no change when the reply with it is lost', async () => {
  const page = (ids: readonly string[], nextCursor: string) => ({
    data: ids.map((entityId) => ({ entityId, cursor: nextCursor })),
    meta: { nextCursor, hasMore: false, oldest: 'c0' },
  });
  await using server = await startScript((response, { url }, count) => {
    const { searchParams } = new URL(url ?? '', 'http://x.test');
    const cursor = searchParams.get('cursor');
    if (cursor === 'now') sendJson(response, page([], `c${count}`));
    else if (count === 2) response.destroy();
    else sendJson(response, page(cursor === 'c1' ? ['first'] : [], 'c9'));
  });
  const { changes } = createClient({ url: server.url, key: 'k', backoff: 1 });
  for await (const { entityId } of changes.follow({ cursor: 'now' })) {
    assert.equal(entityId, 'first');
    break;
  }
  assert.deepEqual(
    server.requests.map(({ url }) => new URL(url, server.url).searchParams.get('cursor')),
    ['now', 'c1', 'c1'],
  );
});

test('an idle feed that does not wait is asked again only after a pause', async () => {
  await using server = await startScript((response) =>
    sendJson(response, { data: [], meta: { nextCursor: 'c1', hasMore: false, oldest: 'c0' } }),
  );
  const { changes } = createClient({ url: server.url, key: 'k', backoff: 50 });
  const startedAt = performance.now();
  let pages = 0;
  for await (const { data } of changes.followPages({ cursor: 'c1' })) {
    assert.equal(data.length, 0);
    if (++pages === 3) break;
  }
  // Two pauses of four times `backoff`; timers may be early by a millisecond.
  assert.ok(performance.now() - startedAt >= 395);
  assert.equal(server.requests.length, 3);
});
