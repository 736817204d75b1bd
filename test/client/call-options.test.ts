import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import {
  type CallOptions,
  type Client,
  ConnectionFailed,
  createClient,
  DeadlineExceeded,
  Unavailable,
} from '../../clients/typescript/src/index.ts';
import { type Answer, sendError, startScript } from './scripted-server.ts';

/** Every way to make a request. Each takes the same options. */
const FORMS: Readonly<Record<string, (client: Client, options: CallOptions) => Promise<unknown>>> = {
  'an operation without an argument': (client, options) => client.listPlans(options),
  'an operation with an argument': (client, options) => client.searchEntities({ q: 'x' }, options),
  HEAD: (client, options) => client.listCountriesHead(options),
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
