import assert from 'node:assert/strict';
import { createHash, hkdfSync } from 'node:crypto';
import { test } from 'node:test';
import { launchBrowser } from '../harness/browser.ts';
import { useBrowserDemo } from '../harness/browser-demo.ts';
import { onlyWith } from '../harness/portal.ts';

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
