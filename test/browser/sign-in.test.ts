import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../harness/browser.ts';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { type RunningServer, startServer } from '../harness/process.ts';

let browser: Browser;
let database: TestDatabase;
let server: RunningServer;
before(async () => {
  browser = await launchBrowser();
  database = await createDatabase('sqlite');
  server = await startServer(database, { args: ['--demo'] });
});
after(async () => {
  await browser?.close();
  server?.kill('SIGTERM');
  await server?.ended;
  await database?.remove();
});

for (const javaScriptEnabled of [true, false]) {
  test(`sign-in and sign-out in a browser ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
    const context = await browser.newContext({ javaScriptEnabled });
    const page = await context.newPage();
    // Of a policy that forbids something, a missing file, a script that fails.
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    // Begun at another name of this machine, where the cookie would be lost.
    const elsewhere = server.url.replace('127.0.0.1', 'localhost');
    await page.goto(`${elsewhere}/auth/login?returnTo=/docs/errors`);
    await page.getByLabel('E-mail address').fill('anna@example.com');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${server.url}/docs/errors`);

    const me = await context.request.get(`${server.url}/api/v1/auth/me`);
    assert.equal((await me.json()).data.email, 'anna@example.com');
    const [cookie] = (await context.cookies(server.url)).filter(({ name }) => name === 'session');
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite, cookie?.path], [true, 'Lax', '/']);
    if (javaScriptEnabled) {
      const seen = await page.evaluate('document.cookie');
      assert.equal(seen, '', 'script can read a cookie');
    }

    await page.goto(`${server.url}/auth/logout`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${server.url}/`);
    assert.equal((await context.request.get(`${server.url}/api/v1/auth/me`)).status(), 401);
    assert.deepEqual(complaints, []);
    await context.close();
  });
}

test('a page of another site cannot sign anybody out', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${server.url}/auth/login`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${server.url}/`);
  // The same machine under another name is another site, as far as cookies and origins go.
  await page.route('http://evil.test/', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<form method="post" action="${server.url}/auth/logout"><button>Win a prize</button></form>`,
    }),
  );
  await page.goto('http://evil.test/');
  await page.getByRole('button').click();
  await page.waitForURL(`${server.url}/auth/logout`);
  assert.match((await page.textContent('body')) ?? '', /csrf_rejected/);
  const me = await context.request.get(`${server.url}/api/v1/auth/me`);
  assert.equal(me.status(), 200, 'another site signed the visitor out');
  await context.close();
});
