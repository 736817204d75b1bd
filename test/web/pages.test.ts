import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { plainText, showText } from '../../src/base/display-text.ts';
import type { Freshness } from '../../src/base/freshness.ts';
import { createExcerpt } from '../../src/base/json/json-excerpt.ts';
import { addressOf } from '../../src/portal/docs/library.ts';
import { paging } from '../../src/portal/pages/explore.ts';
import { renderMarkdown } from '../../src/portal/parts/markdown.ts';
import { freshness as showFreshness } from '../../src/portal/parts/registers.ts';
import { formatAge, formatWait } from '../../src/portal/text/formatting.ts';
import { flatten, indentJson, labelOf, labelPath } from '../../src/portal/text/record-fields.ts';
import { registers } from '../../src/registers/index.ts';
import { readSearchQuery } from '../../src/search/parameters.ts';
import { usualEngines } from '../harness/databases.ts';
import { importSynthetic } from '../harness/entities.ts';
import { startService } from '../harness/service.ts';
import { pageOpener } from './pages.ts';

for (const engine of usualEngines) {
  describe(`public pages on ${engine}`, () => {
    test('pages show real figures before and after the first import', async () => {
      await using service = await startService(engine);
      const open = pageOpener(service);
      assert.match((await open('/')).text, /No data has been imported yet/);
      assert.doesNotMatch((await open('/')).text, /Terms|Privacy|Contact/, 'links that are not set are shown');
      assert.match((await open('/explore')).text, /No companies yet/);
      assert.match((await open('/explore?q=a')).text, /0 companies/);
      assert.match((await open('/coverage')).text, /no data yet/);
      assert.match((await open('/status')).text, /All systems operational.*None reported/s);

      await importSynthetic(service, 'no', 50);
      const home = await open('/');
      assert.match(home.text, /Companies 50/);
      assert.match(home.text, /Countries 1/);
      assert.match(home.text, /fictitious companies/, 'sample data is not marked');
      for (const price of ['€0', '€29', '€99']) assert.ok(home.text.includes(price));
      const coverage = await open('/coverage');
      assert.match(
        coverage.text,
        /Norway Central Coordinating Register .* Data as of unknown Last check never Imported 15 Mar 2026 .* 50 companies in Norway Sample published daily/,
      );
      assert.match(coverage.text, /Planned .*Germany.*: no data yet/);
      assert.match(home.text, /\d+ planned/);
      for (const { country } of registers)
        assert.ok(home.html.includes(`>${country ?? ''}</text>`) || !country, `${country}`);

      await importSynthetic(service, 'gleif', 200);
      const { body } = await service.client.get('/api/v1/countries');
      const enabled = body.data.filter((country: { enabled: boolean }) => country.enabled).length;
      assert.ok(
        (await open('/')).text.includes(`Countries ${enabled} `),
        'the home page counts fewer countries than the API',
      );
      assert.doesNotMatch(
        (await open('/coverage')).text,
        /Planned .*Germany.*: no data yet/,
        'a country with companies is planned',
      );
    });

    test('a browser gets an error as a page with the request id, a program gets JSON', async () => {
      const links = { TERMS_URL: 'https://firm.test/terms?a=1&b=2', PRIVACY_URL: 'https://firm.test/privacy' };
      await using service = await startService(engine, { env: { ...links, CONTACT_EMAIL: 'help@firm.test' } });
      const open = pageOpener(service);
      const page = await open('/nope');
      assert.match(page.text, /Need help\? Write to help@firm\.test and include the request ID/);
      const requestId = page.headers.get('x-request-id');
      assert.ok(page.html.includes(`href="mailto:help@firm.test?subject=Request%20${requestId}"`));
      for (const path of ['/nope', '/', '/docs', '/auth/logout']) {
        const { html } = await open(path);
        const footer = /<footer.*<\/footer>/s.exec(html)?.[0] ?? '';
        assert.match(footer, /<a href="https:\/\/firm\.test\/terms\?a=1&amp;b=2">Terms<\/a>/, path);
        assert.match(footer, /\/privacy">Privacy<\/a>\s*<a href="mailto:help@firm\.test">Contact<\/a>/, path);
      }
      assert.equal(page.status, 404);
      assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
      assert.ok(page.text.includes(page.headers.get('x-request-id') ?? 'none'));
      assert.match(page.headers.get('content-security-policy') ?? '', /script-src 'self';/);
      assert.equal((await open('/api/v1/nope')).headers.get('content-type'), 'application/json; charset=utf-8');
      const program = await fetch(`${service.url}/nope`);
      assert.equal(program.headers.get('content-type'), 'application/json; charset=utf-8');
    });

    test('the status page shows 90 days, and the incidents that the operator writes, also as a feed', async () => {
      await using service = await startService(engine);
      const open = pageOpener(service);
      const incidents =
        '# Ours\n\n## 2026-03-14 09:30 Search <b>slow\n\nThe disk was full.\n\n## nonsense\n\n## 2026-03-15: Moved\n';
      writeFileSync(join(service.database.dataDir, 'incidents.md'), incidents);
      await importSynthetic(service, 'no', 50);
      await service.services.statusHistory.check();
      service.clock.advance(86_400_000);
      await service.services.statusHistory.check();
      const { text, html } = await open('/status');
      assert.match(text, /ready in 100 % of checks, 1 start, 1 import\./);
      assert.match(text, /16 Mar 2026 100 % of checks 0 0 0 0/);
      assert.match(text, /1 register: 1 with sample data\. Last import:/);
      assert.match(text, /Moved 15 Mar 2026.*Search <b>slow 14 Mar 2026, 09:30 UTC The disk was full\./);
      assert.equal(html.match(/<rect /g)?.length, 90);
      const feed = await fetch(`${service.url}/status.atom`);
      assert.equal(feed.headers.get('content-type'), 'application/atom+xml; charset=utf-8');
      const xml = await feed.text();
      assert.deepEqual(xml.match(/(?<=<title>)[^<]*/g), ['Firmament: incidents', 'Moved', 'Search &lt;b&gt;slow']);
      assert.match(
        xml,
        /<link href="http[^"]*\/status#2026-03-14T0930"\/>\s*<content type="text">The disk was full\.</,
      );
    });

    test('before the schema exists, the status page says so and other pages answer 503', async () => {
      await using service = await startService(engine, { unprepared: true });
      const open = pageOpener(service);
      assert.match((await open('/status')).text, /Service unavailable/);
      for (const path of ['/', '/coverage']) assert.equal((await open(path)).status, 503, path);
      assert.equal((await open('/docs')).status, 200);
    });
  });
}

