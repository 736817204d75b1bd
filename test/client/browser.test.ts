import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { launchBrowser } from '../harness/browser.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';
import { buildLibrary } from './build.ts';
import { startScript } from './scripted-server.ts';

/** Runs in the page. Types are those of the page, so it is text. */
const PROGRAM = `async ({ url, key }) => {
  const { createClient, EntityNotFound } = await import('/index.js');
  const client = createClient({ url, key });
  const names = async () => {
    const found = [];
    for await (const { canonicalName } of client.entities.search({ q: 'acme', pageSize: 2 })) found.push(canonicalName);
    return found;
  };
  const [first, second] = [await names(), await names()];
  const left = client.limits.quota.remaining;
  const third = await names();
  const error = await client.entities.get('00000000-0000-4000-8000-000000000000').catch((thrown) => thrown);
  return {
    first, second, third,
    isRevalidated: client.limits.quota.remaining === left,
    isNotFound: error instanceof EntityNotFound && error.requestId !== null,
    cursor: await client.changes.now(),
  };
}`;

test('the library runs in a browser, on a page of an origin that the service allows', async () => {
  const folder = buildLibrary();
  await using pages = await startScript((response, { url = '' }) => {
    if (url.endsWith('.js')) {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(readFileSync(join(folder, url)));
    } else {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>A page</title>');
    }
  });
  await using service = await startService('sqlite', { env: { CORS_ORIGINS: pages.url } });
  const rows = Array.from({ length: 5 }, (_, at) => company(`1000000${at}`, `ACME ${at} LTD`));
  await importCompanies(service, rows);
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(pages.url);
    const argument = JSON.stringify({ url: service.url, key: await service.createKey() });
    const result: Record<string, unknown> = await page.evaluate(`(${PROGRAM})(${argument})`);
    const names = rows.map(({ CompanyName }) => CompanyName);
    const { cursor, ...others } = result;
    assert.deepEqual(others, { first: names, second: names, third: names, isRevalidated: true, isNotFound: true });
    assert.match(String(cursor), /^[\w-]+$/);
  } finally {
    await browser.close();
  }
});
