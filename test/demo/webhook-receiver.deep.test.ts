import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RECEIVER, registerWebhookReceiver } from '../../demo/webhook-receiver.ts';
import { createWebhookSecret, signMessage } from '../../src/watch/webhooks/secrets.ts';
import { testClock } from '../harness/clock.ts';
import { createPlainApp } from '../harness/plain-app.ts';

test('the receiver of the demo accepts what is signed with a secret that it knows, and shows everything as text', async (t) => {
  const clock = testClock();
  const app = createPlainApp();
  registerWebhookReceiver(app, { clock });
  const url = (await app.listen({ host: '127.0.0.1', port: 0 })) + RECEIVER;
  t.after(() => app.close());
  const request = async (path: string, init: RequestInit = {}) => {
    const reply = await fetch(url + path, { redirect: 'manual', ...init });
    return { status: reply.status, body: await reply.text() };
  };
  const secret = createWebhookSecret();
  const send = (id: string, { body = '{}', age = 0, used = secret } = {}) => {
    const timestamp = Math.floor(clock.now() / 1_000) - age;
    const signature = signMessage({ id, timestamp, body }, [createWebhookSecret(), used]);
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signature,
    };
    return request('', { method: 'POST', headers, body });
  };
  const open = async () => (await request('')).body;
  assert.match(await open(), /Nothing has arrived yet/);
  const early = await send('early');
  assert.equal(early.status, 400);
  assert.match(early.body, /enter the secret at \/demo\/webhooks\/secret/);

  const giveSecret = (text: string) => {
    return request('/secret', { method: 'POST', body: new URLSearchParams({ secret: text }) });
  };
  assert.match((await giveSecret('<b>mine')).body, /This is not a secret/);
  assert.equal((await giveSecret(` ${secret}\n`)).status, 303);
  const after = { canonicalName: '<script>alert(1)</script>' };
  const body = JSON.stringify({ type: 'entity.changed', data: { entityId: '"><b>', after } });
  assert.equal((await send('one', { body })).status, 204);
  assert.equal((await send('one', { body })).status, 204);
  assert.equal((await send('old', { age: 301 })).status, 400);
  assert.equal((await send('foreign', { used: createWebhookSecret() })).status, 400);
  assert.equal((await request('', { method: 'POST', body: 'x' })).status, 400);
  assert.equal((await send('large', { body: 'x'.repeat(70_000) })).status, 413);
  const page = await open();
  assert.equal(page.match(/badge good">verified/g)?.length, 2);
  assert.equal(page.match(/badge bad">wrong/g)?.length, 4);
  assert.equal(page.match(/ repeated/g)?.length, 1);
  assert.ok(page.includes('&lt;script&gt;alert(1)&lt;/script&gt;') && !page.includes('<script>alert'));
  assert.ok(!page.includes('"><b>'));
  for (let count = 0; count < 60; count++) await send(`many ${count}`);
  assert.equal((await open()).match(/badge good/g)?.length, 50);
});
