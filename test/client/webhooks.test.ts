import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { createClient } from '../../clients/typescript/src/client.ts';
import { InvalidWebhook, verifyWebhook } from '../../clients/typescript/src/webhooks.ts';
import { createWebhookSecret, signMessage } from '../../src/webhooks/signature.ts';
import { startService } from '../harness/service.ts';

const secret = createWebhookSecret();
const body = JSON.stringify({ type: 'entity.changed', timestamp: '2026-03-15T12:00:00Z', data: { entityId: 'ä' } });

function sign(more: { id?: string; secrets?: string[]; age?: number } = {}): Record<string, string> {
  const { id = 'msg_1', secrets = [secret], age = 0 } = more;
  const timestamp = Math.floor(Date.now() / 1_000) - age;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signMessage({ id, timestamp, body }, secrets),
  };
}

test('it accepts what the official package accepts, as text, bytes and Headers, also during a rotation', async () => {
  const other = createWebhookSecret();
  for (const headers of [sign(), sign({ secrets: [other, secret] }), sign({ age: 290 }), sign({ age: -290 })]) {
    const expected = new Webhook(secret).verify(body, headers);
    assert.deepEqual(await verifyWebhook(headers, body, secret), expected);
    assert.deepEqual(await verifyWebhook(new Headers(headers), Buffer.from(body), secret), expected);
  }
  const timestamp = new Date();
  const theirs = { 'webhook-id': 'msg_2', 'webhook-timestamp': String(Math.floor(timestamp.getTime() / 1_000)) };
  const signature = new Webhook(secret).sign('msg_2', timestamp, body);
  assert.ok(await verifyWebhook({ ...theirs, 'webhook-signature': signature }, body, secret));
});

test('it refuses what is not signed, changed, too old, or signed with another secret', async () => {
  const good = sign();
  const bad: [Record<string, string>, string, string][] = [
    [{}, body, secret],
    [{ ...good, 'webhook-id': 'msg_2' }, body, secret],
    [{ ...good, 'webhook-timestamp': String(Number(good['webhook-timestamp']) + 1) }, body, secret],
    [{ ...good, 'webhook-timestamp': 'now' }, body, secret],
    [{ ...good, 'webhook-signature': '' }, body, secret],
    [{ ...good, 'webhook-signature': 'v1,' }, body, secret],
    [{ ...good, 'webhook-signature': 'v1,not base64!' }, body, secret],
    [{ ...good, 'webhook-signature': String(good['webhook-signature']).replace('v1', 'v1a') }, body, secret],
    [good, `${body} `, secret],
    [good, body, createWebhookSecret()],
    [sign({ age: 400 }), body, secret],
    [sign({ age: -400 }), body, secret],
  ];
  for (const [headers, text, key] of bad) await assert.rejects(verifyWebhook(headers, text, key), InvalidWebhook);
  await assert.rejects(verifyWebhook(good, body, ''), TypeError);
});

test('client.webhookEndpoints creates, changes, rotates, tests, replays, lists and deletes', async () => {
  await using service = await startService('sqlite');
  const { headers } = await service.signIn({ plan: 'pro' });
  const send: typeof fetch = (url, init) => fetch(url, { ...init, headers: { ...Object(init?.headers), ...headers } });
  const { webhookEndpoints } = createClient({ url: service.url, fetch: send });
  const created = await webhookEndpoints.create({ url: 'https://example.com/' });
  assert.match(created.secret, /^whsec_/);
  const { secret: _, ...endpoint } = created;
  assert.deepEqual(await webhookEndpoints.list(), [endpoint]);
  const paused = await webhookEndpoints.update(created.id, { enabled: false });
  assert.deepEqual(paused, await webhookEndpoints.get(created.id));
  assert.notEqual((await webhookEndpoints.rotate(created.id)).secret, created.secret);
  await webhookEndpoints.update(created.id, { enabled: true });
  const sent = [];
  for (let index = 0; index < 3; index++) sent.push((await webhookEndpoints.test(created.id)).id);
  const listed = [];
  for await (const { id } of webhookEndpoints.deliveries(created.id)) listed.push(id);
  assert.deepEqual(listed.toSorted(), sent.toSorted());
  assert.equal((await webhookEndpoints.replay(created.id)).id, created.id);
  await webhookEndpoints.delete(created.id);
  assert.deepEqual(await webhookEndpoints.list(), []);
});
