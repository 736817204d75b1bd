import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService, type TestService, type TestSession } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { company } from '../registry/gb-file.ts';
import { answer, ok, startReceiver } from '../webhooks/receiver.ts';

const PATH = '/api/v1/webhook-endpoints';
const rules = { ports: [443, 8443], allowsLoopback: true };

function caller({ client }: TestService, session: TestSession) {
  return (method: string, path: string, json?: unknown) =>
    client.request(method, PATH + path, { headers: session.headers, json });
}

describeOn(usualEngines, PATH, (engine) => {
  test('an endpoint is created, listed, changed, rotated and deleted', async () => {
    await using service = await startService(engine);
    const call = caller(service, await service.signIn({ plan: 'pro' }));
    const url = 'https://example.com/hooks';
    const created = await call('POST', '', { url, description: 'suppliers' });
    assert.equal(created.status, 201);
    const { secret, ...endpoint } = created.body.data;
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    const { id, createdAt: _, ...rest } = endpoint;
    const enabled = { enabled: true, disabledReason: null, disabledAt: null };
    assert.deepEqual(rest, {
      url,
      description: 'suppliers',
      monitorIds: null,
      ...enabled,
      previousSecretEndsAt: null,
    });
    assert.deepEqual((await call('GET', '')).body, { data: [endpoint], meta: { count: 1, limit: 5 } });
    assert.deepEqual((await call('GET', `/${id.toUpperCase()}`)).body, { data: endpoint });
    const stored = await service.services.accountsDb.all('SELECT * FROM webhook_endpoints');
    assert.ok(!JSON.stringify(stored).includes(secret.slice(6, 20)), 'the secret is encrypted');

    const paused = await call('PATCH', `/${id}`, { enabled: false, description: null });
    assert.deepEqual(
      [paused.body.data.enabled, paused.body.data.disabledReason, paused.body.data.description, paused.body.data.url],
      [false, 'owner', null, url],
    );
    const back = await call('PATCH', `/${id}`, { enabled: true, url: 'https://example.com:8443/' });
    assert.deepEqual([back.body.data.enabled, back.body.data.url], [true, 'https://example.com:8443/']);
    const rotated = await call('POST', `/${id}/rotate`);
    assert.equal(rotated.status, 202);
    assert.notEqual(rotated.body.data.secret, secret);
    const ends = new Date(service.clock.now() + 86_400_000).toISOString();
    assert.equal(rotated.body.data.previousSecretEndsAt, ends);
    assert.equal((await call('POST', `/${id}/replay`)).status, 202);
    assert.equal((await call('POST', `/${id}/replay?cursor=x`)).status, 400);
    assert.equal((await call('DELETE', `/${id}`)).status, 204);
    assert.equal((await call('GET', '')).body.meta.count, 0);
  });

  test('409 beyond the plan, 503 without a key of the operator', async () => {
    await using service = await startService(engine);
    const call = caller(service, await service.signIn({ plan: 'free' }));
    assert.equal((await call('POST', '', { url: 'https://example.com/' })).status, 201);
    const second = await call('POST', '', { url: 'https://example.com/' });
    assert.deepEqual([second.status, second.body.error.code], [409, 'webhook_endpoint_limit_reached']);
    await using off = await startService(engine, { env: { WEBHOOK_KEY: '' } });
    const without = caller(off, await off.signIn());
    const refused = await without('POST', '', { url: 'https://example.com/' });
    assert.deepEqual([refused.status, refused.body.error.code], [503, 'webhooks_unavailable']);
    assert.match(refused.body.error.message, /WEBHOOK_KEY/);
    assert.doesNotMatch(off.logLines.join(''), /"level":50/, 'it is no error of the server');
  });

  test('an import that changes a watched company is delivered, shown with its attempts, and can be sent again', async () => {
    await using receiver = await startReceiver(answer(500, {}, 'not yet'));
    await using service = await startService(engine, { webhooks: { rules } });
    const session = await service.signIn({ plan: 'pro' });
    const call = caller(service, session);
    await importCompanies(service, [company('00000001', 'ALPHA LTD'), company('00000002', 'BETA LTD')]);
    const found = await service.client.get('/api/v1/entities');
    const entities = found.body.data.map(({ id }: { id: string }) => id);
    const { monitors } = service.services;
    const monitor = await monitors.create(session.account, { name: 'watched', watch: entities });
    const { id } = (await call('POST', '', { url: `${receiver.url}/in`, monitorIds: [monitor.id] })).body.data;
    await importCompanies(service, [company('00000001', 'ALPHA TWO LTD')]);
    await until('the change was sent', () => receiver.received.length > 0);
    const list = () => call('GET', `/${id}/deliveries?limit=5`);
    await until('the failure is shown', async () => (await list()).body.data[0]?.attempts.length === 1);
    const [delivery] = (await list()).body.data;
    assert.deepEqual([delivery.state, delivery.type, delivery.deliveredAt], ['waiting', 'entity.changed', null]);
    assert.deepEqual([delivery.attempts[0].status, delivery.attempts[0].body], [500, 'not yet']);
    assert.equal(delivery.nextAttemptAt, new Date(service.clock.now() + 5_000).toISOString());
    assert.equal(delivery.payload, receiver.received[0]?.body, 'it was sent, so it is charged');
    const payload = JSON.parse(receiver.received[0]?.body ?? '');
    assert.deepEqual([payload.data.monitorId, payload.data.after.canonicalName], [monitor.id, 'ALPHA TWO LTD']);
    service.clock.advance(2_000);
    const { text } = await service.services.metrics.render();
    for (const line of [
      'webhook_attempts_total{outcome="retry"} 1',
      'webhook_deliveries_waiting 1',
      'webhook_endpoints_failed 0',
      'webhook_oldest_waiting_seconds 2',
    ]) {
      assert.ok(text.includes(`\n${line}\n`), line);
    }
    receiver.behave = ok;
    service.clock.advance(3_000);
    await until('it is delivered', async () => (await list()).body.data[0].state === 'delivered');
    assert.equal((await list()).body.data[0].payload, receiver.received[0]?.body);
    const before = receiver.received.length;
    assert.equal((await call('POST', `/${id}/replay`)).status, 202);
    await until('it is sent again', () => receiver.received.length === before + 1);
    const { cursor } = payload.data;
    assert.equal((await call('POST', `/${id}/replay?cursor=${cursor}`)).status, 202);
    const sent = await call('POST', `/${id}/test`);
    assert.deepEqual([sent.status, sent.body.data.type, sent.body.data.state], [202, 'webhook.test', 'waiting']);
    await until('the test has arrived', () => receiver.received.length === before + 2);
    const newest = await call('GET', `/${id}/deliveries?limit=1`);
    assert.equal(newest.body.data[0].id, sent.body.data.id);
    const next = await call('GET', `/${id}/deliveries?limit=1&before=${sent.body.data.id}&state=delivered`);
    assert.equal(next.body.data[0].id, delivery.id);
    for (let count = 2; count <= 5; count++) assert.equal((await call('POST', `/${id}/test`)).status, 202);
    const limited = await call('POST', `/${id}/test`);
    assert.deepEqual([limited.status, limited.body.error.code], [429, 'account_rate_limit_exceeded']);
    assert.equal(limited.headers.get('retry-after'), '60');
    await call('PATCH', `/${id}`, { enabled: false });
    const refused = await call('POST', `/${id}/test`);
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'webhook_endpoint_disabled']);
  });
});
