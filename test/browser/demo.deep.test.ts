import assert from 'node:assert/strict';
import { createHash, hkdfSync } from 'node:crypto';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { openShop } from '../attack/shop.ts';
import { launchBrowser } from '../harness/browser.ts';
import { useBrowserDemo } from './browser-demo.ts';
import { findViolations, onlyWith, openWindow, signInAs } from './portal.ts';

const demo = useBrowserDemo();

for (const { javaScriptEnabled } of onlyWith) {
  test(`sign-in and sign-out in a browser ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
    const context = await demo.browser.newContext({ javaScriptEnabled });
    const page = await context.newPage();
    // Policy violations, missing files and script errors.
    const errors: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    // Start under another name of this machine, where the cookie would be lost.
    const otherOrigin = demo.server.url.replace('127.0.0.1', 'localhost');
    await page.goto(`${otherOrigin}/auth/login?returnTo=/docs/errors`);
    await page.getByLabel(/^E-mail/).fill('anna@example.com');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${demo.server.url}/docs/errors`);

    const me = await context.request.get(`${demo.server.url}/api/v1/auth/me`);
    assert.equal((await me.json()).data.email, 'anna@example.com');
    const [cookie] = (await context.cookies(demo.server.url)).filter(({ name }) => name === 'session');
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite, cookie?.path], [true, 'Lax', '/']);
    if (javaScriptEnabled) {
      const seen = await page.evaluate('document.cookie');
      assert.equal(seen, '', 'scripts can read a cookie');
    }

    await page.goto(`${demo.server.url}/explore`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${demo.server.url}/`);
    assert.equal((await context.request.get(`${demo.server.url}/api/v1/auth/me`)).status(), 401);
    assert.deepEqual(errors, []);
    await context.close();
  });
}

test('a page on another site cannot sign a user out', async () => {
  const context = await demo.browser.newContext();
  const page = await context.newPage();
  await page.goto(`${demo.server.url}/auth/login`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${demo.server.url}/dashboard`);
  // A form on another origin, submitted by a signed-in user.
  await page.route('http://evil.test/', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<form method="post" action="${demo.server.url}/auth/logout"><button>Win a prize</button></form>`,
    }),
  );
  await page.goto('http://evil.test/');
  await page.getByRole('button').click();
  await page.waitForURL(`${demo.server.url}/auth/logout`);
  assert.match((await page.textContent('body')) ?? '', /csrf_rejected/);
  const me = await context.request.get(`${demo.server.url}/api/v1/auth/me`);
  assert.equal(me.status(), 200, 'another site signed the user out');
  await context.close();
});

test('a page at a name that resolves to this machine cannot become the demo user and create a key', async () => {
  const { port, origin } = new URL(demo.server.url);
  const attacker = `http://attacker.example:${port}`;
  // Current versions of Chromium ask the user before a page may reach this machine. Other browsers do not.
  const rebinding = [
    '--host-resolver-rules=MAP attacker.example 127.0.0.1',
    '--disable-features=LocalNetworkAccessChecks',
  ];
  await using browser = await launchBrowser(rebinding);
  const page = await browser.newPage();
  // The page comes from the attacker's server, everything that it requests from the demo.
  await page.route(`${attacker}/`, (route) => route.fulfill({ contentType: 'text/html', body: '<p>Free prizes</p>' }));
  await page.goto(`${attacker}/`);
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', 'a'.repeat(43), '', purpose, 32)).toString('base64url');
  const statuses = await page.evaluate(attack, {
    cookie: `login=${'a'.repeat(43)}.Lw`,
    issuer: `${origin}/demo/idp`,
    request: {
      client_id: 'firmament-demo',
      response_type: 'code',
      // With this mode the provider's page contains the code, so the attacker's script can read it.
      response_mode: 'form_post',
      scope: 'openid email profile',
      redirect_uri: `${origin}/auth/callback`,
      state: derive('state'),
      nonce: derive('nonce'),
      code_challenge: createHash('sha256').update(derive('verifier')).digest('base64url'),
      code_challenge_method: 'S256',
    },
  });
  assert.deepEqual(statuses, { authorize: 400, signIn: 400, me: 400, createKey: 400, plans: 400 });
});

interface Attack {
  readonly cookie: string;
  readonly issuer: string;
  readonly request: Record<string, string> & { readonly state: string };
}

/** Runs in the page: signs in with a cookie of its own choice, as the demo's provider asks for no password. */
async function attack({ cookie, issuer, request }: Attack): Promise<Record<string, number>> {
  Reflect.set(Reflect.get(globalThis, 'document'), 'cookie', `${cookie}; path=/auth`);
  const authorize = await fetch(`/demo/idp/auth?${new URLSearchParams(request)}`);
  const body = new URLSearchParams({ email: 'demo@example.com' });
  const signIn = await fetch(authorize.url, { method: 'POST', body });
  const [, code = ''] = /name="code" value="([^"]+)"/.exec(await signIn.text()) ?? [];
  await fetch(`/auth/callback?${new URLSearchParams({ code, state: request.state, iss: issuer })}`);
  const me = await fetch('/api/v1/auth/me');
  const headers = { 'content-type': 'application/json' };
  const createKey = await fetch('/api/v1/api-keys', { method: 'POST', headers, body: '{"name":"stolen"}' });
  const plans = await fetch('/api/v1/plans');
  const [first, second] = [authorize.status, signIn.status];
  return { authorize: first, signIn: second, me: me.status, createKey: createKey.status, plans: plans.status };
}

