import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowserPortal } from '../harness/browser-demo.ts';

const portal = useBrowserPortal();

test('/docs/reference shows every operation of the contract and loads everything from this server', async () => {
  const { browser, service } = portal;
  const page = await browser.newPage();
  const foreign: string[] = [];
  const errors: string[] = [];
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(service.url)) foreign.push(request.url());
  });
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(`${service.url}/docs/reference`);
  await page.getByRole('heading', { name: 'Firmament API' }).waitFor({ timeout: 30_000 });
  const contract = JSON.parse((await service.client.get('/api/v1/openapi.json')).text);
  for (const [path, operations] of Object.entries<Record<string, { summary: string }>>(contract.paths)) {
    for (const { summary } of Object.values(operations)) {
      assert.ok((await page.getByText(summary).count()) > 0, `${path}: "${summary}" is not shown`);
    }
  }
  assert.deepEqual(foreign, []);
  assert.deepEqual(errors, []);
  await page.close();
});

test('the page of an error code is styled and has no script errors', async () => {
  const { browser, service } = portal;
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('console', (message) => errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(`${service.url}/docs/errors/rate_limit_exceeded`);
  assert.equal(await page.getByRole('heading').first().textContent(), 'rate_limit_exceeded');
  const font = await page.evaluate('getComputedStyle(document.body).fontFamily');
  assert.match(String(font), /system-ui/, 'the stylesheet is not applied');
  assert.deepEqual(errors, []);
  await page.close();
});
