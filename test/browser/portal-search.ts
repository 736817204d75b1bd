import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { useBrowserPortal } from './browser-demo.ts';
import { onlyWith, onlyWithout, openWindow } from './portal.ts';

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
  assert.equal(page.url(), `${service.url}/explore?q=limited`, 'the address does not follow what is shown');
  assert.equal(await page.evaluate('document.activeElement.id'), 'q', 'the search field lost the focus');
  assert.equal(await readUsed(), 0, 'suggestions are charged');

  await page.getByLabel('Name or number').press('Enter');
  await page.locator('.cost').waitFor();
  await checkResults(page, (total) => total > 5);
  assert.equal(await readUsed(), 1);
  assert.equal(await page.getByLabel('Name or number').inputValue(), 'limited');

  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy: TypeScript' }).click();
  assert.match(String(await page.evaluate('navigator.clipboard.readText()')), /entities\?q=limited/);
  await page.locator('.results .name').first().click();
  const number = await page.locator('.copyable code').first().textContent();
  await page.getByRole('button', { name: `Copy ${number}` }).click();
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), number);
  await close();
});

test('results are dense: ten fit a large screen, three a phone, where the filters are folded', async () => {
  const { browser, service } = portal;
  const { token } = await service.signIn();
  const { page, close } = await openWindow(browser, { session: { token, url: service.url } });
  /** How many results are completely on the first screen. */
  const countVisible = async (width: number, height: number) => {
    await page.setViewportSize({ width, height });
    return page.evaluate(
      "[...document.querySelectorAll('.results li')].filter((li) => li.getBoundingClientRect().bottom <= innerHeight).length",
    );
  };
  for (const path of ['/explore?q=ltd', '/explore?q=ltd&country=GB&status=active']) {
    await page.goto(service.url + path);
    assert.ok(Number(await countVisible(1440, 900)) >= 10, `${path} at 1440 px`);
    assert.ok(await page.getByLabel('Country').isVisible());
    assert.ok(Number(await countVisible(375, 740)) >= 3, `${path} at 375 px`);
    assert.ok(!(await page.getByLabel('Country').isVisible()), 'the filters are open on a phone');
  }
  await page.getByText('Filters (2)').click();
  assert.equal(await page.getByLabel('Country').inputValue(), 'GB');
  await page.getByRole('link', { name: 'Country: United Kingdom' }).click();
  await page.waitForURL(/explore\?q=ltd&status=active$/);
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
