import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { nameCookie, parseCookie, writeCookie } from '../../src/base/requests/cookies.ts';
import { networkOf } from '../../src/base/requests/networks.ts';
import { isCrossSite, validateReturnPath } from '../../src/base/requests/same-origin.ts';
import { createSite } from '../../src/base/site.ts';
import { normalizeAddress } from '../../src/http/request.ts';

const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));
const groups = fc.array(group, { minLength: 8, maxLength: 8 });

/** One of the ways to write an address: leading zeros or not, upper case or not, any run of zeros shortened or none, a zone. */
const spelling = fc.record({
  pad: fc.boolean(),
  upper: fc.boolean(),
  run: fc.nat(7),
  zone: fc.constantFrom('', '%eth0', '%2'),
});
type Spelling = typeof spelling extends fc.Arbitrary<infer S> ? S : never;

function spell(address: readonly number[], { pad, upper, run, zone }: Spelling): string {
  const texts = address.map((each) => each.toString(16).padStart(pad ? 4 : 1, '0'));
  let end = run;
  while (address[end] === 0) end++;
  const text = end === run ? texts.join(':') : `${texts.slice(0, run).join(':')}::${texts.slice(end).join(':')}`;
  return (upper ? text.toUpperCase() : text) + zone;
}

describe('addresses of clients', () => {
  test('every way to write an address gives the same text', () => {
    fc.assert(
      fc.property(groups, spelling, spelling, (address, one, other) => {
        assert.equal(normalizeAddress(spell(address, one)), normalizeAddress(spell(address, other)));
      }),
    );
  });

  test('an IPv4 address is the same in every form', () => {
    for (const text of [
      '203.0.113.7',
      '::ffff:203.0.113.7',
      '::FFFF:CB00:7107',
      '0:0:0:0:0:ffff:203.0.113.7',
      '::ffff:203.0.113.7%1',
    ])
      assert.equal(normalizeAddress(text), '203.0.113.7', text);
    assert.equal(networkOf('203.0.113.7'), '203.0.113.7');
    assert.notEqual(networkOf('203.0.113.7'), networkOf('203.0.113.8'));
  });

  test('an IPv6 network has 64 bits: the same for all its addresses, another one for all others', () => {
    fc.assert(
      fc.property(groups, groups, spelling, (a, b, how) => {
        const network = (address: readonly number[]) => networkOf(normalizeAddress(spell(address, how)));
        const sameNetwork = [...a.slice(0, 4), ...b.slice(4)];
        // Embedded IPv4 addresses are networks of their own.
        fc.pre(![a, b, sameNetwork].some((each) => each.slice(0, 5).every((part) => part === 0)));
        assert.equal(network(a), network(sameNetwork));
        assert.equal(network(a) === network(b), String(a.slice(0, 4)) === String(b.slice(0, 4)));
      }),
    );
    assert.equal(networkOf(normalizeAddress('2001:db8::1')), '2001:db8:0:0::/64');
    assert.equal(networkOf(normalizeAddress('::1')), '0:0:0:0::/64');
    assert.equal(networkOf(normalizeAddress('1::2:3:4:5:6:7')), '1:0:2:3::/64');
  });
});

