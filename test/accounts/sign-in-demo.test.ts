import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as oidc from 'openid-client';
import { askMe, CALLBACK, comeBack, shareSignIn } from './signing-in.ts';

describe("the demo's provider", () => {
  const withService = shareSignIn('sqlite');

  test('accepts any e-mail address, works without scripts, and asks again if the address is invalid', () =>
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

  test('asks for the address at every sign-in', () =>
    withService(async (service, _idp, browser) => {
      await browser.open(await comeBack(service, browser, 'anna@example.com'));
      await browser.open(await comeBack(service, browser, 'bert@example.com'));
      assert.equal((await askMe(service, browser)).body.data.email, 'bert@example.com');
    }));

  test('issues access tokens that work as session tokens', () =>
    withService(async (service, idp, browser) => {
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
    withService(async (service, { issuer, keys }, browser) => {
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
