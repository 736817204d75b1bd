import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import '../harness/impatient.ts';
import { signSessionToken } from '../../demo/identity/keys.ts';
import { systemClock } from '../../src/core/clock.ts';
import { createDatabase, type TestDatabase, usualEngines } from '../harness/databases.ts';
import { boundMs } from '../harness/depth.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../harness/identity.ts';
import { type Office, openOffice, type TestAccount } from '../harness/keys.ts';
import { misbehaveAt } from '../harness/misbehave.ts';
import { paymentEnv } from '../harness/payment-events.ts';
import { type SandboxSettings, startPaymentSandbox, type TestPaymentSandbox } from '../harness/payments.ts';
import { type RunningServer, startServer } from '../harness/process.ts';
import { startService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { startPressure } from './pressure.ts';

/** The payment provider gets two attempts of four seconds, the issuer three seconds; the rest is for a busy machine. */
const ANSWERED_MS = boundMs(20_000);
/** test/api/billing-unavailable.test.ts tests all kinds of answers in process. */
const OUTAGES = ['silent', 'garbage'] as const;

for (const engine of usualEngines) {
  describe(`providers that a server on ${engine} depends on are down, silent or answer garbage`, () => {
    let database: TestDatabase;
    let office: Office;
    let account: TestAccount;
    let issuer: TestIdentityProvider;
    let sandbox: TestPaymentSandbox;
    let sandboxSettings: SandboxSettings;
    let server: RunningServer;
    before(async () => {
      database = await createDatabase(engine);
      office = openOffice(database);
      account = await office.createAccount({ plan: 'free' });
      issuer = await startIdentityProvider(() => server?.url ?? '');
      sandboxSettings = {
        dataDir: mkdtempSync(join(tmpdir(), 'payments-')),
        webhookUrl: () => `${server?.url}/api/v1/billing/webhook`,
      };
      sandbox = await startPaymentSandbox(sandboxSettings);
      const { secretKey, apiUrl } = sandbox.settings();
      const payments = { ...paymentEnv, STRIPE_SECRET_KEY: secretKey, STRIPE_API_URL: apiUrl };
      const prices = { STRIPE_PRICE_PRO: `${sandbox.settings().pricePro},${paymentEnv.STRIPE_PRICE_PRO}` };
      server = await startServer(database, { env: { ...payments, ...prices, ...issuer.env, LOG_LEVEL: 'fatal' } });
    });
    after(async () => {
      server?.kill('SIGKILL');
      await server?.ended;
      await sandbox?.stop().catch(() => undefined);
      await issuer?.stop().catch(() => undefined);
      await office?.[Symbol.asyncDispose]();
      await database?.remove();
      rmSync(sandboxSettings.dataDir as string, { recursive: true, force: true });
    });

    interface Seen {
      readonly status: number;
      readonly code: string | undefined;
      readonly retryAfter: number;
    }

    async function ask(path: string, headers: Record<string, string> = {}, body?: object): Promise<Seen> {
      const json = { 'content-type': 'application/json', origin: server.url };
      const init = body && { method: 'POST', body: JSON.stringify(body) };
      const reply = await fetch(server.url + path, {
        ...init,
        headers: { ...headers, ...(body && json) },
        redirect: 'manual',
        signal: AbortSignal.timeout(ANSWERED_MS),
      });
      const code = /"code":"(\w+)"/.exec(await reply.text())?.[1];
      return { status: reply.status, code, retryAfter: Number(reply.headers.get('retry-after')) };
    }

    const checkout = () => ask('/api/v1/billing/checkout', { cookie: account.cookie }, { plan: 'pro' });
    const portal = () => ask('/api/v1/billing/portal', { cookie: account.cookie }, {});

    for (const kind of OUTAGES) {
      test(`the payment provider: ${kind}`, async (t) => {
        assert.equal((await checkout()).status, 200);
        const port = Number(new URL(sandbox.url).port);
        await using pressure = await startPressure({ office, urls: () => [server.url], callers: 10, allowed: [] });
        await sandbox.stop();
        const recover = await misbehaveAt(port, kind);
        const began = performance.now();
        for (const { status, code, retryAfter } of await Promise.all([checkout(), portal()])) {
          assert.deepEqual([status, code, retryAfter >= 1], [503, 'billing_unavailable', true]);
        }
        const tookMs = Math.round(performance.now() - began);
        await recover();
        sandbox = await startPaymentSandbox({ ...sandboxSettings, port });
        await until('the provider is used again', async () => (await checkout()).status === 200);
        t.diagnostic(`answered after ${tookMs} ms; ${(await pressure.end()).summary}`);
      });
    }

    for (const kind of OUTAGES) {
      test(`the issuer: ${kind}`, async (t) => {
        const token = await signSessionToken(issuer.keys, {
          issuer: issuer.issuer,
          email: 'anna@example.com',
          now: Date.now(),
          lifeSeconds: 3_600,
        });
        const bearer = { authorization: `Bearer ${token}` };
        await until('the issuer is known', async () => (await ask('/api/v1/auth/me', bearer)).status === 200);
        const port = Number(new URL(issuer.issuer).port);
        await using pressure = await startPressure({ office, urls: () => [server.url], callers: 10, allowed: [] });
        await issuer.stop();
        const recover = await misbehaveAt(port, kind);
        // Signed-in users stay signed in.
        assert.equal((await ask('/api/v1/auth/me', bearer)).status, 200);
        assert.equal((await ask('/api/v1/account', { cookie: account.cookie })).status, 200);
        // A service that starts now is ready without the issuer, and answers 503 to requests that need it.
        const kept = { ...database, remove: async () => undefined };
        await using second = await startService(engine, { database: kept, env: issuer.env, localClock: systemClock });
        assert.equal((await second.client.get('/api/v1/health/ready')).status, 200);
        const askSecond = () => second.client.get('/api/v1/auth/me', { headers: bearer });
        const refused = await askSecond();
        assert.deepEqual([refused.status, Number(refused.headers.get('retry-after')) >= 1], [503, true]);
        assert.equal(refused.body.error.code, 'service_unavailable');
        await recover();
        await issuer.restart();
        await until('the issuer is used again', async () => (await askSecond()).status === 200);
        t.diagnostic((await pressure.end()).summary);
      });
    }
  });
}
