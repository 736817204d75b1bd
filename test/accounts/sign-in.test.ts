import assert from 'node:assert/strict';
import { hkdfSync } from 'node:crypto';
import { describe, test } from 'node:test';
import * as oidc from 'openid-client';
import { createBrowser, type FakeBrowser } from '../harness/browser-session.ts';
import { engines } from '../harness/databases.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../harness/identity.ts';
import { startService, type TestService } from '../harness/service.ts';

const CALLBACK = /\/auth\/callback\?/;

/** A secret that a malicious page chooses. It knows every value that is derived from the secret alone. */
const SECRET = 'a'.repeat(43);
const FUTURE = '9999999999';
const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', SECRET, '', purpose, 32)).toString('base64url');
const encode = (text: string) => Buffer.from(text).toString('base64url');

async function withService(
  engine: (typeof engines)[0],
  work: (service: TestService, idp: TestIdentityProvider, browser: FakeBrowser) => Promise<void>,
) {
  let url = '';
  await using idp = await startIdentityProvider(() => url);
  await using service = await startService(engine, { env: idp.env });
  url = service.url;
  service.clock.set(new Date().toISOString());
  await work(service, idp, createBrowser());
}

/** Signs in and returns the address that the provider sends the browser back to. */
async function comeBack(service: TestService, browser: FakeBrowser, email: string, query = ''): Promise<string> {
  const page = await browser.open(`${service.url}/auth/login${query}`);
  return (await browser.submit(page, { email }, CALLBACK)).url;
}

const askMe = (service: TestService, browser: FakeBrowser) =>
  service.client.get('/api/v1/auth/me', { headers: { cookie: `session=${browser.cookie('session')}` } });

