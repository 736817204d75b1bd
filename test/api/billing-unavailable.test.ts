import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { startService, type TestService } from '../harness/service.ts';

const CHECKOUT = '/api/v1/billing/checkout';
const PORTAL = '/api/v1/billing/portal';

describe('503 billing_unavailable when the provider cannot be used', () => {
  /** Starts a provider that gives this response to every request. */
  async function withProvider(
    answer: Parameters<typeof createServer>[1],
    work: (service: TestService) => Promise<void>,
  ) {
    const server: Server = createServer(answer ?? (() => undefined));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const env = {
      STRIPE_SECRET_KEY: 'sk_test_very_secret_indeed',
      STRIPE_API_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    };
    const providerLimits = { providerTimeoutMs: 200, pageTimeoutMs: 900 };
    await using service = await startService('sqlite', { env, providerLimits });
    await work(service).finally(() => {
      server.closeAllConnections();
      server.close();
    });
  }

  /** Returns the messages of checkout and portal. */
  async function assertUnavailable(service: TestService): Promise<string[]> {
    const { headers } = await service.signIn({ plan: 'free' });
    const messages: string[] = [];
    for (const [path, body] of [
      [CHECKOUT, JSON.stringify({ plan: 'pro' })],
      [PORTAL, '{}'],
    ] as const) {
      const init = { headers: { ...headers, 'content-type': 'application/json' }, body };
      const reply = await service.client.request('POST', path, init);
      assert.deepEqual([reply.status, reply.body.error.code], [503, 'billing_unavailable'], path);
      // A retry helps if the provider is down, and not if it is not configured.
      const isConfigured = reply.body.error.message !== NOT_CONFIGURED;
      assert.equal(Number(reply.headers.get('retry-after')) >= 1, isConfigured, 'Retry-After');
      messages.push(reply.body.error.message);
    }
    const log = service.logLines.join('');
    assert.ok(!log.includes('very_secret'), 'the secret key is not logged');
    return messages;
  }

  const NOT_CONFIGURED = 'Billing is not configured on this server: ask its operator to set it up.';
  const NOT_AVAILABLE = 'Billing is not available at the moment: try again shortly.';

  for (const [title, env] of Object.entries({
    'without a secret key': {},
    'without a secret key and prices': { STRIPE_PRICE_PRO: '', STRIPE_PRICE_BUSINESS: '' },
    'without any setting': { STRIPE_PRICE_PRO: '', STRIPE_PRICE_BUSINESS: '', STRIPE_WEBHOOK_SECRET: '' },
  })) {
    test(`${title}, checkout and portal say the same`, async () => {
      await using service = await startService('sqlite', { env });
      assert.deepEqual(await assertUnavailable(service), [NOT_CONFIGURED, NOT_CONFIGURED]);
      // What the operator has left out is not an error.
      const log = service.logLines.map((line) => JSON.parse(line));
      const lines = log.filter(({ msg }) => msg?.startsWith('billing_unavailable'));
      assert.ok(lines.length > 0);
      for (const line of lines) assert.deepEqual([line.level, line.err], [40, undefined]);
      assert.doesNotMatch(service.logLines.join(''), /"level":50/);
    });
  }

  test('the plan has no price: only checkout is not configured', async () => {
    await using service = await startService('sqlite', {
      env: { STRIPE_SECRET_KEY: 'sk_test_x', STRIPE_PRICE_PRO: '', STRIPE_API_URL: 'http://127.0.0.1:1' },
    });
    assert.deepEqual(await assertUnavailable(service), [NOT_CONFIGURED, NOT_AVAILABLE]);
    assert.match(service.logLines.join(''), /no price of pro is configured/);
  });

  test('the provider is down', async () => {
    await using service = await startService('sqlite', {
      env: { STRIPE_SECRET_KEY: 'sk_test_very_secret_indeed', STRIPE_API_URL: 'http://127.0.0.1:1' },
    });
    await assertUnavailable(service);
  });

  const answers: Record<string, Parameters<typeof createServer>[1]> = {
    'never responds': () => undefined,
    'hangs up': (request) => request.socket.destroy(),
    'responds with 500': (_request, response) => response.writeHead(500).end('{"error":{"type":"api_error"}}'),
    'rejects the key': (_request, response) =>
      response
        .writeHead(401, { 'content-type': 'application/json' })
        .end(
          '{"error":{"type":"invalid_request_error","message":"Invalid API Key provided: sk_test_very_secret_indeed"}}',
        ),
    'responds with HTML': (_request, response) => response.writeHead(200).end('<html>maintenance</html>'),
    'responds with another object': (_request, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"id":"cus_1","object":"customer","data":[]}'),
    'returns a URL that is not a web page': (_request, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"id":"cus_1","object":"x","data":[],"url":"javascript:alert(1)"}'),
  };
  for (const [title, answer] of Object.entries(answers)) {
    test(`a provider that ${title}`, () =>
      withProvider(answer, async (service) => {
        assert.deepEqual(await assertUnavailable(service), [NOT_AVAILABLE, NOT_AVAILABLE]);
      }));
  }
});
