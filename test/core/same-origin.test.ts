import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { nameCookie, readCookie, writeCookie } from '../../src/core/requests/cookies.ts';
import { isCrossSite, readReturnPath } from '../../src/core/requests/same-origin.ts';
import { createSite } from '../../src/core/site.ts';

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

describe('readReturnPath', () => {
  test('returns a path of this site unchanged', () => {
    for (const path of ['/', '/docs', '/docs/errors?x=1#y', '/a/../b', '/%2f%2fevil']) {
      assert.equal(readReturnPath(path), path);
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
      assert.equal(readReturnPath(given, '/fallback'), '/fallback', JSON.stringify(given));
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
          const target = new URL(readReturnPath(path), `${site}/auth/callback`);
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
    assert.equal(readCookie(header, 'session', false), 'abc=');
    assert.equal(readCookie(header, 'a', false), '1');
    assert.equal(readCookie(header, 'flag', false), undefined);
    assert.equal(readCookie(undefined, 'session', false), undefined);
  });

  test('on https, only a cookie with the prefix is read', () => {
    const header = 'session=planted; __host-session=lower; __Host-session=ours';
    assert.equal(readCookie(header, 'session', true), 'ours');
    assert.equal(readCookie('session=planted', 'session', true), undefined);
    assert.equal(readCookie(header, 'session', false), 'planted');
  });

  test('are written with HttpOnly and SameSite=Lax, and Secure on https', () => {
    const plain = writeCookie('session', 'x', { maxAgeSeconds: 60, path: '/', secure: false });
    assert.equal(plain, 'session=x; Path=/; Max-Age=60; HttpOnly; SameSite=Lax');
    const secure = writeCookie('login', 'x', { maxAgeSeconds: 60, path: '/auth', secure: true });
    assert.equal(secure, '__Host-login=x; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure');
    assert.equal(nameCookie('login', true), '__Host-login');
  });
});