/** Buying, changing and cancelling a plan through the demo's payment sandbox, as a customer sees it. */

const planOf = (page: Page) => page.locator('.plan.current h3').innerText();

/** Reloads until the webhook has changed the plan. */
async function waitForPlan(page: Page, plan: string): Promise<void> {
  for (let tries = 0; tries < 1_000; tries++) {
    await page.goto(`${demo.server.url}/dashboard`);
    if ((await planOf(page)).startsWith(plan)) return;
    await page.waitForTimeout(100);
  }
  assert.fail(`the plan is ${await planOf(page)}, not ${plan}`);
}

for (const { javaScriptEnabled, name } of onlyWith) {
  test(`upgrade, wait for the webhook, change the plan, cancel: ${name}`, async () => {
    const { page, close } = await openWindow(demo.browser, { javaScriptEnabled });
    await page.goto(`${demo.server.url}/auth/login?returnTo=/dashboard/plans/pro`);
    const check = async () => {
      if (javaScriptEnabled) assert.deepEqual(await findViolations(page), []);
    };
    await check();
    await signInAs(page, `buyer-${javaScriptEnabled}@example.com`);
    await page.getByRole('button', { name: 'Continue to payment' }).click();
    await page.getByRole('heading', { name: 'Subscribe to Pro' }).waitFor();
    await check();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByText('Checkout cancelled').waitFor();
    await page.getByRole('button', { name: 'Upgrade to Pro' }).click();
    await page.getByRole('button', { name: 'Pay' }).click();
    await page.waitForURL(`${demo.server.url}/dashboard?checkout=done`);
    // The page refreshes until the payment is confirmed: by script, or by its refresh header.
    await page.getByText('You are on Pro').first().waitFor();
    assert.match(await planOf(page), /^Pro/);
    assert.match(
      await page.locator('#billing').innerText(),
      /€29 per month\. Your plan renews and your usage resets on/,
    );
    assert.match(await page.locator('#usage').innerText(), /of 100,000 requests/);

    await page.goto(`${demo.server.url}/dashboard`);
    await page.getByRole('button', { name: 'Upgrade to Business' }).click();
    await page.getByText('You pay €99.00 per month instead of €29.00 per month').waitFor();
    await check();
    await page.getByRole('button', { name: 'Confirm Business' }).click();
    await page.getByText('You are on Business').first().waitFor();
    assert.match(await planOf(page), /^Business/);

    await page.goto(`${demo.server.url}/dashboard`);
    await page.getByRole('button', { name: 'Manage billing' }).click();
    await page.getByRole('heading', { name: 'Your subscription' }).waitFor();
    await check();
    await page.getByRole('button', { name: /^Change to Pro/ }).click();
    await page.getByRole('link', { name: 'Back to the service' }).click();
    await waitForPlan(page, 'Pro');

    await page.getByRole('button', { name: 'Manage billing' }).click();
    await page.getByRole('button', { name: 'Cancel at the end of the period' }).click();
    await page.getByRole('link', { name: 'Back to the service' }).click();
    for (let tries = 0; tries < 1_000; tries++) {
      if ((await page.locator('#billing').innerText()).includes('cancelled and paid until')) break;
      await page.waitForTimeout(100);
      await page.reload();
    }
    assert.match(await page.locator('#billing').innerText(), /After that you move to Free/);

    await page.getByRole('button', { name: 'Manage billing' }).click();
    await page.getByRole('button', { name: 'Cancel now…' }).click();
    await page.getByRole('button', { name: 'Yes, cancel now' }).waitFor();
    await check();
    await page.getByRole('button', { name: 'Yes, cancel now' }).click();
    await waitForPlan(page, 'Free');
    await close();
  });
}

for (const { javaScriptEnabled, name } of onlyWith) {
  test(`the payment provider confirms late, then is down: ${name}`, async () => {
    await using shop = await openShop('sqlite');
    const { service, sandbox } = shop;
    const { token } = await service.signIn({ plan: 'free' });
    const { page, close } = await openWindow(demo.browser, { javaScriptEnabled, session: { token, url: service.url } });
    await page.goto(`${service.url}/dashboard`);
    await page.getByRole('button', { name: 'Upgrade to Business' }).click();
    // The policy of the dashboard does not allow a redirect to this origin, so the page shows a link.
    await page.getByRole('link', { name: 'Continue to payment' }).click();
    sandbox.setDeliveries({ hold: true });
    await page.getByRole('button', { name: 'Pay' }).click();
    await page.waitForURL(`${service.url}/dashboard?checkout=done`);
    await page.getByText('Payment received, waiting for confirmation').waitFor();
    assert.match(await planOf(page), /^Free/, 'the plan changed without a signed event');
    if (javaScriptEnabled) assert.deepEqual(await findViolations(page), []);
    sandbox.setDeliveries({ release: true });
    await page.getByText('You are on Business').first().waitFor();
    assert.match(await planOf(page), /^Business/);

    await shop.closeSandbox();
    await page.getByRole('button', { name: 'Manage billing' }).click();
    await page.getByText('Request failed').waitFor();
    assert.match(await page.locator('.notice.bad').innerText(), /Billing is not available|payment provider/i);
    assert.match(await planOf(page), /^Business/);
    await close();
  });
}
