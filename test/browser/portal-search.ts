import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { useBrowserPortal } from './browser-demo.ts';
import { openWindow, scripts } from './portal.ts';

const portal = useBrowserPortal();

test('typing is free: 17 keystrokes show suggestions, and submitting the search uses one request', async () => {
  const { browser, service } = portal;
  const { token, account } = await service.signIn();
  const { page, close } = await openWindow(browser, { session: { token, url: service.url } });
  const readUsed = async () => (await service.services.meter.readUsage(account)).used;
  // The test moves the page's clock: on a busy machine, two keys could be a pause apart.
  await page.clock.install({ time: '2026-01-01T00:00:00Z' });
  await page.goto(`${service.url}/explore`);
  await page.clock.pauseAt('2026-01-01T01:00:00Z');
  const typed = 'ltdholdinglimited';
  for (const [index, key] of [...typed].entries()) {
    if (index === typed.length - 'limited'.length) await page.getByLabel('Name or number').fill('');
    await page.getByLabel('Name or number').press(key);
    await page.clock.runFor(400);
  }
  await page.clock.runFor(1_000);
  await page.getByText('uses 1 request').waitFor();
  await page.locator('#results .total', { hasText: '“limited”' }).waitFor();
  assert.equal(await page.locator('.results li').count(), 5);
  assert.equal(await page.locator('.results mark').first().textContent(), 'LIMITED');
  assert.equal(page.url(), `${service.url}/explore?words=limited`, 'the address does not follow what is shown');
  assert.equal(await page.evaluate('document.activeElement.id'), 'q', 'the search field lost the focus');
  assert.equal(await readUsed(), 0, 'suggestions are charged');

  await page.getByLabel('Name or number').press('Enter');
  await page.locator('.cost').waitFor();
  // The request that the page shows next to its results gives the same.
  const shown = (await page.getByRole('group', { name: 'curl' }).textContent()) ?? '';
  const reply = await fetch(/'(.*)'/.exec(shown)?.[1] ?? '', { headers: { 'x-api-key': await service.findKey() } });
  const { data, meta } = (await reply.json()) as { data: { canonicalName: string }[]; meta: { total: number } };
  assert.ok(meta.total > 5);
  assert.equal(await totalOf(page), meta.total);
  assert.deepEqual(
    await namesOf(page),
    data.map(({ canonicalName }) => canonicalName),
  );
  assert.equal(await readUsed(), 1);
  assert.equal(await page.getByLabel('Name or number').inputValue(), 'limited');

  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy: TypeScript' }).click();
  const copied = String(await page.evaluate('navigator.clipboard.readText()'));
  assert.match(copied, /searchEntities\(\{\n {2}words: "limited"/);
  await page.locator('.results .name').first().click();
  const number = await page.locator('.copyable code').first().textContent();
  await page.getByRole('button', { name: `Copy ${number}` }).click();
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), number);
  await close();
});

/** What a search shows can be shared, returned to, narrowed and reached by keyboard. */

const totalOf = async (page: Page) =>
  Number((await page.locator('#results .total strong').textContent())?.replace(/\D/g, ''));
const namesOf = (page: Page) => page.locator('.results .name').allTextContents();
const focused = (page: Page) => page.evaluate('document.activeElement.id || document.activeElement.textContent');

async function openSignedIn(javaScriptEnabled = true) {
  const { browser, service } = portal;
  const { token } = await service.signIn();
  const session = { token, url: service.url };
  return openWindow(browser, { javaScriptEnabled, session });
}

