import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { launchBrowser } from '../harness/browser.ts';
import { importCompanies, importSynthetic } from '../harness/entities.ts';
import { HOSTILE_NAMES } from '../harness/pages.ts';
import { findViolations, openWindow, type WindowOptions } from '../harness/portal.ts';
import { startService, type TestService, type TestSession } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';

describe('every page of the portal', () => {
  let browser: Browser;
  let service: TestService;
  let session: TestSession;
  let pages: { name: string; path: string; isAccount?: boolean }[];
  before(async () => {
    browser = await launchBrowser();
    service = await startService('sqlite', { preview: { perAddress: 1_000, inTotal: 1_000 } });
    for (const register of ['no', 'md']) await importSynthetic(service, register, 300);
    const names = Object.values(HOSTILE_NAMES);
    await importCompanies(
      service,
      names.map((name, at) => company(`9000020${at}`, name)),
    );
    session = await service.signIn({ plan: 'pro', email: 'anna@example.com' });
    const key = await service.services.apiKeys.create(session.account.accountId, '<b>"key"</b>');
    const find = async (q: string) => {
      const { body } = await service.client.get(`/api/v1/entities?q=${encodeURIComponent(q)}&pageSize=1`);
      return body.data[0].id as string;
    };
    pages = [
      { name: 'home', path: '/' },
      { name: 'home with results', path: '/?q=9000020' },
      { name: 'explore', path: '/explore' },
      { name: 'a preview', path: '/explore?q=9000020' },
      { name: 'results', path: '/explore?q=9000020&pageSize=3', isAccount: true },
      { name: 'no results', path: '/explore?q=zzzzzzzz', isAccount: true },
      { name: 'a mistake', path: '/explore?page=0', isAccount: true },
      { name: 'a record', path: `/entities/${await find('8000')}`, isAccount: true },
      { name: 'a hostile record', path: `/entities/${await find('90000200')}`, isAccount: true },
      { name: 'a long record', path: `/entities/${await find('90000207')}`, isAccount: true },
      { name: 'a record for a visitor', path: `/entities/${await find('90000200')}` },
      { name: 'the dashboard', path: '/dashboard', isAccount: true },
      { name: 'waiting for a payment', path: '/dashboard?checkout=cancelled', isAccount: true },
      { name: 'revoking', path: `/dashboard/keys/${key.id}/revoke`, isAccount: true },
      { name: 'coverage', path: '/coverage' },
      { name: 'status', path: '/status' },
      ...[
        '',
        '/authentication',
        '/paging',
        '/limits',
        '/provenance',
        '/versioning',
        '/errors',
        '/errors/not_found',
      ].map((guide) => ({ name: `docs${guide}`, path: `/docs${guide}` })),
      { name: 'sign-out', path: '/auth/logout', isAccount: true },
      { name: 'a sign-in that cannot be', path: '/auth/callback' },
      { name: 'nothing', path: '/nope' },
    ];
  });
  after(async () => {
    await browser?.close();
    await service?.[Symbol.asyncDispose]();
  });

  /** Every page, in the window of a visitor or of somebody signed in. */
  async function visitAll(
    options: WindowOptions,
    visit: (page: Page, name: string, path: string) => Promise<void>,
  ): Promise<void> {
    const visitor = await openWindow(browser, options);
    const account = await openWindow(browser, { ...options, session: { token: session.token, url: service.url } });
    for (const { name, path, isAccount } of pages) await visit((isAccount ? account : visitor).page, name, path);
    await visitor.close();
    await account.close();
  }

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`axe finds nothing, in ${colorScheme}`, async () => {
      await visitAll({ colorScheme }, async (page, name, path) => {
        await page.goto(service.url + path);
        assert.deepEqual(await findViolations(page), [], `${name} (${path})`);
        if (name !== 'the dashboard') return;
        await page.getByLabel('Name of a new key').fill('axe');
        await page.getByRole('button', { name: 'Create key' }).click();
        await page.getByText('it is not shown again').waitFor();
        assert.deepEqual(await findViolations(page), [], 'a new key');
      });
    });
  }

  test('weighs at most 100 KB, and nothing but the stylesheet holds it up', async () => {
    const networks = new Map<Page, CDPSession>();
    await visitAll({}, async (page, name, path) => {
      const network = networks.get(page) ?? (await page.context().newCDPSession(page));
      networks.set(page, network);
      await network.send('Network.enable');
      await network.send('Network.setCacheDisabled', { cacheDisabled: true });
      let bytes = 0;
      const add = ({ encodedDataLength }: { encodedDataLength: number }) => {
        bytes += encodedDataLength;
      };
      network.on('Network.loadingFinished', add);
      await page.goto(service.url + path, { waitUntil: 'networkidle' });
      network.off('Network.loadingFinished', add);
      assert.ok(bytes > 1_000 && bytes <= 100_000, `${name} weighs ${bytes} bytes`);
      const blocking = await page.evaluate(
        `performance.getEntriesByType('resource').filter((entry) => entry.renderBlockingStatus === 'blocking').map(({ name }) => new URL(name).pathname)`,
      );
      assert.deepEqual(blocking, ['/assets/app.css'], name);
    });
  });

  test('fits a phone: nothing sticks out, hostile names neither run nor break the page', async () => {
    await visitAll({}, async (page, name, path) => {
      await page.goto(service.url + path);
      for (const width of [320, 375, 768]) {
        await page.setViewportSize({ width, height: 900 });
        const over = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
        assert.equal(over, 0, `${name} is ${over} px too wide at ${width}`);
      }
      assert.notEqual(await page.title(), 'owned', name);
    });
  });

  test('can be used with the keyboard: the first stop skips to the content, and focus is seen', async () => {
    const { page, close } = await openWindow(browser);
    await page.goto(`${service.url}/explore`);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to content');
    assert.ok(await page.getByRole('link', { name: 'Skip to content' }).isVisible());
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate('document.activeElement.id'), 'content');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.id'), 'q');
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineWidth');
    assert.equal(outline, '3px');
    await close();
  });
});
