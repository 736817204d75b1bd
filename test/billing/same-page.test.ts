import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sendJson, startHostile } from '../attack/hostile-server.ts';
import { startService } from '../harness/service.ts';

/** 2100-01-01 */
const FAR_AWAY = 4_102_444_800;

/** Like Stripe, it refuses a request while another one with the same idempotency key is in progress, and repeats its answer afterwards. */
async function startProvider() {
  const answers = new Map<string, object>();
  const inProgress = new Set<string>();
  const refused = Promise.withResolvers<void>();
  let pages = 0;
  const server = await startHostile(async (request, response) => {
    const key = String(request.headers['idempotency-key']);
    if (request.method === 'GET') return sendJson(response, { object: 'list', data: [], has_more: false });
    if (request.url?.endsWith('/customers')) return sendJson(response, { id: 'cus_1', object: 'customer' });
    if (inProgress.has(key)) {
      refused.resolve();
      const error = { type: 'idempotency_error', code: 'idempotency_key_in_use', message: 'in progress' };
      return sendJson(response, { error }, 409);
    }
    if (!answers.has(key)) {
      inProgress.add(key);
      await refused.promise;
      inProgress.delete(key);
      answers.set(key, { object: 'checkout.session', url: `https://pay.test/${++pages}`, expires_at: FAR_AWAY });
    }
    sendJson(response, answers.get(key));
  });
  return Object.assign(server, { countPages: () => pages });
}

test('two servers that ask the provider at the same time, with one Idempotency-Key, get one page', async () => {
  await using provider = await startProvider();
  const env = { STRIPE_SECRET_KEY: 'sk_test_x', STRIPE_API_URL: provider.url, PUBLIC_URL: 'http://127.0.0.1' };
  await using first = await startService('postgres', { env });
  const database = { ...first.database, remove: async () => undefined };
  await using second = await startService('postgres', { env, database, clock: first.clock });
  const session = await first.signIn({ plan: 'free' });
  const headers = { ...session.headers, 'content-type': 'application/json', 'idempotency-key': randomUUID() };
  const replies = await Promise.all(
    [first, second].map(({ client }) =>
      client.request('POST', '/api/v1/billing/checkout', { headers, body: '{"plan":"pro"}' }),
    ),
  );
  for (const { status, text, body } of replies) assert.equal(body.data?.url, 'https://pay.test/1', `${status} ${text}`);
  assert.equal(provider.countPages(), 1);
  const replayed = replies.filter((reply) => reply.headers.get('idempotent-replayed') === 'true');
  assert.equal(replayed.length, 1, 'the reply of one server is stored, and the other one repeats it');
});
