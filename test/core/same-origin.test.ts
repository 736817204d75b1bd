import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readCookie, writeCookie } from '../../src/core/cookies.ts';
import { isCrossSite, type OriginRequest, readReturnPath } from '../../src/core/same-origin.ts';

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
    [{ origin: 'https://localhost:3000', host: 'localhost:3000' }, false],
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
      assert.equal(isCrossSite({ headers, protocol: 'http' } as OriginRequest, url), expected);
    });
  }

  test('the requested host is ours with https if the client used https, and with http only if the public URL is http', () => {
    const isForeign = (origin: string, protocol: string, publicUrl: string) =>
      isCrossSite({ headers: { origin, host: 'other.example' }, protocol }, publicUrl);
    assert.equal(isForeign('https://other.example', 'https', 'http://127.0.0.1:3000'), false);
    assert.equal(isForeign('http://other.example', 'https', 'http://127.0.0.1:3000'), true);
    assert.equal(isForeign('https://other.example', 'http', 'http://127.0.0.1:3000'), true);
    assert.equal(isForeign('http://other.example', 'http', 'http://127.0.0.1:3000'), false);
    assert.equal(isForeign('http://other.example', 'http', 'https://api.example.com'), true);
  });
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
    assert.equal(readCookie(header, 'session'), 'abc=');
    assert.equal(readCookie(header, 'a'), '1');
    assert.equal(readCookie(header, 'flag'), undefined);
    assert.equal(readCookie(undefined, 'session'), undefined);
  });

  test('are written with HttpOnly and SameSite=Lax, and Secure on https', () => {
    const plain = writeCookie('session', 'x', { maxAgeSeconds: 60, path: '/', secure: false });
    assert.equal(plain, 'session=x; Path=/; Max-Age=60; HttpOnly; SameSite=Lax');
    assert.match(writeCookie('session', 'x', { maxAgeSeconds: 60, path: '/', secure: true }), /; Secure$/);
  });
});
