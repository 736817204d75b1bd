import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowserDemo } from '../harness/browser-demo.ts';

const demo = useBrowserDemo();

for (const javaScriptEnabled of [true, false]) {
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

    await page.goto(`${demo.server.url}/auth/logout`);
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
  await page.waitForURL(`${demo.server.url}/`);
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