describe('isCrossSite', () => {
  const url = 'https://api.example.com';
  const cases = [
    [{}, false],
    [{ host: 'api.example.com' }, false],
    [{ origin: url }, false],
    [{ origin: url, 'sec-fetch-site': 'same-origin' }, false],
    [{ 'sec-fetch-site': 'same-origin' }, false],
    [{ 'sec-fetch-site': 'none' }, false],
    [{ origin: url, 'sec-fetch-site': 'none' }, false],
    [{ origin: 'https://alias.example.com' }, false],
    [{ origin: 'https://localhost:3000', host: 'localhost:3000' }, true],
    [{ origin: 'https://evil.example', host: 'evil.example' }, true],
    [{ origin: 'https://evil.alias.example.com' }, true],
    [{ origin: 'https://evil.example' }, true],
    [{ origin: 'https://evil.example', host: 'api.example.com' }, true],
    [{ origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }, true],
    [{ origin: 'https://evil.example', 'sec-fetch-site': 'none' }, true],
    [{ origin: 'http://api.example.com', host: 'api.example.com' }, true],
    [{ origin: 'https://api.example.com.evil.example' }, true],
    [{ origin: 'https://api.example.com:444', host: 'api.example.com' }, true],
    [{ origin: `${url}, https://evil.example` }, true],
    [{ origin: 'null' }, true],
    [{ origin: 'null', 'sec-fetch-site': 'same-origin' }, true],
    [{ origin: '', 'sec-fetch-site': 'same-origin' }, true],
    [{ origin: 'https://x', host: 'not a host' }, true],
    [{ 'sec-fetch-site': 'same-site' }, true],
    [{ 'sec-fetch-site': 'cross-site' }, true],
    [{ origin: url, 'sec-fetch-site': 'same-site' }, true],
    [{ origin: url, 'sec-fetch-site': 'cross-site' }, true],
    [{ 'sec-fetch-site': 'same-origin, cross-site' }, true],
    [{ 'sec-fetch-site': ['same-origin', 'cross-site'] }, true],
    [{ 'sec-fetch-site': '' }, true],
    [{ 'sec-fetch-site': 'a value of the future' }, true],
  ] as const;
  for (const [headers, expected] of cases) {
    test(`${JSON.stringify(headers)} ${expected ? 'is cross-site' : 'is not cross-site'}`, () => {
      const site = createSite({ url: () => url, allowedHosts: ['alias.example.com'] });
      assert.equal(isCrossSite({ headers: headers as object }, site), expected);
    });
  }
});

