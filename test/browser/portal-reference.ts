import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowserPortal } from '../harness/browser-demo.ts';
import { openWindow, SCRIPTS } from '../harness/portal.ts';

const portal = useBrowserPortal();

for (const { javaScriptEnabled, name } of SCRIPTS) {
  test(`search the docs, open an operation in the reference, and return to the guides: ${name}`, async () => {
    const { browser, service } = portal;
    const { page, close } = await openWindow(browser, { javaScriptEnabled, width: 375 });
    const foreign: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(service.url)) foreign.push(request.url());
    });
    await page.goto(`${service.url}/docs`);
    await page.getByRole('searchbox', { name: 'Search the docs' }).fill('list changes');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('link', { name: 'List changes', exact: true }).click();
    await page.waitForURL(`${service.url}/docs/reference#listChanges`);
    assert.ok(await page.getByRole('heading', { name: 'List changes', exact: false }).first().isVisible());

    const copies = await page.getByRole('button', { name: 'Copy: curl' }).count();
    assert.equal(copies > 0, javaScriptEnabled, 'copy buttons are shown only where they work');

    // The menu is folded on a phone.
    const menu = page.getByRole('navigation', { name: 'Documentation' });
    assert.ok(!(await menu.getByRole('link', { name: 'Staying in sync' }).isVisible()));
    await menu.getByText('All documents').click();
    await menu.getByRole('link', { name: 'Staying in sync' }).click();
    await page.waitForURL(`${service.url}/docs/sync`);
    await page.setViewportSize({ width: 1440, height: 900 });
    assert.ok(await menu.getByRole('link', { name: 'Quick start' }).isVisible(), 'the menu is folded on a wide screen');
    await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'Waiting' }).click();
    await page.waitForURL(`${service.url}/docs/sync#waiting`);
    assert.deepEqual(foreign, []);
    await close();
  });
}
