import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { useBrowserDemo } from '../harness/browser-demo.ts';
import { openOffice } from '../harness/keys.ts';
import { openWindow, SCRIPTS, signInAs } from '../harness/portal.ts';

/** What a new user does after `npm start`, in the order the pages suggest. */
const demo = useBrowserDemo();

async function curl(key: string, path = '/api/v1/entities?q=a&pageSize=1'): Promise<{ status: number; code?: string }> {
  const args = ['-s', '-w', '\n%{http_code}', '-H', `X-API-Key: ${key}`, demo.server.url + path];
  const { stdout } = await promisify(execFile)('curl', args);
  const [body = '', status] = stdout.split('\n');
  return { status: Number(status), code: JSON.parse(body).error?.code };
}

const textOf = async (page: Page) => (await page.locator('main').innerText()).replace(/\s+/g, ' ');

/** Sets the usage of an account so that this many requests are left. */
async function leaveRequests(accountId: string, left: number): Promise<void> {
  await using office = openOffice(demo.database);
  const { accountsDb } = office.services;
  await accountsDb.run('UPDATE quotas SET used = 1000 - $1 WHERE account_id = $2', [left, accountId]);
}

for (const { javaScriptEnabled, name } of SCRIPTS) {
  test(`sign in, create a key, use it, see the usage, reach the limit, revoke, sign out: ${name}`, async () => {
    const { page, context, close } = await openWindow(demo.browser, { javaScriptEnabled });
    await page.goto(demo.server.url);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signInAs(page, `new-user-${javaScriptEnabled}@example.com`);
    await page.waitForURL(`${demo.server.url}/dashboard`);
    assert.match(await textOf(page), /0 of 1,000 requests/);

    await page.getByLabel('New key name').fill('laptop');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('It is shown only once').waitFor();
    const key = (await page.getByRole('group', { name: 'API key', exact: true }).textContent()) ?? '';
    assert.match(key, /^frm_test_\w{46}$/);
    if (javaScriptEnabled) {
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByRole('button', { name: 'Copy: API key' }).click();
      await page.locator('p[role=status]').getByText('Copied', { exact: true }).waitFor({ state: 'attached' });
      assert.equal(await page.evaluate('navigator.clipboard.readText()'), key);
      await page.reload();
      assert.equal(page.url(), `${demo.server.url}/dashboard`, 'a reload would submit the form again');
    } else {
      assert.equal(
        await page.getByRole('button', { name: 'Copy' }).count(),
        0,
        'copy buttons are shown without JavaScript',
      );
      await page.goto(`${demo.server.url}/dashboard`);
    }
    assert.ok(!(await page.content()).includes(key), 'the secret is shown a second time');

    assert.equal((await curl(key)).status, 200);
    assert.equal((await curl(key)).status, 200);
    await page.goto(`${demo.server.url}/dashboard`);
    assert.match(await textOf(page), /2 of 1,000 requests/);
    assert.match(await textOf(page), /laptop 2/);
    assert.match(await textOf(page), /laptop Test frm_test_\w{6}… \d+ \w+ \d{4} just now 2 requests/);
    const today = page.locator('.day.today');
    await today.locator('.series-1').hover();
    assert.match((await today.locator('.value').textContent()) ?? '', /^\d+ \w+: 2$/);
    assert.equal(await today.locator('.value').isVisible(), true, 'the value under the pointer is not shown');
    assert.equal(await page.locator('.day .value:visible').count(), 1);

    const me = await (await context.request.get(`${demo.server.url}/api/v1/auth/me`)).json();
    await leaveRequests(me.data.accountId, 1);
    assert.equal((await curl(key)).status, 200);
    assert.deepEqual(await curl(key), { status: 429, code: 'monthly_quota_exceeded' });
    await page.reload();
    await page.getByRole('alert').getByText('You have used 100% of your quota').waitFor();
    await page.goto(`${demo.server.url}/explore?q=holding`);
    await page.getByText('Quota used up').waitFor();
    await leaveRequests(me.data.accountId, 900);

    await page.goto(`${demo.server.url}/dashboard`);
    await page.getByRole('link', { name: 'Revoke laptop' }).click();
    await page.getByRole('link', { name: 'Keep key' }).click();
    assert.equal((await curl(key)).status, 200);
    await page.getByRole('link', { name: 'Revoke laptop' }).click();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByRole('status').getByText('Key “laptop” revoked').waitFor();
    assert.equal(await page.getByRole('link', { name: 'Revoke laptop' }).count(), 0);
    assert.deepEqual(await curl(key), { status: 401, code: 'invalid_api_key' });

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${demo.server.url}/`);
    await page.goto(`${demo.server.url}/dashboard`);
    await page.getByLabel(/^E-mail/).waitFor();
    await close();
  });
}
