import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { clientCredentialsGrant } from 'openid-client';
import { createIssuer } from '../../src/accounts/issuer.ts';
import { createBrowser, type FakeBrowser } from '../harness/browser-session.ts';
import { startHttp } from '../harness/http-server.ts';
import { startIdentityProvider } from '../harness/identity.ts';
import { readLimits } from '../harness/limits.ts';
import { startService } from '../harness/service.ts';
import { comeBack, shareSignIn } from './signing-in.ts';

const encode = (text: string) => Buffer.from(text).toString('base64url');

describe('hostile and failing sign-ins', () => {
  const withService = shareSignIn('sqlite');
  const assertRejected = async (browser: FakeBrowser, url: string, what: string) => {
    const page = await browser.open(url);
    assert.equal(page.status, 400, what);
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
    assert.equal(browser.cookie('session'), undefined, what);
  };

  test('a forged or missing state or code, another browser and an error of the provider are rejected', () =>
    withService(async (service, _idp, browser) => {
      const change = async (edit: (url: URL) => void) => {
        const url = new URL(await comeBack(service, browser, 'anna@example.com'));
        edit(url);
        return url.href;
      };
      await assertRejected(browser, await change((url) => url.searchParams.set('state', 'forged')), 'forged state');
      await assertRejected(browser, await change((url) => url.searchParams.delete('state')), 'no state');
      await assertRejected(browser, await change((url) => url.searchParams.append('state', 'x')), 'two states');
      await assertRejected(browser, await change((url) => url.searchParams.set('code', 'forged')), 'forged code');
      await assertRejected(browser, await change((url) => url.searchParams.delete('code')), 'no code');
      await assertRejected(
        browser,
        await change((url) => url.searchParams.set('iss', 'https://evil.example')),
        'mix-up',
      );
      await assertRejected(createBrowser(), await change(() => undefined), 'login CSRF: a link from another browser');
      await assertRejected(
        browser,
        await change((url) => {
          url.search = '?error=access_denied&state=x';
        }),
        'error',
      );
      await assertRejected(browser, `${service.url}/auth/callback`, 'no parameters');
    }));

  test('the state of another sign-in of the same browser, and a replay with the same cookie, are rejected', () =>
    withService(async (service, _idp, browser) => {
      const first = await comeBack(service, browser, 'anna@example.com');
      const kept = browser.cookie('login') ?? '';
      await comeBack(service, browser, 'anna@example.com');
      await assertRejected(browser, first, 'the first of two');

      const back = await comeBack(service, browser, 'anna@example.com');
      const cookie = browser.cookie('login') ?? '';
      assert.notEqual(cookie, kept);
      await browser.open(back);
      assert.ok(browser.cookie('session'));
      const replayed = await fetch(back, { headers: { cookie: `login=${cookie}` }, redirect: 'manual' });
      assert.equal(replayed.status, 400, 'the provider redeems a code only once');
      assert.ok(!replayed.headers.getSetCookie().some((each) => each.startsWith('session=')));
      const without = await fetch(back, { redirect: 'manual' });
      assert.equal(without.status, 400);
    }));

  test('no sign-in returns to another site, whatever the request or the cookie says', () =>
    withService(async (service, _idp, browser) => {
      for (const target of ['https://evil.example', '//evil.example', '/\\evil.example', '/%09/evil.example', 'x']) {
        const back = await comeBack(service, browser, 'a@b.c', `?returnTo=${encodeURIComponent(target)}`);
        const done = await browser.open(back);
        assert.equal(new URL(done.url).origin, service.url, target);
      }
      for (const target of ['//evil.example', '/docs']) {
        const back = await comeBack(service, browser, 'a@b.c', '?returnTo=/explore');
        const [seed, expires, , signature] = (browser.cookie('login') ?? '').split('.');
        browser.setCookie('login', [seed, expires, encode(target), signature].join('.'));
        const page = await browser.open(back);
        assert.deepEqual([page.status, page.url], [400, back], 'a changed cookie is rejected');
      }
    }));

  test('a cookie is accepted only as we signed it, for ten minutes', () =>
    withService(async (service, _idp, browser) => {
      const back = await comeBack(service, browser, 'anna@example.com');
      const cookie = browser.cookie('login') ?? '';
      const [seed = '', expires = '', target = '', signature = ''] = cookie.split('.');
      const flipped = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
      for (const changed of [
        [seed, expires, target, flipped],
        [seed, expires, target, ''],
        [seed, expires, target],
        [seed, Number(expires) + 600, target, signature],
        [`${seed}A`, expires, target, signature],
        [seed, expires, target, signature, signature],
        ['', '', '', ''],
        [encode('chosen'), encode('/')],
      ]) {
        const headers = { cookie: `login=${changed.join('.')}` };
        assert.equal((await fetch(back, { headers, redirect: 'manual' })).status, 400, changed.join('.'));
      }
      service.clock.advance(601_000);
      const late = await fetch(back, { headers: { cookie: `login=${cookie}` }, redirect: 'manual' });
      assert.deepEqual([late.status, /Sign-in expired/.test(await late.text())], [400, true]);
      service.clock.advance(-2_000);
      const inTime = await fetch(back, { headers: { cookie: `login=${cookie}` }, redirect: 'manual' });
      assert.equal(inTime.status, 302);
    }));

  test('sign-in answers 503 if no provider is configured, or if it is down', async () => {
    await using service = await startService('sqlite');
    const page = await service.client.get('/auth/login');
    assert.equal(page.status, 503);
    assert.match(page.text, /Sign-in is not configured/);
    await using idp = await startIdentityProvider(() => service.url);
    await idp.stop();
    await using other = await startService('sqlite', { env: idp.env });
    const down = await other.client.get('/auth/login');
    assert.deepEqual([down.status, /temporarily unavailable/i.test(down.text)], [503, true]);
    assert.ok(Number(down.headers.get('retry-after')) >= 1);
  });

  test('no secret of a sign-in reaches the log or the database', () =>
    withService(async (service, _idp, browser) => {
      const back = new URL(await comeBack(service, browser, 'anna@example.com'));
      const login = browser.cookie('login') ?? '';
      await browser.open(back.href);
      await browser.open(back.href);
      const rows = await Promise.all(
        ['users', 'sessions', 'accounts'].map((table) => service.services.accountsDb.all(`SELECT * FROM ${table}`)),
      );
      const everything = service.logLines.join('') + JSON.stringify(rows);
      for (const secret of [login, login.split('.')[0], browser.cookie('session'), back.searchParams.get('code')]) {
        assert.ok(secret && secret.length > 10);
        assert.ok(!everything.includes(secret));
      }
    }));

  test('the provider of the demo accepts any e-mail address, works without scripts, and asks again if the address is invalid', () =>
    withService(async (service, _idp, browser) => {
      const page = await browser.open(`${service.url}/auth/login`);
      assert.doesNotMatch(page.text, /<script/);
      for (const email of ['', 'x', '<b>@x', 'a@b c', `${'a'.repeat(300)}@x.y`]) {
        const again = await browser.submit(page, { email });
        assert.equal(again.status, 400);
        assert.match(again.text, /valid e-mail address/);
        assert.doesNotMatch(again.text, /<b>/);
      }
      const done = await browser.submit(page, { email: " o'x+y@sub.example.co.uk " }).catch(() => undefined);
      assert.ok(done);
    }));
});

