import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { runs } from '../harness/depth.ts';
import type { TestSession } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { useBrowserPortal } from './browser-demo.ts';
import { openWindow } from './portal.ts';

const portal = useBrowserPortal();

/** Pages on another site. For browsers, `localhost` and `127.0.0.1` are different sites. */
async function startOtherSite(bodyOf: (path: string) => string) {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const target = searchParams.get('redirect');
    if (target !== null) response.writeHead(302, { location: target }).end();
    else
      response
        .setHeader('content-type', 'text/html')
        .end(`<!doctype html><title>Other site</title>${bodyOf(pathname)}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function listTargets(): Promise<string[]> {
  const { registryDb } = portal.service.services;
  const rows = await registryDb.all<{ id: string }>('SELECT id FROM entities ORDER BY id LIMIT $1', [runs(1, 10)]);
  return [...rows.map(({ id }) => `/entities/${id}`), '/explore?q=a'];
}

const countUsed = async ({ account }: TestSession) => (await portal.service.services.meter.readUsage(account)).used;

/** In `npm run test:deep` 22 pages, half of them by a redirect. */
test('another site that opens pages in the browser of a signed-in user uses none of the quota', async () => {
  const { browser, service } = portal;
  const session = await service.signIn();
  const { page, context, close } = await openWindow(browser, { session: { token: session.token, url: service.url } });
  const targets = (await listTargets()).map((path) => service.url + path);
  const [first = ''] = targets;
  await using site = await startOtherSite((path) => {
    if (path === '/form') return `<form action="${first}" method="get"><button>Go</button></form>`;
    return `<a href="${first}" rel="noreferrer">Go</a>`;
  });
  const isAsked = (opened: Page) => opened.getByRole('link', { name: /uses 1 request/ }).waitFor();

  for (const target of targets) {
    await page.goto(site.url);
    await page.evaluate(`location.href = ${JSON.stringify(target)}`);
    await isAsked(page);
    // A redirect.
    await page.goto(site.url);
    await page.evaluate(`location.href = '/?redirect=' + encodeURIComponent(${JSON.stringify(target)})`);
    await isAsked(page);
  }
  await page.goto(site.url);
  await page.getByRole('link').click();
  await isAsked(page);
  await page.goto(`${site.url}/form`);
  await page.getByRole('button').click();
  await isAsked(page);
  await page.goto(site.url);
  const popup = context.waitForEvent('page');
  await page.evaluate(`void window.open(${JSON.stringify(first)})`);
  await isAsked(await popup);
  assert.equal(await countUsed(session), 0);

  // The user agrees: the link on our own page is charged.
  await page.goto(site.url);
  await page.getByRole('link').click();
  await page.getByRole('link', { name: 'Show this page (uses 1 request)' }).click();
  await page.getByText('This record used one request').waitFor();
  assert.equal(await countUsed(session), 1);
  await close();
});

test('images, frames and scripts of another site use none of the quota', async () => {
  const { browser, service } = portal;
  const session = await service.signIn();
  const context = await browser.newContext();
  await context.addCookies([{ name: 'session', value: session.token, url: service.url }]);
  const page = await context.newPage();
  const targets = (await listTargets()).map((path) => service.url + path);
  await using site = await startOtherSite(() =>
    targets.map((url) => `<img src="${url}"><iframe src="${url}"></iframe>`).join(''),
  );
  await page.goto(site.url);
  await page.evaluate(
    `Promise.allSettled(${JSON.stringify(targets)}.map((url) => fetch(url, { mode: 'no-cors', credentials: 'include' })))`,
  );
  assert.equal(await countUsed(session), 0);
  await context.close();
});

test('a page that the browser loads in advance is charged when the user opens it', async () => {
  const { browser, service } = portal;
  const session = await service.signIn();
  const context = await browser.newContext();
  await context.addCookies([{ name: 'session', value: session.token, url: service.url }]);
  const page = await context.newPage();
  const [target = ''] = await listTargets();
  const purposes: string[] = [];
  service.app.server.on('request', ({ url, headers }) => {
    if (url === target) purposes.push(String(headers['sec-purpose'] ?? 'navigation'));
  });
  // A page of our own origin, where prerendering is allowed.
  await page.route(`${service.url}/speculation`, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<script type="speculationrules">${JSON.stringify({ prefetch: [{ urls: [target], eagerness: 'immediate' }] })}</script>
        <a href="${target}">Record</a>`,
    }),
  );
  await page.goto(`${service.url}/speculation`);
  await until('the browser has loaded the page in advance', () => purposes.length > 0);
  assert.match(purposes[0] ?? '', /prefetch/);
  assert.equal(await countUsed(session), 0);
  await page.getByRole('link').click();
  await page.getByText('This record used one request').waitFor();
  assert.equal(await countUsed(session), 1);
  await context.close();
});