test('the address follows what is shown: Back returns to it, and a shared link shows the same', async () => {
  const { browser, service } = portal;
  const { page, close } = await openSignedIn();
  await page.goto(`${service.url}/explore?words=a`);
  const everywhere = await totalOf(page);
  await page.getByLabel('Country').selectOption('MD');
  await page.waitForURL(/\?words=a&country=MD$/);
  await page.getByText('uses 1 request').waitFor();
  const inMoldova = await totalOf(page);
  assert.ok(inMoldova > 0 && inMoldova < everywhere);
  const shown = await namesOf(page);
  await page.locator('.results .name').first().click();
  await page.waitForURL(/\/entities\//);
  await page.goBack();
  await page.locator('#results .total').waitFor();
  assert.equal(await totalOf(page), inMoldova);
  assert.equal(await page.getByLabel('Country').inputValue(), 'MD');

  const other = await openWindow(browser);
  await other.page.goto(page.url());
  assert.equal(await totalOf(other.page), inMoldova);
  assert.deepEqual(await namesOf(other.page), shown);
  await other.close();
  await close();
});

test('Back and Back to results show kept pages and cost nothing, and signing out clears them', async () => {
  const { service } = portal;
  const { page, close } = await openSignedIn();
  const left = async () => Number(/([\d,]+) left/.exec(await page.content())?.[1]?.replaceAll(',', ''));
  await page.goto(`${service.url}/explore?words=ltd&country=GB`);
  const first = await left();
  await page.locator('.results .name').first().click();
  await page.waitForURL(/\/entities\//);
  assert.equal(await left(), first - 1);
  await page.goBack();
  assert.equal(await left(), first);
  await page.goForward();
  assert.equal(await left(), first - 1);
  await page.getByRole('link', { name: 'Back to results' }).click();
  await page.locator('.results').waitFor();
  assert.equal(await left(), first);
  await page.goto(`${service.url}/dashboard`);
  const origin = new URL(service.url).origin;
  const signedOut = await page.request.post(`${service.url}/auth/logout`, { maxRedirects: 0, headers: { origin } });
  assert.equal(signedOut.headers()['clear-site-data'], '"cache"');
  await page.goto(`${service.url}/explore?words=ltd&country=GB`);
  assert.match(await page.content(), /Sign in to see every page/);
  await close();
});

for (const { javaScriptEnabled, name } of scripts) {
  test(`what is typed as an activity becomes one, and its type is offered where it means something: ${name}`, async () => {
    const { service } = portal;
    const { page, close } = await openSignedIn(javaScriptEnabled);
    await page.goto(`${service.url}/explore?country=GB`);
    assert.equal(await page.getByLabel('Activity type').count(), 0);
    await page.getByLabel('Country').selectOption('MD');
    await page.getByText('More filters').click();
    await page.getByLabel('Activity', { exact: true }).fill('comer');
    if (!javaScriptEnabled) await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.waitForURL(/country=MD.*&activity=comer/);
    const suggested = page.locator('.suggested a');
    await suggested.first().waitFor();
    assert.ok((await page.locator('#activities option').count()) >= (await suggested.count()));
    assert.equal(await page.getByLabel('Activity type').count(), 1);
    assert.match((await suggested.first().textContent()) ?? '', /comer/i);
    await suggested.first().click();
    await page.locator('.results').waitFor();
    assert.ok((await totalOf(page)) > 0);
    await close();
  });
}

test('/ goes to the search field, and arrow keys move through the results', async () => {
  const { service } = portal;
  const { page, close } = await openSignedIn();
  await page.goto(`${service.url}/explore?words=ltd&sort=-registeredAt`);
  const [first, second] = await namesOf(page);
  await page.keyboard.press('/');
  assert.equal(await focused(page), 'q');
  assert.equal(await page.getByLabel('Name or number').inputValue(), 'ltd');
  await page.keyboard.press('ArrowDown');
  assert.equal(await focused(page), first);
  await page.keyboard.press('ArrowDown');
  assert.equal(await focused(page), second);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  assert.equal(await focused(page), 'q');
  await page.keyboard.press('End');
  await page.keyboard.press('/');
  assert.equal(await page.getByLabel('Name or number').inputValue(), 'ltd/');
  await close();
});
