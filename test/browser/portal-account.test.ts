import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../harness/browser.ts';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { openOffice } from '../harness/keys.ts';
import { openWindow, SCRIPTS, signInAs } from '../harness/portal.ts';
import { type RunningServer, startServer } from '../harness/process.ts';

/** What a newcomer does after `npm start`, in the order the pages lead to it. */
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

async function curl(key: string, path = '/api/v1/entities?q=a&pageSize=1'): Promise<{ status: number; code?: string }> {
  const args = ['-s', '-w', '\n%{http_code}', '-H', `X-API-Key: ${key}`, server.url + path];
  const { stdout } = await promisify(execFile)('curl', args);
  const [body = '', status] = stdout.split('\n');
  return { status: Number(status), code: JSON.parse(body).error?.code };
}

const textOf = async (page: Page) => (await page.locator('main').innerText()).replace(/\s+/g, ' ');

/** As if the account had used all but so many requests. */
async function leave(accountId: string, left: number): Promise<void> {
  await using office = openOffice(database);
  const { accountsDb } = office.services;
  await accountsDb.run('UPDATE quotas SET used = 1000 - $1 WHERE account_id = $2', [left, accountId]);
}

for (const { javaScriptEnabled, name } of SCRIPTS) {
  test(`sign in, make a key, use it, see the use, hit the limit, revoke, sign out: ${name}`, async () => {
    const { page, context, close } = await openWindow(browser, { javaScriptEnabled });
    await page.goto(server.url);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signInAs(page, `newcomer-${javaScriptEnabled}@example.com`);
    await page.waitForURL(`${server.url}/dashboard`);
    assert.match(await textOf(page), /0 of 1,000 requests/);

    await page.getByLabel('Name of a new key').fill('laptop');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('it is not shown again').waitFor();
    const key = (await page.getByRole('group', { name: 'API key', exact: true }).textContent()) ?? '';
    assert.match(key, /^frm_test_\w{46}$/);
    if (javaScriptEnabled) {
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByRole('button', { name: 'Copy: API key' }).click();
      assert.equal(await page.evaluate('navigator.clipboard.readText()'), key);
      await page.reload();
      assert.equal(page.url(), `${server.url}/dashboard`, 'a reload would send the form again');
    } else {
      assert.equal(await page.getByRole('button', { name: 'Copy' }).count(), 0, 'a button that does nothing');
      await page.goto(`${server.url}/dashboard`);
    }
    assert.ok(!(await page.content()).includes(key), 'the secret is shown a second time');

    assert.equal((await curl(key)).status, 200);
    assert.equal((await curl(key)).status, 200);
    await page.goto(`${server.url}/dashboard`);
    assert.match(await textOf(page), /2 of 1,000 requests/);
    assert.match(await textOf(page), /laptop 2/);
    assert.match(await textOf(page), /just now/);

    const me = await (await context.request.get(`${server.url}/api/v1/auth/me`)).json();
    await leave(me.data.accountId, 1);
    assert.equal((await curl(key)).status, 200);
    assert.deepEqual(await curl(key), { status: 429, code: 'monthly_quota_exceeded' });
    await page.reload();
    await page.getByRole('alert').getByText('100 % of the quota is used').waitFor();
    await page.goto(`${server.url}/explore?q=holding`);
    await page.getByText('The quota of this period is used up').waitFor();
    await leave(me.data.accountId, 900);

    await page.goto(`${server.url}/dashboard`);
    await page.getByRole('link', { name: 'Revoke laptop' }).click();
    await page.getByRole('link', { name: 'Keep it' }).click();
    assert.equal((await curl(key)).status, 200);
    await page.getByRole('link', { name: 'Revoke laptop' }).click();
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await page.waitForURL(`${server.url}/dashboard#keys`);
    assert.equal(await page.getByRole('link', { name: 'Revoke laptop' }).count(), 0);
    assert.deepEqual(await curl(key), { status: 401, code: 'invalid_api_key' });

    await page.getByRole('link', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${server.url}/`);
    await page.goto(`${server.url}/dashboard`);
    await page.getByLabel('E-mail address').waitFor();
    await close();
  });
}
