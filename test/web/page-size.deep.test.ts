import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DOCUMENTS, GROUPS, listRegisterDocuments } from '../../src/web/docs/library.ts';
import { OPERATION_GROUPS } from '../../src/web/reference/groups.ts';
import { importSynthetic } from '../harness/entities.ts';
import { startService } from '../harness/service.ts';

/** Before compression. */
const MAX_BYTES = 100_000;

/** A browser measures the pages of an account as well (test/browser/portal-quality.ts); this covers every document. */
async function load(url: string, path: string): Promise<{ bytes: number; text: string }> {
  const text = await (await fetch(url + path, { headers: { accept: 'text/html' } })).text();
  return { bytes: Buffer.byteLength(text), text };
}

test('every page has at most 100 KB with its style sheet and scripts, and no script delays its first paint', async () => {
  await using service = await startService('sqlite');
  await importSynthetic(service, 'gb', 100);
  const { body } = await service.client.get('/api/v1/entities?pageSize=1');
  const documents = [
    ...DOCUMENTS,
    ...GROUPS.flatMap(({ entries }) => entries),
    ...listRegisterDocuments(),
    ...OPERATION_GROUPS,
  ];
  const paths = new Set([
    '/', '/?q=ltd', '/explore', '/explore?q=ltd', '/explore?q=zzzz', `/entities/${body.data[0].id}`, '/coverage', '/status',
    '/docs?q=limit', '/nope', ...documents.map(({ address }) => address),
  ]); // biome-ignore format: one list
  assert.ok(paths.size > 50, `${paths.size} pages`);
  for (const path of paths) {
    const page = await load(service.url, path);
    // Pictures of documents are loaded when they come into view.
    const shown = page.text.replaceAll(/<img loading="lazy"[^>]*>/g, '');
    const assets = [...shown.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, address = '']) => address);
    const sizes = await Promise.all([...new Set(assets)].map(async (asset) => (await load(service.url, asset)).bytes));
    const bytes = sizes.reduce((sum, size) => sum + size, page.bytes);
    assert.ok(bytes > 1_000 && bytes <= MAX_BYTES, `${path} has ${bytes} bytes`);
    const blocking = page.text.match(/<script(?![^>]* type="module")[^>]*>/g) ?? [];
    assert.deepEqual(blocking, [], path);
    assert.match(page.text, /<main[^>]*>[\s\S]*<h1/, `${path} needs a script to show its content`);
  }
});
