import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { registers } from '../../src/registers/index.ts';
import { DOCUMENTS, ERRORS, listRegisterDocuments } from '../../src/web/docs/library.ts';
import { findCompanyPage } from '../../src/web/parts/record/record-actions.ts';
import { type OpenPage, pageOpener } from '../harness/pages.ts';
import { startService, type TestService } from '../harness/service.ts';

describe('what pages have in common', () => {
  let service: TestService;
  let open: OpenPage;
  before(async () => {
    service = await startService('sqlite');
    open = pageOpener(service);
  });
  after(() => service?.[Symbol.asyncDispose]());

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
    else assert.ok(row.includes(licence) && row.includes(attribution.replaceAll("'", '&#39;')), id);
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
