import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  ApiError,
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
    // The reply to HEAD has no body, so the headers have to say which limit it is.
    await withServer(
      (response) => response.writeHead(429, { 'x-monthly-quota-remaining': '0', 'retry-after': '0' }).end(),
      async (client, requests) => {
        await assert.rejects(client.listCountriesHead(), QuotaExceeded);
        assert.equal(requests.length, 1);
      },
    );
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
        await assert.rejects(client.receivePaymentEvent({ id: 'evt_1', type: 'x', created: 1 }), expected);
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

  test('a signal ends a request, a wait and a search with its own reason', async () => {
    const reason = new Error('enough');
    const stall: Answer = (response) => void response.writeHead(200).write('{');
    const busy: Answer = (response) => sendError(response, 503, 'service_unavailable', { 'retry-after': '50' });
    for (const answer of [stall, busy]) {
      const controller = new AbortController();
      await withServer(
        (response, request, count) => {
          answer(response, request, count);
          setTimeout(() => controller.abort(reason), 50);
        },
        async (client) => {
          const { signal } = controller;
          await assert.rejects(client.listPlans({ signal }), reason);
          await assert.rejects(client.entities.search({}, { signal }).next(), reason);
          await assert.rejects(client.changes.follow({}, { signal }).next(), reason);
        },
      );
    }
  });
});
