import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { useBrowserPortal } from '../harness/browser-demo.ts';
import { openWindow, SCRIPTS } from '../harness/portal.ts';

const portal = useBrowserPortal();

/** Sends the API request that the page shows next to its results. */
async function sendShownRequest(page: Page): Promise<{ total: number; names: string[] }> {
  const shown = (await page.getByRole('group', { name: 'curl' }).textContent()) ?? '';
  const address = /'(.*)'/.exec(shown)?.[1] ?? '';
  const reply = await fetch(address, { headers: { 'x-api-key': await portal.service.findKey() } });
  const { data, meta } = (await reply.json()) as {
    data: { canonicalName: string }[];
    meta: { total: number };
  };
  return { total: meta.total, names: data.map(({ canonicalName }) => canonicalName) };
}

/** Checks that page and API return the same results, and that their number is as expected. */
async function checkResults(page: Page, isExpected: (total: number) => boolean): Promise<number> {
  const { total, names } = await sendShownRequest(page);
  const written = (await page.locator('#results .total strong').textContent()) ?? '';
  assert.equal(Number(written.replace(/\D/g, '')), total);
  assert.deepEqual(await page.locator('.results .name').allTextContents(), names);
  assert.ok(isExpected(total), `${page.url()}: ${total}`);
  return total;
}

for (const { javaScriptEnabled, name } of SCRIPTS) {
  test(`use every filter, go to the last page and open a record: ${name}`, async () => {
    const { browser, service } = portal;
    const { token } = await service.signIn();
    const { page, close } = await openWindow(browser, { javaScriptEnabled, session: { token, url: service.url } });
    /** With JavaScript the results update by themselves. */
    const search = async (until: RegExp) => {
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Search' }).click();
      await page.waitForURL(until);
    };
    await page.goto(`${service.url}/explore`);
    await page.getByLabel('Country').selectOption({ label: 'Moldova (400)' });
    await search(/country=MD/);
    await checkResults(page, (total) => total === 400);

    const forms = await page.getByLabel('Legal form').locator('option').allTextContents();
    assert.ok(forms.length > 5 && forms.every((form, at) => at === 0 || /\(\d+\)$/.test(form)), forms.join());
    const form = await page.getByLabel('Legal form').locator('option').nth(1).getAttribute('value');
    await page.getByLabel('Legal form').selectOption(form);
    await search(/legalForm=/);
    const ofForm = await checkResults(page, (total) => total > 0 && total < 400);
    assert.match(forms[1] ?? '', new RegExp(`\\(${ofForm}\\)`));

    const activity = (await page.locator('#activities option').first().getAttribute('value')) ?? '';
    await page.getByLabel('Activity', { exact: true }).fill(activity);
    await search(/activity=/);
    await checkResults(page, (total) => total > 0 && total < ofForm);
    await page.getByLabel('Activity type').selectOption('licensed');
    await search(/activityType=licensed/);
    await checkResults(page, (total) => total === 0);

    await page.getByRole('link', { name: 'Clear' }).click();
    await page.getByLabel('Name or number').fill('Ltd');
    await search(/q=Ltd/);
    const found = await checkResults(page, (total) => total > 100);
    await page.getByLabel('Results per page').selectOption('50');
    await search(/pageSize=50/);
    assert.equal(await page.locator('.results li').count(), 50);

    await page.getByRole('link', { name: 'Last' }).click();
    await page.waitForURL(/page=/);
    await checkResults(page, (total) => total === found);
    assert.equal(await page.locator('.results li').count(), found % 50 || 50);
    await page.getByLabel('Page', { exact: true }).fill('2');
    await page.getByRole('button', { name: 'Go' }).click();
    await page.waitForURL(/page=2$/);
    assert.equal(await page.locator('.results').getAttribute('start'), '51');

    const title = (await page.locator('.results .name').first().textContent()) ?? '';
    await page.locator('.results .name').first().click();
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), title);
    for (const part of ['Record', 'Registrations', 'National fields', 'Source', 'Original source row', 'JSON']) {
      await page.getByRole('heading', { name: part, exact: true }).waitFor();
    }
    const json = (await page.getByRole('group', { name: 'Complete record' }).textContent()) ?? '';
    assert.equal(JSON.parse(json).canonicalName, title);
    await close();
  });
}

test('results update as you type, one request per pause, and the address can be shared', async () => {
  const { browser, service } = portal;
  const { token, account } = await service.signIn();
  const { page, close } = await openWindow(browser, { session: { token, url: service.url } });
  await page.goto(`${service.url}/explore`);
  await page.getByLabel('Name or number').pressSequentially('limited', { delay: 30 });
  await page.waitForURL(`${service.url}/explore?q=limited`);
  await checkResults(page, (total) => total > 0);
  assert.equal((await service.services.meter.readUsage(account)).used, 1, 'each keystroke is charged');
  assert.equal(await page.evaluate('document.activeElement.id'), 'q', 'the search field lost the focus');
  await page.reload();
  assert.equal(await page.getByLabel('Name or number').inputValue(), 'limited');

  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy: TypeScript' }).click();
  assert.match(String(await page.evaluate('navigator.clipboard.readText()')), /entities\?q=limited/);
  await close();
});

for (const { javaScriptEnabled, name } of SCRIPTS) {
  test(`a visitor searches on the home page and is asked to sign in: ${name}`, async () => {
    const { page, close } = await openWindow(portal.browser, { javaScriptEnabled });
    await page.goto(portal.service.url);
    await page.getByLabel('Search companies').fill('limited');
    if (!javaScriptEnabled) await page.getByRole('button', { name: 'Search' }).click();
    await page.waitForURL(/q=limited/);
    assert.equal(await page.locator('.results li').count(), 5);
    await page.getByText('Showing the first 5').waitFor();
    await page.getByRole('link', { name: 'Add filters' }).click();
    await page.getByLabel('Country').selectOption('GB');
    if (!javaScriptEnabled) await page.getByRole('button', { name: 'Search' }).click();
    await page.waitForURL(/country=GB/);
    assert.equal(await page.locator('.results li').count(), 5);
    await page.locator('.results .name').first().click();
    await page.getByRole('heading', { name: 'Sign in to open records' }).waitFor();
    await close();
  });
}
