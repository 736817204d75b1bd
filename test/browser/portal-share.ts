import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { useBrowserPortal } from '../harness/browser-demo.ts';
import { onlyWith, onlyWithout, openWindow } from '../harness/portal.ts';

/** What a search shows can be shared, returned to, narrowed and reached by keyboard. */
const portal = useBrowserPortal();

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
  await page.goto(`${service.url}/explore?q=a`);
  const everywhere = await totalOf(page);
  await page.getByLabel('Country').selectOption('MD');
  await page.waitForURL(/\?q=a&country=MD$/);
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
  await page.goto(`${service.url}/explore?q=ltd&country=GB`);
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
  await page.goto(`${service.url}/explore?q=ltd&country=GB`);
  assert.match(await page.content(), /Sign in to see every page/);
  await close();
});

test('the home page keeps a search, too', async () => {
  const { browser, service } = portal;
  const { page, close } = await openWindow(browser);
  await page.goto(service.url);
  await page.getByLabel('Search companies').fill('ltd');
  await page.waitForURL(`${service.url}/?q=ltd`);
  const shown = await namesOf(page);
  assert.equal(shown.length, 5);
  await page.locator('.results .name').first().click();
  await page.waitForURL(/\/entities\//);
  await page.goBack();
  await page.locator('.results').waitFor();
  assert.deepEqual(await namesOf(page), shown);
  assert.equal(await page.getByLabel('Search companies').inputValue(), 'ltd');
  await page.getByLabel('Search companies').fill('');
  await page.waitForURL(`${service.url}/`);
  await close();
});

for (const { javaScriptEnabled, name } of onlyWithout) {
  test(`the number beside a filter is the total after choosing it: ${name}`, async () => {
    const { service } = portal;
    const { page, close } = await openSignedIn(javaScriptEnabled);
    await page.goto(`${service.url}/explore?q=an`);
    const links = page.locator('.facets li', { has: page.locator('a') });
    assert.ok((await links.count()) > 5);
    const counts = await links.locator('.count').allTextContents();
    const addresses = await links.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    for (const [at, address] of addresses.entries()) {
      await page.goto(service.url + address);
      assert.equal(await totalOf(page), Number(counts[at]?.replace(/\D/g, '')), address ?? '');
    }
    await close();
  });
}

for (const { javaScriptEnabled, name } of new Set([...onlyWith, ...onlyWithout])) {
  test(`what is typed as an activity becomes one, and its type is offered where it means something: ${name}`, async () => {
    const { service } = portal;
    const { page, close } = await openSignedIn(javaScriptEnabled);
    await page.goto(`${service.url}/explore?country=GB`);
    assert.equal(await page.getByLabel('Activity type').count(), 0);
    await page.getByLabel('Country').selectOption('MD');
    await page.getByLabel('Activity', { exact: true }).fill('comer');
    if (!javaScriptEnabled) await page.getByRole('button', { name: 'Search' }).click();
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
  await page.goto(`${service.url}/explore?q=ltd&sort=-registeredAt`);
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

test('long names have two lines, six on a phone, and addresses are not broken inside a word', async () => {
  const { service } = portal;
  const { page, close } = await openSignedIn();
  await page.goto(`${service.url}/explore?q=ltd&country=GB`);
  for (const width of [375, 768, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    assert.equal(await page.evaluate(LINES), width === 375 ? '6' : '2');
    const broken = await page.evaluate(BROKEN_PARTS);
    assert.deepEqual(broken, [], `at ${width}`);
  }
  await close();
});

const LINES = "getComputedStyle(document.querySelector('.results .name')).webkitLineClamp";
/** The parts of addresses, between two places for a break, that are on more than one line. */
const BROKEN_PARTS = `[...document.querySelectorAll('aside .string')].flatMap((string) => [...string.childNodes]).filter((node) => {
  const range = document.createRange();
  range.selectNodeContents(node);
  return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1;
}).map((node) => node.textContent)`;
