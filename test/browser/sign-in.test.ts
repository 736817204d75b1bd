import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowserDemo } from '../harness/browser-demo.ts';

const demo = useBrowserDemo();

for (const javaScriptEnabled of [true, false]) {
  test(`sign-in and sign-out in a browser ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
    const context = await demo.browser.newContext({ javaScriptEnabled });
    const page = await context.newPage();
    // Of a policy that forbids something, a missing file, a script that fails.
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    // Begun at another name of this machine, where the cookie would be lost.
    const elsewhere = demo.server.url.replace('127.0.0.1', 'localhost');
    await page.goto(`${elsewhere}/auth/login?returnTo=/docs/errors`);
    await page.getByLabel('E-mail address').fill('anna@example.com');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${demo.server.url}/docs/errors`);

    const me = await context.request.get(`${demo.server.url}/api/v1/auth/me`);
    assert.equal((await me.json()).data.email, 'anna@example.com');
    const [cookie] = (await context.cookies(demo.server.url)).filter(({ name }) => name === 'session');
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite, cookie?.path], [true, 'Lax', '/']);
    if (javaScriptEnabled) {
      const seen = await page.evaluate('document.cookie');
      assert.equal(seen, '', 'script can read a cookie');
    }

    await page.goto(`${demo.server.url}/auth/logout`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${demo.server.url}/`);
    assert.equal((await context.request.get(`${demo.server.url}/api/v1/auth/me`)).status(), 401);
    assert.deepEqual(complaints, []);
    await context.close();
  });
}

test('a page of another site cannot sign anybody out', async () => {
  const context = await demo.browser.newContext();
  const page = await context.newPage();
  await page.goto(`${demo.server.url}/auth/login`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${demo.server.url}/`);
  // The same machine under another name is another site, as far as cookies and origins go.
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
  assert.equal(me.status(), 200, 'another site signed the visitor out');
  await context.close();
});
