import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { answer, ok, startReceiver } from '../webhooks/receiver.ts';

const PATH = '/dashboard/webhooks';

test('the pages create an endpoint, show deliveries with reasons, and send, rotate, disable, enable and delete', async () => {
  await using receiver = await startReceiver(answer(500, {}, '<b>broken</b>'));
  await using service = await startService('sqlite', {
    webhooks: { rules: { ports: [443], allowsLoopback: true } },
  });
  const session = await service.signIn({ plan: 'free' });
  const send = async (path: string, form?: Record<string, string>) => {
    const headers = { ...session.headers, ...(form && { 'content-type': 'application/x-www-form-urlencoded' }) };
    const init = form ? { method: 'POST', headers, body: String(new URLSearchParams(form)) } : { headers };
    const reply = await fetch(service.url + path, { ...init, redirect: 'manual' });
    return { status: reply.status, text: await reply.text(), location: reply.headers.get('location') };
  };
  assert.match((await send(PATH)).text, /0 of 1 in use/);
  const refused = await send(PATH, { url: 'https://10.0.0.1/' });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /private or reserved address/);
  const created = await send(PATH, { url: receiver.url });
  assert.equal(created.status, 200);
  const [secret] = /whsec_[A-Za-z0-9+/]{43}=/.exec(created.text) ?? [];
  assert.ok(secret !== undefined);
  assert.equal((await send(PATH, { url: receiver.url })).status, 409);
  const list = await send(PATH);
  assert.ok(!list.text.includes(secret), 'the secret is shown once');
  const [, id = ''] = /\/dashboard\/webhooks\/([0-9a-f-]{36})/.exec(list.text) ?? [];
  const page = `${PATH}/${id}`;
  assert.match((await send(page)).text, /Nothing was sent yet/);
  const monitor = await service.services.monitors.create(session.account, { name: '<b>mine', watch: [] });
  const other = await service.services.monitors.create(session.account, { name: 'other', watch: [] });
  const chosen = { action: 'save', url: receiver.url, description: '<i>it', monitors: 'some' };
  assert.equal((await send(page, { ...chosen, [`monitor:${monitor.id}`]: 'yes' })).status, 303);
  assert.match(
    (await send(page)).text,
    /<bdi>&lt;i&gt;it<\/bdi>[\s\S]*Gets the events of <a [^>]*><bdi>&lt;b&gt;mine<\/bdi><\/a>\./,
  );
  assert.match((await send(`/dashboard/monitors/${monitor.id}`)).text, new RegExp(`href="${page}"`));
  assert.match((await send(`/dashboard/monitors/${other.id}`)).text, /No endpoint gets its events/);
  assert.match((await send(page, chosen)).text, /Choose at least one monitor/);
  const unknown = { [`monitor:${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`]: 'yes' };
  assert.match((await send(page, { ...chosen, ...unknown })).text, /not a monitor of this account/);
  assert.equal((await send(page, { ...chosen, monitors: 'all' })).status, 303);
  assert.match((await send(page)).text, /Gets the events of all monitors/);
  assert.doesNotMatch(list.text, /This demo has a receiver/);

  assert.deepEqual((await send(page, { action: 'test' })).location, page);
  await until('the failure is shown', async () => (await send(page)).text.includes('500<br>'));
  assert.match((await send(page)).text, /&lt;b&gt;broken&lt;\/b&gt;/);
  receiver.behave = answer(410);
  assert.equal((await send(page, { action: 'test' })).status, 303);
  await until('it is disabled', async () => /410 Gone/.test((await send(page)).text));
  assert.match((await send('/dashboard')).text, /A webhook endpoint is disabled/);
  assert.doesNotMatch((await send(page)).text, /value="test"/);
  assert.match((await send(page, { action: 'test' })).text, /The webhook endpoint is disabled: enable it first/);
  receiver.behave = ok;
  assert.equal((await send(page, { action: 'enable' })).status, 303);
  for (let count = 3; count <= 5; count++) assert.equal((await send(page, { action: 'test' })).status, 303);
  assert.match((await send(page, { action: 'test' })).text, /at most 5 tests per minute/);
  await until('it is delivered', async () => /badge good">delivered/.test((await send(page)).text));
  const rotated = await send(page, { action: 'rotate' });
  assert.match(rotated.text, /whsec_/);
  assert.match(rotated.text, /previous secret also signs until/);
  assert.match((await send(`${page}?state=delivered`)).text, /badge good">delivered/);
  assert.match((await send(`${page}?state=failed`)).text, /badge warn">failed/);
  assert.equal((await send(page, { action: 'replay' })).status, 303);
  assert.match((await send(page, { action: 'replay', cursor: '"><x' })).text, /cursor&quot; is not valid/);
  assert.equal((await send(page, { action: 'disable' })).status, 303);
  assert.match((await send(page)).text, /You disabled it/);
  assert.ok(!(await send('/dashboard')).text.includes('A webhook endpoint is disabled'));
  assert.equal((await send(page, { action: 'x' })).status, 400);
  assert.ok((await send(page)).text.includes(`href="${page}/delete"`));
  const asked = (await send(`${page}/delete`)).text;
  assert.match(asked, /Delete endpoint “<bdi>http:\/\/127\.0\.0\.1:\d+\/[^<]*<\/bdi>”\?/);
  assert.match(asked, new RegExp(`action="${page}"[^]*name="action" value="delete"`));
  assert.equal((await send(page)).status, 200, 'asking deletes it');
  assert.deepEqual((await send(page, { action: 'delete' })).location, PATH);
  assert.equal((await send(page)).status, 404);
  assert.equal((await fetch(service.url + PATH, { redirect: 'manual' })).status, 303);
});