describe('validateReturnPath', () => {
  test('returns a path of this site unchanged', () => {
    for (const path of ['/', '/docs', '/docs/errors?x=1#y', '/a/../b', '/%2f%2fevil']) {
      assert.equal(validateReturnPath(path), path);
    }
  });

  test('returns the fallback for anything else', () => {
    for (const given of [
      undefined,
      ['/docs'],
      '',
      'docs',
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '\\/evil.example',
      '/\t/evil.example',
      '/\n/evil.example',
      ' //evil.example',
      'javascript:alert(1)',
      '/docs\\..',
      '/a b',
      '/é',
      `/${'a'.repeat(1_001)}`,
    ]) {
      assert.equal(validateReturnPath(given, '/fallback'), '/fallback', JSON.stringify(given));
    }
  });

  test('no input leads to another site', () => {
    const awkward = fc.constantFrom(
      '/',
      '\\',
      '.',
      '..',
      '@',
      ':',
      '?',
      '#',
      '%2f',
      '\t',
      'evil.example',
      'http:',
      ' ',
    );
    const text = fc
      .array(fc.oneof(awkward, fc.string({ maxLength: 3 })), { maxLength: 8 })
      .map((parts) => parts.join(''));
    const site = 'https://api.example.com';
    fc.assert(
      fc.property(text, (given) => {
        for (const path of [given, `/${given}`]) {
          const target = new URL(validateReturnPath(path), `${site}/auth/callback`);
          assert.equal(target.origin, site);
        }
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('cookies', () => {
  test('are read by their exact name', () => {
    const header = 'a=1; session=abc=; xsession=no; session=second; flag';
    assert.equal(parseCookie(header, 'session', false), 'abc=');
    assert.equal(parseCookie(header, 'a', false), '1');
    assert.equal(parseCookie(header, 'flag', false), undefined);
    assert.equal(parseCookie(undefined, 'session', false), undefined);
  });

  test('on https, only a cookie with the prefix is read', () => {
    const header = 'session=planted; __host-session=lower; __Host-session=ours';
    assert.equal(parseCookie(header, 'session', true), 'ours');
    assert.equal(parseCookie('session=planted', 'session', true), undefined);
    assert.equal(parseCookie(header, 'session', false), 'planted');
  });

  test('are written with HttpOnly and SameSite=Lax, and Secure on https', () => {
    const plain = writeCookie('session', 'x', { maxAgeSeconds: 60, path: '/', secure: false });
    assert.equal(plain, 'session=x; Path=/; Max-Age=60; HttpOnly; SameSite=Lax');
    const secure = writeCookie('login', 'x', { maxAgeSeconds: 60, path: '/auth', secure: true });
    assert.equal(secure, '__Host-login=x; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure');
    assert.equal(nameCookie('login', true), '__Host-login');
  });
});

const LOOPBACK = [
  'localhost',
  'LOCALHOST',
  'localhost:1',
  'localhost.',
  'app.localhost:80',
  '127.0.0.1',
  '127.9.8.7:3000',
];

/** Names of other sites, and spellings of loopback addresses that no browser sends. */
const FOREIGN = [
  'attacker.example',
  'attacker.example:3000',
  'localhost.attacker.example',
  '127.0.0.1.attacker.example',
  'notlocalhost',
  '127.0.0.1.nip.io',
  '127.0.0.256',
  '127.1',
  '2130706433',
  '0x7f.0.0.1',
  '0.0.0.0:3000',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '',
  '.',
  ':3000',
];

describe('the names of the site', () => {
  test('are all loopback names if its address is on this machine', () => {
    for (const url of ['http://127.0.0.1:3000', 'http://localhost:3000', 'http://[::1]:3000']) {
      const site = createSite({ url: () => url });
      for (const host of [...LOOPBACK, '[::1]', '[::1]:3000']) assert.equal(site.hasHost(host), true, `${url} ${host}`);
      for (const host of [...FOREIGN, undefined]) assert.equal(site.hasHost(host), false, `${url} ${host}`);
    }
  });

  test('are all loopback names if it listens on all addresses and has no public address', () => {
    for (const url of ['http://0.0.0.0:3000', 'http://[::]:3000']) {
      const site = createSite({ url: () => url });
      assert.equal(site.hasHost('localhost:3000'), true);
      assert.equal(site.hasOrigin('http://localhost:3000'), true);
      assert.equal(site.hasHost('attacker.example:3000'), false);
    }
  });

  test('are the host of its address and the allowed hosts otherwise, in any case, with any port', () => {
    const site = createSite({ url: () => 'https://api.example.com', allowedHosts: ['www.example.com', '10.0.0.7'] });
    for (const host of [
      'api.example.com',
      'API.Example.com.',
      'api.example.com:8443',
      'www.example.com:443',
      '10.0.0.7:3000',
    ]) {
      assert.equal(site.hasHost(host), true, host);
      assert.equal(site.hasHost(host), true, `${host} again`);
    }
    for (const host of [...LOOPBACK, ...FOREIGN, 'example.com', 'x.api.example.com', 'api.example.com..']) {
      assert.equal(site.hasHost(host), false, host);
    }
  });

  test('an origin must also have the scheme and the port of the address', () => {
    const local = createSite({ url: () => 'http://127.0.0.1:3000' });
    for (const origin of ['http://127.0.0.1:3000', 'http://localhost:3000', 'http://[::1]:3000']) {
      assert.equal(local.hasOrigin(origin), true, origin);
    }
    for (const origin of [
      'http://localhost',
      'http://localhost:5173',
      'https://localhost:3000',
      'http://attacker.example:3000',
      'http://localhost:3000/',
      'http://LOCALHOST:3000',
      'http://me@localhost:3000',
      'null',
      '',
      'http://localhost:3000, http://attacker.example',
    ]) {
      assert.equal(local.hasOrigin(origin), false, origin);
    }
    const site = createSite({ url: () => 'https://api.example.com', allowedHosts: ['www.example.com'] });
    assert.equal(site.hasOrigin('https://www.example.com'), true);
    assert.equal(site.hasOrigin('http://www.example.com'), false);
    assert.equal(site.hasOrigin('https://www.example.com:8443'), false);
  });
});
