import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { html } from '../../src/base/html.ts';
import { DOCUMENTS, ERRORS, listRegisterDocuments } from '../../src/portal/docs/library.ts';
import { createKeptPages } from '../../src/portal/kept-pages.ts';
import { findCompanyPage } from '../../src/portal/record/summary.ts';
import { registers } from '../../src/registers/index.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { company } from '../registry/gb-file.ts';
import { pageOpener } from './pages.ts';

describe('what pages have in common', () => {
  const service = useService('sqlite');
  const open = pageOpener(service);

  test('error pages show whether the visitor is signed in', async () => {
    const session = await service.signIn();
    const show = async (path: string, signedIn: boolean) => {
      const { status, html } = await open(path, signedIn ? session : undefined);
      assert.equal(status, 404);
      return [/>Sign out</.test(html), />Sign in</.test(html)];
    };
    for (const path of ['/no-such-page', '/docs/errors/no_such_error', '/dashboard/plans/gold']) {
      assert.deepEqual(await show(path, true), [true, false], path);
    }
    assert.deepEqual(await show('/no-such-page', false), [false, true]);
  });

  test('robots.txt keeps search engines away from records, results and accounts', async () => {
    const reply = await fetch(`${service.url}/robots.txt`);
    assert.deepEqual([reply.status, reply.headers.get('content-type')], [200, 'text/plain; charset=utf-8']);
    const lines = (await reply.text()).split('\n');
    assert.equal(lines[0], 'User-agent: *');
    for (const path of ['/entities/', '/explore?', '/dashboard', '/api/'])
      assert.ok(lines.includes(`Disallow: ${path}`));
    assert.ok(!lines.includes('Disallow: /'));
  });

  test('the sitemap lists pages that open and may be listed, and a setting hides the whole site', async () => {
    assert.match(await (await fetch(`${service.url}/robots.txt`)).text(), /^Sitemap: http.*\/sitemap\.xml$/m);
    const sitemap = await (await fetch(`${service.url}/sitemap.xml`)).text();
    const paths = [...sitemap.matchAll(/<loc>[^<]*?:\d+(\/[^<]*)<\/loc>/g)].map(([, path = '']) => path);
    assert.ok(paths.includes('/plans') && paths.includes('/docs/limits'), sitemap);
    for (const path of paths) {
      const { status, html } = await open(path);
      assert.equal(status, 200, path);
      assert.doesNotMatch(html, /name="robots"/, path);
    }
    await using hidden = await startService('sqlite', { env: { CRAWLERS: 'none' } });
    assert.match(await (await fetch(`${hidden.url}/robots.txt`)).text(), /^Disallow: \/$/m);
    assert.equal((await fetch(`${hidden.url}/sitemap.xml`)).status, 404);
    assert.match((await pageOpener(hidden)('/docs')).html, /<meta name="robots" content="noindex, nofollow">/);
  });

  test('the header leads to the plans, and /pricing too', async () => {
    const { html, text } = await open('/plans');
    assert.match(html, /<a href="\/plans" aria-current="page">Plans<\/a>/);
    for (const price of ['€0', '€29', '€99']) assert.ok(text.includes(price));
    const moved = await fetch(`${service.url}/pricing`, { redirect: 'manual' });
    assert.deepEqual([moved.status, moved.headers.get('location')], [301, '/plans']);
  });

  test('every document has a description, and its title is its entry in the menu', async () => {
    for (const { title, address } of [...DOCUMENTS, ...listRegisterDocuments(), ERRORS]) {
      const { html } = await open(address);
      const heading = /<h1>(.*?)<\/h1>/.exec(html)?.[1] ?? assert.fail(`${address} has no heading`);
      assert.ok(
        heading === title || heading.startsWith(`${title}: `) || heading.endsWith(`: ${title}`),
        `${heading} is ${title} in the menu`,
      );
      if (address === ERRORS.address) continue;
      const description = /<meta name="description" content="([^"]*)">/.exec(html)?.[1] ?? '';
      assert.match(description, /^[\p{L}@].{20,}/u, `${address}: ${description}`);
      assert.doesNotMatch(description, /[`|]|\]\(/, address);
    }
  });

  test('two keys with one name have different buttons', async () => {
    const session = await service.signIn({ plan: 'pro' });
    for (const _ of [1, 2]) await open('/dashboard/keys', session, { name: 'production' });
    const { html } = await open('/dashboard', session);
    const labels = html.match(/aria-label="Revoke [^"]*"/g) ?? [];
    assert.deepEqual([labels.length, new Set(labels).size], [2, 2]);
  });
});

test('coverage states a licence and whom to name, or says that it is unknown and whom to ask', async () => {
  await using service = await startService('sqlite');
  const { html } = await pageOpener(service)('/coverage');
  for (const { id, licence, licenceUnknown, attribution, sourceUrl } of registers) {
    const [row = ''] = html.split(`href="/docs/registers/${id}"`)[1]?.split('</tr>') ?? [];
    if (licenceUnknown)
      assert.ok(row.includes('Unknown: ask <a') && row.includes(sourceUrl.replaceAll('&', '&amp;')), id);
    else
      assert.ok(
        row.includes(licence) && row.includes(attribution.replaceAll("'", '&#39;')) && !row.includes(': ask'),
        id,
      );
    assert.equal(licence === 'Unknown', licenceUnknown === true, id);
    assert.doesNotMatch(licence, /not stated|established|sources read|see the/i, 'a note to ourselves');
  }
});

test('addresses of the pages of companies are https, and the number is in them', () => {
  const withPages = registers.filter(({ companyPage }) => companyPage !== undefined);
  assert.ok(withPages.length >= 10);
  for (const register of withPages) {
    assert.match(register.companyPage ?? '', /^https:\/\/[\w.-]+\/\S*\{(number|digits)\}$/, register.id);
    const address = findCompanyPage({ registrationNumber: '12.34/5&x' }, register) ?? '';
    assert.match(new URL(address).href, /12\.34%2F5%26x$|12345x$/, register.id);
  }
  assert.equal(findCompanyPage({ registrationNumber: null }, registers[0]), undefined);
});

test('examples use one name for the key and one header', () => {
  const folder = new URL('../../docs/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /^(guides|registers)\/.*\.md$|^errors\.md$/.test(file),
  );
  assert.ok(files.length > 20);
  for (const file of files) {
    const source = readFileSync(new URL(file, folder), 'utf8');
    assert.doesNotMatch(source, /\$(KEY|API_KEY|TOKEN|FRM_KEY)\b/, file);
    // A redirect to another host must not get the key, so downloads of exports use the other header.
    const bearers = source.match(/Bearer \$FIRMAMENT_KEY/g) ?? [];
    assert.equal(bearers.length, file === 'guides/exports.md' ? 1 : 0, file);
  }
});

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

const SITE = 'https://firm.test';
const DAY = 24 * 60 * 60 * 1_000;

describe('files at well-known addresses', () => {
  const service = useService('sqlite', { env: { PUBLIC_URL: SITE, CONTACT_EMAIL: 'security+1@firm.test' } });

  test('security.txt has contact, expiry, canonical address and policy, each once', async () => {
    const reply = await fetch(`${service.url}/.well-known/security.txt`);
    assert.deepEqual([reply.status, reply.headers.get('content-type')], [200, 'text/plain; charset=utf-8']);
    const lines = (await reply.text()).split('\n');
    assert.equal(lines.pop(), '');
    const fields = lines.map((line) => line.split(': ', 2) as [string, string]);
    const { Expires: expires = '', ...others } = Object.fromEntries(fields);
    assert.equal(fields.length, 5);
    assert.deepEqual(others, {
      Contact: 'mailto:security%2B1@firm.test',
      'Preferred-Languages': 'en',
      Canonical: `${SITE}/.well-known/security.txt`,
      Policy: `${SITE}/docs/authentication#report-a-vulnerability`,
    });
    const policy = await (await fetch(`${service.url}/docs/authentication`)).text();
    assert.match(policy, /id="report-a-vulnerability"/);
    const valid = (Date.parse(expires) - service.clock.now()) / DAY;
    assert.ok(valid > 30 && valid < 365, expires);
  });

  test('security.txt is always valid for months, however long the server has run', async () => {
    service.clock.advance(400 * DAY);
    const text = await (await fetch(`${service.url}/.well-known/security.txt`)).text();
    const [, expires = ''] = /^Expires: (.+)$/m.exec(text) ?? [];
    const valid = (Date.parse(expires) - service.clock.now()) / DAY;
    assert.ok(valid > 30 && valid < 365, expires);
  });

  test('every link in llms.txt leads to a page or document of this server', async () => {
    const reply = await fetch(`${service.url}/llms.txt`);
    assert.deepEqual([reply.status, reply.headers.get('content-type')], [200, 'text/plain; charset=utf-8']);
    const text = await reply.text();
    assert.match(text, /^# Firmament\n\n> /);
    const addresses = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, address = '']) => address);
    for (const needed of ['/mcp', '/api/v1/openapi.json', '/docs', '/docs/limits', '/docs/reference'])
      assert.ok(addresses.includes(SITE + needed), needed);
    for (const address of addresses) {
      assert.ok(address.startsWith(`${SITE}/`), address);
      const found = await fetch(service.url + address.slice(SITE.length), { method: 'HEAD' });
      // The endpoint for assistants takes only POST.
      assert.equal(found.status, address === `${SITE}/mcp` ? 405 : 200, address);
    }
  });

  test('the home page links to the contract and the documentation', async () => {
    const link = (await fetch(service.url)).headers.get('link') ?? '';
    const links = [...link.matchAll(/<([^>]+)>; rel="([\w-]+)"; type="([^"]+)"/g)];
    assert.deepEqual(
      links.map(([, , relation]) => relation),
      ['service-desc', 'service-doc'],
    );
    for (const [, address = '', , type = ''] of links) {
      const found = await fetch(new URL(address, service.url));
      assert.deepEqual([found.status, found.headers.get('content-type')], [200, `${type}; charset=utf-8`]);
    }
  });
});

describe('files at well-known addresses', () => {
  test('without a contact there is no security.txt', async () => {
    await using service = await startService('sqlite');
    assert.equal((await fetch(`${service.url}/.well-known/security.txt`)).status, 404);
  });

  test('security.txt of a site without https has no web addresses', async () => {
    await using service = await startService('sqlite', { env: { CONTACT_EMAIL: 'help@firm.test' } });
    const text = await (await fetch(`${service.url}/.well-known/security.txt`)).text();
    assert.doesNotMatch(text, /Canonical|Policy|http/);
  });
});
