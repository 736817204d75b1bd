import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { useBrowserDemo } from '../harness/browser-demo.ts';
import { onlyWith, openWindow, signInAs } from '../harness/portal.ts';
import { openShop } from '../harness/shop.ts';
import { checkPage } from './check-page.ts';

/** Buying, changing and cancelling a plan through the demo's payment sandbox, as a customer sees it. */
const demo = useBrowserDemo();

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
    const check = async () => javaScriptEnabled && checkPage(page);
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
    if (javaScriptEnabled) await checkPage(page);
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