/** Requests a token from a provider that supports these methods. Returns what the provider received. */
async function requestToken(methods: readonly string[] | undefined, clientSecret: string | undefined) {
  let received: { readonly authorization: string | undefined; readonly form: object } | undefined;
  const answer = async (request: IncomingMessage, issuer: string) => {
    if (request.url !== '/token') {
      return { issuer, token_endpoint: `${issuer}/token`, token_endpoint_auth_methods_supported: methods };
    }
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    received = { authorization: request.headers.authorization, form };
    return { access_token: 'a', token_type: 'bearer' };
  };
  await using server = await startHttp(async (request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(await answer(request, `http://${request.headers.host}`)));
  });
  const settings = { issuer: server.url, clientId: 'us', clientSecret, audience: 'us' };
  await clientCredentialsGrant(await createIssuer(() => settings, readLimits()).discover());
  return received;
}

const grant = { grant_type: 'client_credentials' };
const basic = { authorization: `Basic ${Buffer.from('us:s3').toString('base64')}`, form: grant };

test('the secret goes into the header, and into the body only if the provider does not support the header', async () => {
  assert.deepEqual(await requestToken(undefined, 's3'), basic);
  assert.deepEqual(await requestToken(['client_secret_post', 'client_secret_basic'], 's3'), basic);
  assert.deepEqual(await requestToken(['client_secret_post'], 's3'), {
    authorization: undefined,
    form: { ...grant, client_id: 'us', client_secret: 's3' },
  });
});

test('a public client sends only its id', async () => {
  const onlyId = { authorization: undefined, form: { ...grant, client_id: 'us' } };
  assert.deepEqual(await requestToken(undefined, undefined), onlyId);
});