for (const engine of engines) {
  describe(`sign-in with a browser on ${engine}`, () => {
    test('uses the code flow with PKCE, state and nonce, and returns to the page it started from', () =>
      withService(engine, async (service, idp, browser) => {
        const leave = await browser.open(
          `${service.url}/auth/login?returnTo=/docs/errors%3Fa=b`,
          {},
          /\/demo\/idp\/auth\?/,
        );
        const sent = new URL(leave.url);
        assert.ok(sent.href.startsWith(`${idp.issuer}/auth?`));
        assert.equal(sent.searchParams.get('code_challenge_method'), 'S256');
        for (const name of ['state', 'nonce', 'code_challenge']) {
          assert.match(sent.searchParams.get(name) ?? '', /^[\w-]{43}$/, name);
        }
        const page = await browser.open(sent.href);
        assert.equal(page.status, 200);
        assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'/);
        const done = await browser.submit(page, { email: 'Anna@Example.com' });
        assert.equal(done.url, `${service.url}/docs/errors?a=b`);
        const { status, body } = await askMe(service, browser);
        assert.deepEqual([status, body.data.email, body.data.name], [200, 'anna@example.com', 'anna']);
        assert.equal(browser.cookie('login'), undefined, 'the login cookie is deleted');
      }));

    test('sets a cookie that is HttpOnly and Lax for all paths; a second sign-in replaces the session', () =>
      withService(engine, async (service, _idp, browser) => {
        const finish = async () => {
          const back = await comeBack(service, browser, 'anna@example.com');
          return browser.open(back, {}, /^http:\/\/[^/]+\/dashboard$/);
        };
        const header = (await finish()).headers.getSetCookie().find((each) => each.startsWith('session='));
        assert.match(header ?? '', /^session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
        const first = browser.cookie('session');
        await finish();
        assert.notEqual(browser.cookie('session'), first);
        const old = await service.client.get('/api/v1/auth/me', { headers: { cookie: `session=${first}` } });
        assert.deepEqual([old.status, old.body.error.code], [401, 'invalid_session']);
        assert.equal((await askMe(service, browser)).status, 200);
      }));

    test('marks every cookie as Secure if the public address is https', async () => {
      const origin = 'https://firmament.test';
      await using service = await startService(engine, { env: { PUBLIC_URL: origin } });
      const { headers } = await service.signIn();
      for (const [path, body] of [
        ['/dashboard/checkout', 'plan=pro'],
        ['/auth/logout', ''],
      ] as const) {
        const type = { 'content-type': 'application/x-www-form-urlencoded' };
        const form = { method: 'POST', body, headers: { ...headers, origin, ...type }, redirect: 'manual' } as const;
        const cookies = (await fetch(`${service.url}${path}`, form)).headers.getSetCookie();
        assert.deepEqual(
          cookies.map((cookie) => /^__Host-\w+=.*; Path=\/; .*; Secure$/.test(cookie)),
          [true],
          `${path} ${cookies}`,
        );
      }
    });

    test('cannot be made up: a page that chooses the cookie and the state gets no session', () =>
      withService(engine, async (service, idp, browser) => {
        for (const cookie of [`${SECRET}.Lw`, `${SECRET}.${FUTURE}.Lw.${derive('cookie')}`]) {
          const leave = new URL(`${idp.issuer}/auth`);
          leave.search = new URLSearchParams({
            client_id: idp.env.OIDC_CLIENT_ID ?? '',
            response_type: 'code',
            scope: 'openid email profile',
            redirect_uri: `${service.url}/auth/callback`,
            state: derive('state'),
            nonce: derive('nonce'),
            code_challenge: await oidc.calculatePKCECodeChallenge(derive('verifier')),
            code_challenge_method: 'S256',
          }).toString();
          const page = await browser.open(leave.href);
          const { url } = await browser.submit(page, { email: 'anna@example.com' }, CALLBACK);
          const done = await fetch(url, { headers: { cookie: `login=${cookie}` }, redirect: 'manual' });
          assert.equal(done.status, 400);
          assert.ok(!done.headers.getSetCookie().some((each) => each.startsWith('session=')));
        }
      }));

    test('that one server started, any other server of the same database finishes', async () => {
      let url = '';
      await using idp = await startIdentityProvider(() => url);
      await using first = await startService(engine, { env: idp.env });
      url = first.url;
      const { database, clock } = first;
      clock.set(new Date().toISOString());
      const shared = { ...database, remove: async () => undefined };
      await using second = await startService(engine, {
        env: { ...idp.env, PUBLIC_URL: url },
        database: shared,
        clock,
      });
      const browsers = [createBrowser(), createBrowser()];
      // Both create the secret of a new database at the same time.
      const starts = await Promise.all(
        [first, second].map((server, index) => browsers[index]?.open(`${server.url}/auth/login`)),
      );
      for (const [index, [starting, finishing]] of [
        [first, second],
        [second, first],
      ].entries()) {
        const [browser, page] = [browsers[index], starts[index]];
        assert.ok(starting && finishing && browser && page);
        const back = await browser.submit(page, { email: 'anna@example.com' }, CALLBACK);
        const headers = { cookie: `login=${browser.cookie('login')}` };
        const done = await fetch(back.url.replace(url, finishing.url), { headers, redirect: 'manual' });
        assert.equal(done.status, 302);
        assert.match(done.headers.getSetCookie().join(), /session=[\w-]{43}/);
      }
    });

    test('on https uses cookies that other hosts of the domain cannot set, and ignores all others', async () => {
      const origin = 'https://firmament.test';
      await using idp = await startIdentityProvider(() => origin);
      await using service = await startService(engine, { env: { ...idp.env, PUBLIC_URL: origin } });
      service.clock.set(new Date().toISOString());
      const login = await fetch(`${service.url}/auth/login?redirected=1`, { redirect: 'manual' });
      const [cookie = ''] = login.headers.getSetCookie();
      assert.match(cookie, /^__Host-login=[\w.-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/);
      const [, ticket = ''] = /=([^;]*)/.exec(cookie) ?? [];
      const browser = createBrowser();
      const page = await browser.open(login.headers.get('location') ?? '');
      const { url } = await browser.submit(page, { email: 'anna@example.com' }, CALLBACK);
      const finish = (name: string) =>
        fetch(url.replace(origin, service.url), { headers: { cookie: `${name}=${ticket}` }, redirect: 'manual' });
      assert.equal((await finish('login')).status, 400);
      const session = (await finish('__Host-login')).headers.getSetCookie().find((each) => each.includes('session='));
      assert.match(
        session ?? '',
        /^__Host-session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/,
      );
      const [, token = ''] = /=([^;]*)/.exec(session ?? '') ?? [];
      const me = async (name: string) =>
        (await service.client.get('/api/v1/auth/me', { headers: { cookie: `${name}=${token}` } })).status;
      assert.deepEqual([await me('__Host-session'), await me('session')], [200, 401]);
      const dashboard = (name: string) =>
        fetch(`${service.url}/dashboard`, { headers: { cookie: `${name}=${token}` }, redirect: 'manual' });
      assert.deepEqual([(await dashboard('__Host-session')).status, (await dashboard('session')).status], [200, 303]);
    });

    test('signs out by POST, but not from another site; GET shows a page', () =>
      withService(engine, async (service, _idp, browser) => {
        await browser.open(await comeBack(service, browser, 'anna@example.com'));
        const token = browser.cookie('session');
        const post = (headers: Record<string, string>) =>
          service.client.request('POST', '/auth/logout', { headers: { cookie: `session=${token}`, ...headers } });
        for (const headers of [
          { origin: 'https://evil.example' },
          { 'sec-fetch-site': 'cross-site' },
          { 'sec-fetch-site': 'same-site' },
          { origin: 'null' },
        ]) {
          const { status, body } = await post(headers as Record<string, string>);
          assert.deepEqual([status, body.error.code], [403, 'csrf_rejected']);
        }
        const page = await browser.open(`${service.url}/auth/logout`);
        assert.equal(page.status, 200);
        assert.equal((await askMe(service, browser)).status, 200, 'opening the page does not sign out');
        const done = await browser.submit(page, {});
        assert.equal(done.url, `${service.url}/`);
        assert.equal(browser.cookie('session'), undefined);
        const { status } = await service.client.get('/api/v1/auth/me', { headers: { cookie: `session=${token}` } });
        assert.equal(status, 401, 'the session ends, not only the cookie');
      }));
  });
}

describe('hostile and failing sign-ins', () => {
  const sqlite = (work: Parameters<typeof withService>[1]) => withService('sqlite', work);
  const assertRejected = async (browser: FakeBrowser, url: string, what: string) => {
    const page = await browser.open(url);
    assert.equal(page.status, 400, what);
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
    assert.equal(browser.cookie('session'), undefined, what);
  };

  test('a forged or missing state or code, another browser and an error of the provider are rejected', () =>
    sqlite(async (service, _idp, browser) => {
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
    sqlite(async (service, _idp, browser) => {
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
    sqlite(async (service, _idp, browser) => {
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
    sqlite(async (service, _idp, browser) => {
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
    sqlite(async (service, _idp, browser) => {
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
});

describe("the demo's provider", () => {
  test('accepts any e-mail address, works without scripts, and asks again if the address is invalid', () =>
    withService('sqlite', async (service, _idp, browser) => {
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

  test('asks for the address at every sign-in', () =>
    withService('sqlite', async (service, _idp, browser) => {
      await browser.open(await comeBack(service, browser, 'anna@example.com'));
      await browser.open(await comeBack(service, browser, 'bert@example.com'));
      assert.equal((await askMe(service, browser)).body.data.email, 'bert@example.com');
    }));

  test('issues access tokens that work as session tokens', () =>
    withService('sqlite', async (service, idp, browser) => {
      const { OIDC_CLIENT_ID: clientId = '', OIDC_CLIENT_SECRET: secret = '' } = idp.env;
      const insecure = { execute: [oidc.allowInsecureRequests] };
      const configuration = await oidc.discovery(new URL(idp.issuer), clientId, secret, undefined, insecure);
      const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
      const leave = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: `${service.url}/auth/callback`,
        scope: 'openid email',
        code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
      });
      const { url } = await browser.submit(await browser.open(leave.href), { email: 'anna@example.com' }, CALLBACK);
      const tokens = await oidc.authorizationCodeGrant(configuration, new URL(url), { pkceCodeVerifier });
      const headers = { authorization: `Bearer ${tokens.access_token}` };
      const { status, body } = await service.client.get('/api/v1/auth/me', { headers });
      assert.deepEqual([status, body.data.email], [200, 'anna@example.com']);
    }));

  test('does not redeem a code without the verifier, which is derived from the cookie', () =>
    withService('sqlite', async (service, { issuer, keys }, browser) => {
      const back = new URL(await comeBack(service, browser, 'anna@example.com'));
      const credentials = Buffer.from(`firmament-demo:${keys.clientSecret}`).toString('base64');
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${credentials}` },
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code: back.searchParams.get('code') ?? '',
          redirect_uri: `${service.url}/auth/callback`,
        }),
      });
      assert.equal(response.status, 400);
      assert.equal(((await response.json()) as { error: string }).error, 'invalid_grant');
    }));
});
