import assert from 'node:assert/strict';
import { test } from 'node:test';
import { html } from '../../src/web/html.ts';
import { createKeptPages } from '../../src/web/kept-pages.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';

test('a page is rendered once, until what it shows changes', () => {
  const pages = createKeptPages();
  let rendered = 0;
  const find = (address: string, shown: unknown) => pages.find(address, shown, () => html`${address} ${++rendered}`);
  const [first, second] = [{}, {}];
  const page = find('/a', first);
  assert.equal(find('/a', first), page);
  assert.notEqual(find('/a', second), page);
  assert.equal(String(find('/b', first)), '/b 3');
  assert.equal(String(find('/a', second)), '/a 2');
});

test('visitors and signed-in users get their own form of a kept page', async () => {
  await using service = await startService('sqlite');
  const { headers } = await service.signIn();
  for (const path of ['/', '/docs', '/docs/errors', '/docs/errors/not_found', '/coverage', '/explore']) {
    for (const [sent, expected] of [
      [{}, 'Sign in'],
      [headers, 'Sign out'],
      [{}, 'Sign in'],
    ] as const) {
      const text = await (await fetch(service.url + path, { headers: sent })).text();
      assert.match(text, new RegExp(`>${expected}</(a|button)>`), `${path} without "${expected}"`);
    }
  }
});

test('kept pages show an import at once', async () => {
  await using service = await startService('sqlite');
  const read = async (path: string) => (await fetch(service.url + path)).text();
  for (const path of ['/', '/explore']) assert.match(await read(path), /No (data|companies)/);
  const oneCompany = /data-label="Companies" class="number"><a href="[^"]+">1</;
  assert.doesNotMatch(await read('/coverage'), oneCompany);
  await importCompanies(service, [company('08000001', 'ONE LTD')]);
  assert.match(await read('/'), /<dt>Companies<\/dt><dd>1<\/dd>/);
  assert.match(await read('/explore'), /United Kingdom \(1\)/);
  assert.match(await read('/coverage'), oneCompany);
});