test('the stylesheet consists of every file in public/styles', async () => {
  await using service = await startService('sqlite');
  const stylesheet = await (await fetch(`${service.url}/assets/app.css`)).text();
  const folder = new URL('../../public/styles/', import.meta.url);
  const files = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'));
  const rulesOf = (text: string) => text.replace(/\/\*.*?\*\//gs, '').replace(/\s+/g, '');
  for (const file of files) assert.ok(rulesOf(stylesheet).includes(rulesOf(file)), `missing: ${file.slice(0, 40)}`);
  assert.equal(rulesOf(stylesheet).length, rulesOf(files.join('\n')).length);
});

test('every document opens, its links work, and its examples use the address of this server', async () => {
  await using service = await startService('sqlite');
  const open = pageOpener(service);
  const files = readdirSync(new URL('../../docs/guides/', import.meta.url)).map((name) => `guides/${name}`);
  const addresses = [
    ...files,
    'registers/README.md',
    'registers/fields.md',
    'registers/status.md',
    'registers/legal-forms.md',
    'errors.md',
  ].map(addressOf);
  const session = await service.signIn();
  const follow = async (target: string) => {
    const { status, html } = await open(target, target === '/dashboard' ? session : undefined);
    return status < 400 ? html : undefined;
  };
  const pages = new Map<string, string>();
  for (const address of [...addresses, ...registers.map(({ id }) => `/docs/registers/${id}`)]) {
    const { status, html } = await open(address);
    assert.equal(status, 200, address);
    assert.doesNotMatch(html, /127\.0\.0\.1:3000/);
    pages.set(address, html);
  }
  for (const [address, html] of pages) {
    for (const [, path = '', anchor = ''] of html.matchAll(/href="(\/(?!auth)[^"#]*)?(?:#([^"]*))?"/g)) {
      const target = path === '' ? address : path;
      const found = pages.get(target) ?? (await follow(target));
      assert.ok(found !== undefined, `${address} links to ${target}`);
      pages.set(target, found);
      assert.ok(anchor === '' || found.includes(` id="${anchor}"`), `${address} links to ${target}#${anchor}`);
    }
  }
});

test('links between documents become links between pages, others stay as they are', () => {
  const render = (link: string, file: string) => renderMarkdown(link, file).article.text.trim();
  const cases = [
    ['../errors.md#a', 'guides/limits.md', '/docs/errors#a'],
    ['sync.md', 'guides/limits.md', '/docs/sync'],
    ['gb.md', 'registers/README.md', '/docs/registers/gb'],
    ['#a', 'guides/limits.md', '#a'],
    ['https://x.example/a.md', 'guides/limits.md', 'https://x.example/a.md'],
  ] as const;
  for (const [link, file, address] of cases) {
    assert.equal(render(`See [*it*](${link}).`, file), `<p>See <a href="${address}"><em>it</em></a>.</p>`);
  }
});

describe('times', () => {
  const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

  test('a wait is rounded up, an age is rounded down', () => {
    const waits = [0, 1, 1_001, 2 * minute, 2 * minute + 1, 2 * hour, 2 * hour + 1, 2 * day, 2 * day + 1];
    assert.deepEqual(waits.map(formatWait), [
      '1 second', '1 second', '2 seconds', '120 seconds', '3 minutes', '120 minutes', '3 hours', '48 hours', '3 days',
    ]); // biome-ignore format: one line per list
    const ages = [minute - 1, minute, hour - 1, hour, day - 1, day, 3 * day - 1];
    assert.deepEqual(ages.map(formatAge), [
      'just now', '1 minute ago', '59 minutes ago', '1 hour ago', '23 hours ago', '1 day ago', '2 days ago',
    ]); // biome-ignore format: one line per list
  });

  test('the state of a register in words', () => {
    const [register = assert.fail('no register')] = registers;
    const state = { register, entities: 1, asOf: null, importedAt: 0, checkedAt: null, failures: 0, problem: null };
    const badge = (freshness: Freshness | null, synthetic = false) =>
      /badge \w+">([^<]+)/.exec(showFreshness({ ...state, freshness, synthetic }).text)?.[1];
    assert.deepEqual(['fresh', 'due', 'overdue'].map((each) => badge(each as Freshness)), [
      'Up to date', 'Update due', 'Overdue',
    ]); // biome-ignore format: one line per list
    assert.deepEqual([badge(null), badge('fresh', true)], [undefined, 'Sample']);
  });
});

test('paging links to every page that exists, and not to the current one', () => {
  const linksOn = (page: number, pageCount: number) => {
    const query = readSearchQuery({ q: "o'neil", page: String(page) });
    const links = paging(query, pageCount).text.matchAll(/<a href="([^"]+)"[^>]*>(\w+)/g);
    return Array.from(links, ([, href = '', text]) => `${text} ${/page=(\d+)/.exec(href)?.[1] ?? 1}`);
  };
  assert.deepEqual(linksOn(1, 1), []);
  assert.deepEqual(linksOn(1, 2), ['Next 2', 'Last 2']);
  assert.deepEqual(linksOn(2, 3), ['First 1', 'Previous 1', 'Next 3', 'Last 3']);
  assert.deepEqual(linksOn(3, 3), ['First 1', 'Previous 2']);
  assert.deepEqual(linksOn(9, 3), ['First 1', 'Previous 3', 'Last 3']);
});

describe('record values', () => {
  test('numbers keep their digits and values their order', () => {
    const { value } = createExcerpt(
      '{"a":1.5,"b":[{"c":"12345678901234567890"},{"c":null}],"d":[],"e":["x"],"f":true}',
    );
    assert.deepEqual(
      flatten(value).map(({ path, value: text }) => `${path.join('.')}=${text}`),
      ['a=1.5', 'b.1.c=12345678901234567890', 'b.2.c=', 'd=', 'e=x', 'f=true'],
    );
  });

  test('indented JSON parses to the same value', () => {
    for (const json of ['{"a":{"b":[1,{}],"c":"x, {y}: [z] \\" \u202e"},"d":[]}', '[]', '{"a":1.50}']) {
      assert.deepEqual(JSON.parse(indentJson(json)), JSON.parse(json));
    }
    assert.equal(indentJson('{"a":[1,2],"b":{}}'), '{\n  "a": [\n    1,\n    2\n  ],\n  "b": {}\n}');
  });

  test('labels, plain text and escaped text', () => {
    assert.equal(labelOf('strikeOffProposed'), 'Strike off proposed');
    assert.equal(labelOf('vatNumber'), 'VAT number');
    assert.equal(labelPath(['address', 'poBox']), 'Address › PO box');
    assert.equal(labelPath(['address', 'postCode']), 'Address › post code');
    assert.equal(plainText('A\n\u202eB'), 'A B');
    assert.equal(showText('<i>').text, '<bdi>&lt;i&gt;</bdi>');
  });
});
