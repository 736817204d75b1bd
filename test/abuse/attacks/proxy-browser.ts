import { launchBrowser } from '../../harness/browser.ts';
import { startIdentityProvider } from '../../harness/identity.ts';
import { signInAs } from '../../harness/portal.ts';
import { until } from '../../harness/until.ts';
import type { Attack } from '../attack.ts';
import { createChecks } from '../checks.ts';
import { startProxied } from '../proxied-target.ts';
import { PROXY_HOST, proxyNames } from '../proxy.ts';

/** A user behind a proxy with https, as in production, and another site that acts in the user's browser. */
export const attacks: readonly Attack[] = proxyNames.map((name) => ({
  name: `a browser behind ${name} on https, and another site in it`,
  async run(engine) {
    const { check, conclude } = createChecks();
    let publicUrl = '';
    await using identity = await startIdentityProvider(() => publicUrl);
    await using proxied = await startProxied(engine, name, { env: { ...identity.env } });
    publicUrl = proxied.proxy.url;
    // The service contacts the identity provider at the first sign-in, which may time out on a busy machine.
    await until('sign-in is available', async () => (await proxied.ask('/auth/login')).status === 302);
    // The names of the two sites lead to this machine; the certificate is the test's own.
    const browser = await launchBrowser([
      `--host-resolver-rules=MAP ${PROXY_HOST} 127.0.0.1,MAP evil.example 127.0.0.1`,
    ]);
    try {
      // The form of the demo's identity provider may redirect only to its own origin, which is not ours here.
      const context = await browser.newContext({ ignoreHTTPSErrors: true, bypassCSP: true });
      const page = await context.newPage();
      const problems: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error' && message.location().url.startsWith(publicUrl)) problems.push(message.text());
      });
      await page.goto(`${publicUrl}/dashboard`);
      await signInAs(page, 'anna@example.com');
      await page.waitForURL(`${publicUrl}/dashboard`);
      const cookies = await context.cookies(publicUrl);
      const session = cookies.find((cookie) => cookie.name === '__Host-session');
      check('the session cookie has the prefix', session !== undefined);
      check('it is Secure and HttpOnly', session?.secure === true && session.httpOnly);
      check('scripts see no cookie', (await page.evaluate('document.cookie')) === '');

      await page.getByLabel('New key name').fill('laptop');
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByText('It is shown only once').waitFor();
      const key = (await page.getByRole('group', { name: 'API key', exact: true }).textContent()) ?? '';
      const reply = await proxied.ask('/api/v1/entities?q=a', { headers: { 'x-api-key': key } });
      check('the key works', reply.status === 200);
      await page.goto(`${publicUrl}/explore`);
      await page.getByRole('searchbox').first().fill('limited');
      await page.getByRole('searchbox').first().press('Enter');
      await page.waitForURL(/q=limited/);
      check('the search finds companies', (await page.locator('main a[href^="/entities/"]').count()) > 0);
      check(`the pages have no errors (first: ${problems[0]})`, problems.length === 0);

      const account = async () => {
        const { body } = await proxied.ask('/api/v1/account', {
          headers: { cookie: `__Host-session=${session?.value}` },
        });
        return body.toString();
      };
      const before = await account();
      const forms = ['/auth/logout', '/dashboard/keys'].map(
        (action) =>
          `<form method="post" action="${publicUrl}${action}"><input name="name" value="evil"><button>${action}</button></form>`,
      );
      await page.route('http://evil.example/', (route) =>
        route.fulfill({
          contentType: 'text/html',
          body: `${forms.join('')}<a href="${publicUrl}/explore?q=a">search</a>`,
        }),
      );
      for (const action of ['/auth/logout', '/dashboard/keys']) {
        await page.goto('http://evil.example/');
        await page.getByRole('button', { name: action }).click();
        await page.waitForURL((url) => url.href.startsWith(publicUrl));
        check(`${action} is refused`, /csrf_rejected/.test((await page.textContent('body')) ?? ''));
      }
      await page.goto('http://evil.example/');
      await page.getByRole('link', { name: 'search' }).click();
      await page.waitForURL(/explore/);
      const after = await account();
      check('the other site spent nothing and created no key', before.includes('laptop') && after === before);
      check('the service never answers with 5xx', proxied.countFailures() === 0);
      return conclude();
    } finally {
      await browser.close();
    }
  },
}));
