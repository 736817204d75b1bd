import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type * as library from '../../clients/typescript/src/index.ts';
import { LISTED_ORIGIN, useBrowserPortal } from '../harness/browser-demo.ts';

const portal = useBrowserPortal();
const root = fileURLToPath(new URL('../../', import.meta.url));

interface Found {
  readonly ids: readonly string[];
  readonly total: number;
  /** What was left of the quota after a search, and after the same search again. */
  readonly left: readonly (number | undefined)[];
  readonly isMissing: boolean;
}

/** Runs in the page, so it uses nothing from this file. */
async function searchInPage({ url, key }: { url: string; key: string }): Promise<Found> {
  const address = '/client/index.js';
  const { createClient, EntityNotFound }: typeof library = await import(address);
  const client = createClient({ url, key });
  const ids: string[] = [];
  for await (const { id } of client.entities.search({ country: 'gb' })) ids.push(id);
  const before = client.limits?.quota.remaining;
  const { meta } = await client.searchEntities({ country: 'gb', pageSize: 100, page: 1 });
  const left = [before, client.limits?.quota.remaining];
  const missing = await client.entities.get('00000000-0000-4000-8000-000000000000').catch((error) => error);
  return { ids, total: meta.total, left, isMissing: missing instanceof EntityNotFound };
}

test('a page of a listed origin searches with the TypeScript client', async (t) => {
  const { browser, service } = portal;
  const built = mkdtempSync(join(tmpdir(), 'firmament-client-built-'));
  t.after(() => rmSync(built, { recursive: true, force: true }));
  const options = ['--outDir', built, '--declaration', 'false'];
  await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', join(root, 'clients/typescript'), ...options]);
  const context = await browser.newContext();
  // The page has no address on this machine, and Chromium asks before such a page may use one that has.
  await context.grantPermissions(['local-network-access'], { origin: LISTED_ORIGIN });
  t.after(() => context.close());
  const page = await context.newPage();
  await page.route(`${LISTED_ORIGIN}/**`, (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/')
      return route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Tool</title>' });
    return route.fulfill({ path: join(built, pathname.replace('/client/', '')), contentType: 'text/javascript' });
  });
  await page.goto(LISTED_ORIGIN);
  const found = await page.evaluate(searchInPage, { url: service.url, key: await service.createKey() });
  assert.equal(found.total, 400);
  assert.equal(new Set(found.ids).size, 400);
  assert.equal(found.ids.length, 400);
  assert.equal(typeof found.left[0], 'number');
  assert.equal(found.left[1], found.left[0], 'a repeated request is revalidated');
  assert.ok(found.isMissing);
});
