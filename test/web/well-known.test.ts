import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { usualEngines } from '../harness/databases.ts';
import { startService, type TestService } from '../harness/service.ts';

const SITE = 'https://firm.test';
const DAY = 24 * 60 * 60 * 1_000;

for (const engine of usualEngines) {
  describe(`files at well-known addresses on ${engine}`, () => {
    let service: TestService;
    before(async () => {
      service = await startService(engine, { env: { PUBLIC_URL: SITE, CONTACT_EMAIL: 'security+1@firm.test' } });
    });
    after(() => service[Symbol.asyncDispose]());

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
}

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
