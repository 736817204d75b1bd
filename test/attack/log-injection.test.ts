import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { createBrowser } from '../harness/browser-session.ts';
import { testClock } from '../harness/clock.ts';
import { usualEngines } from '../harness/databases.ts';
import { startIdentityProvider } from '../harness/identity.ts';
import { renderEvent, sign } from '../harness/payment-events.ts';
import { speakRaw } from '../harness/raw.ts';
import { startService } from '../harness/service.ts';
import { until } from '../harness/until.ts';

const FORGED = '"}\n{"level":60,"time":0,"msg":"forged","status":200}\r\n\u001b[31m';
const ENCODED = encodeURIComponent(FORGED);
/** The fields that a log line may have. */
const FIELDS =
  /^(level|time|msg|requestId|method|route|status|durationMs|address|accountId|keyId|aborted|reason|code|err|event|kind|outcome|plan|applied|version|entities|changed|overlayDocuments|overlayPercent|segments|megabytes|seconds)$/;

for (const engine of usualEngines) {
  describe(`log injection on ${engine}`, () => {
    test('hostile input from clients, names, events and sign-ins cannot forge log lines or fields', async () => {
      let url = '';
      await using idp = await startIdentityProvider(() => url);
      await using service = await startService(engine, { env: idp.env, clock: testClock(new Date().toISOString()) });
      url = service.url;
      const session = await service.signIn({ email: `a@b.test${FORGED}`, name: FORGED, subject: `sub-${FORGED}` });
      const key = await service.createKey();
      const json = { ...session.headers, 'content-type': 'application/json' };

      await service.client.get(`/${ENCODED}`);
      await service.client.get(`/api/v1/entities?q=${ENCODED}&${ENCODED}=1`, { headers: { 'x-api-key': key } });
      await service.client.get(`/api/v1/entities/${ENCODED}`, { headers: { 'x-api-key': key } });
      await service.client.get(`/docs/errors/${ENCODED}`);
      await service.client.request('DELETE', `/api/v1/api-keys/${ENCODED}`, { headers: session.headers });
      for (const body of [FORGED, JSON.stringify({ name: FORGED }), JSON.stringify({ [FORGED]: 1 })]) {
        await service.client.request('POST', '/api/v1/api-keys', { headers: json, body });
      }
      const event = renderEvent({ id: `evt_${randomUUID()}`, type: '{"level":60}', created: 1, object: { a: FORGED } });
      for (const body of [event, FORGED]) {
        const headers = { 'payment-signature': sign(body, service.clock.now()) };
        await service.client.request('POST', '/api/v1/billing/webhook', { headers, body });
      }
      for (const header of [
        'User-Agent',
        'Referer',
        'Cookie',
        'Authorization',
        'X-API-Key',
        'X-Request-ID',
        'Host',
        'X-Forwarded-For',
      ]) {
        const value = FORGED.replaceAll(/[\r\n]/g, ' ');
        await speakRaw(service.url, `GET /api/v1/account HTTP/1.1\r\nHost: x\r\n${header}: ${value}\r\n\r\n`, {
          quietMs: 20,
        });
      }
      await speakRaw(service.url, `${FORGED}\r\n\r\n`, { quietMs: 20 });
      // A browser that started its own sign-in knows its state, so it can forge the provider's error.
      const browser = createBrowser();
      const left = await browser.open(`${service.url}/auth/login`, {}, /\/demo\/idp\/auth\?/);
      const state = new URL(left.url).searchParams.get('state') ?? '';
      const query = new URLSearchParams({ state, iss: idp.issuer, error: `x${FORGED}`, error_description: FORGED });
      assert.equal((await browser.open(`${service.url}/auth/callback?${query}`)).status, 400);

      await until('the log has many lines', () => service.logLines.length > 20);
      for (const line of service.logLines) {
        assert.doesNotMatch(line.slice(0, -1), /\p{Cc}/u, 'a control character is in the log');
        assert.ok(line.endsWith('\n'));
        const fields = JSON.parse(line);
        for (const name of Object.keys(fields)) assert.match(name, FIELDS, line);
        assert.ok(fields.level <= 40 && fields.msg !== 'forged', line);
        assert.ok(!line.includes('forged'), `client input is in the log: ${line}`);
      }
      const refused = service.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'sign-in refused');
      assert.deepEqual(
        refused.map(({ reason }) => /^\w+$/.test(reason)),
        [true],
      );
    });
  });
}
