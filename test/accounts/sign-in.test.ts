import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBrowser } from '../harness/browser-session.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { startIdentityProvider } from '../harness/identity.ts';
import { startService } from '../harness/service.ts';
import { askMe, CALLBACK, comeBack, shareSignIn } from './signing-in.ts';

describeOn(usualEngines, 'sign-in with a browser', (engine) => {
  const withService = shareSignIn(engine);

  test('without a page to return to, returns to the page of the link, if it is one of ours', () =>
    withService(async (service, _idp, browser) => {
      const start = async (referer: string) => {
        const page = await browser.open(`${service.url}/auth/login`, { headers: { referer } });
        return (await browser.submit(page, { email: 'anna@example.com' })).url;
      };
      assert.equal(await start(`${service.url}/docs?q=quota&x=1`), `${service.url}/docs?q=quota&x=1`);
      for (const referer of [`${service.url}/`, `${service.url}/auth/logout`, 'https://evil.example/docs', 'x']) {
        assert.equal(await start(referer), `${service.url}/dashboard`, referer);
      }
    }));

  test('uses the code flow with PKCE, state and nonce, and returns to the page it started from', () =>
    withService(async (service, idp, browser) => {
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
    withService(async (service, _idp, browser) => {
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

  test('that one server started, any other server of the same database finishes', async () => {
    let url = '';
    await using idp = await startIdentityProvider(() => url);
    await using first = await startService(engine, { env: idp.env });
    url = first.url;
    const { database, clock } = first;
    clock.set(new Date().toISOString());
    const shared = { ...database, [Symbol.asyncDispose]: async () => undefined };
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

  test('signs out by POST, but not from another site; GET shows a page', () =>
    withService(async (service, _idp, browser) => {
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

describeOn(usualEngines, 'cookies of a service with an https address', (engine) => {
  test('cannot be set by other hosts of the domain, and all others are ignored', async () => {
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
    assert.match(session ?? '', /^__Host-session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/);
    const [, token = ''] = /=([^;]*)/.exec(session ?? '') ?? [];
    const me = async (name: string) =>
      (await service.client.get('/api/v1/auth/me', { headers: { cookie: `${name}=${token}` } })).status;
    assert.deepEqual([await me('__Host-session'), await me('session')], [200, 401]);
    const dashboard = (name: string) =>
      fetch(`${service.url}/dashboard`, { headers: { cookie: `${name}=${token}` }, redirect: 'manual' });
    assert.deepEqual([(await dashboard('__Host-session')).status, (await dashboard('session')).status], [200, 303]);
  });
});
