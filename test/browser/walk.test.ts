import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { isDeep } from '../harness/depth.ts';
import { openOffice } from '../harness/keys.ts';
import { type BrowserDemo, useBrowserDemo } from './browser-demo.ts';
import { findViolations, openWindow, type PortalWindow, signInAs } from './portal.ts';

/** One person on one screen. Flows follow each other in the same window, as a visitor who becomes a customer. */
interface Walk {
  readonly demo: BrowserDemo;
  readonly window: PortalWindow;
  readonly email: string;
  readonly width: number;
  readonly javaScriptEnabled: boolean;
  /** Whether axe checks pages that no other test opens. Once is enough, and it needs JavaScript. */
  readonly isChecked: boolean;
}

type Flow = (walk: Walk) => Promise<void>;

/** From here on, the filters and the menu of the docs are open. */
const WIDE = 704;

/** What people do with monitors and webhooks. The account is on the Pro plan. */
const monitorFlows: Readonly<Record<string, Flow>> = {
  async 'watch a search, a company and a pasted list'({ demo, window: { page }, javaScriptEnabled, isChecked }) {
    const check = async (name: string) => {
      if (isChecked) assert.deepEqual(await findViolations(page), [], name);
    };
    await page.goto(`${demo.server.url}/explore?words=ltd&country=GB&page=2`);
    await page.getByRole('button', { name: 'Watch this search' }).click();
    await page.getByRole('heading', { name: '“ltd” · United Kingdom', level: 1 }).waitFor();
    await page.getByText('No changes yet').waitFor();
    await check('a monitor');
    await page.getByRole('link', { name: 'Show the companies' }).click();
    await page.waitForURL(/companies$/);
    await page.locator('.results .name').first().click();
    const address = new URL(page.url()).pathname;
    await page.getByRole('button', { name: 'Watch this company' }).click();
    await page.getByRole('heading', { name: 'Watched companies' }).waitFor();
    await page.getByRole('link', { name: 'Show the companies' }).click();
    assert.equal(await page.locator('.results .name').first().getAttribute('href'), address);
    await check('the companies of a monitor');

    await page.goto(`${demo.server.url}/dashboard/monitors`);
    assert.equal(await page.getByLabel('From a file').isVisible(), javaScriptEnabled);
    const list = `id,name\n${address.slice('/entities/'.length)},"A, B"\n`;
    if (javaScriptEnabled) {
      const file = { name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from(list) };
      await page.getByLabel('From a file').setInputFiles(file);
      await page.waitForFunction('document.getElementById("list").value !== ""');
    } else await page.getByLabel('Companies', { exact: true }).fill(list);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Pasted');
    await page.getByRole('button', { name: 'Create monitor' }).click();
    await page.getByText('1 company. Since').waitFor();
    await page.getByText('Change the name or what counts').click();
    await page.getByLabel('Status', { exact: true }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('(only status)').waitFor();
    await page.getByRole('button', { name: 'Create a feed address' }).click();
    const feed = (await page.getByRole('group', { name: 'Atom feed' }).textContent()) ?? '';
    await page.getByRole('button', { name: 'Renew the feed address' }).click();
    await page.getByText('It is shown only now').waitFor();
    assert.notEqual(await page.getByRole('group', { name: 'Atom feed' }).textContent(), feed);
    assert.equal((await page.context().request.get(feed)).status(), 404);
  },
};

/** What people do on the portal, in this order. */
const FLOWS: Readonly<Record<string, Flow>> = {
  async 'find a company and open its record as a visitor'({ demo, window: { page } }) {
    await page.goto(demo.server.url);
    await page.getByLabel('Search companies').fill('limited');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.waitForURL(/words=limited/);
    assert.equal(await page.locator('.results li').count(), 5);
    assert.equal((await page.locator('.results mark').first().textContent())?.toLowerCase(), 'limited');
    await page.getByText('Showing the first 5').waitFor();
    const title = await page.locator('.results .name').first().textContent();
    await page.locator('.results .name').first().click();
    await page.getByRole('heading', { name: 'Source row and JSON' }).waitFor();
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), title);
    assert.equal(await page.locator('#source').getByRole('link', { name: 'Sign in' }).count(), 1);
    assert.equal(await page.locator('pre').count(), 0, 'the JSON is shown to a visitor');
  },

  async 'search the docs and open an operation in the reference'({ demo, window: { page }, width, javaScriptEnabled }) {
    await page.goto(`${demo.server.url}/docs`);
    await page.getByRole('searchbox', { name: 'Search the docs' }).fill('list changes');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('link', { name: 'List changes', exact: true }).click();
    await page.waitForURL(`${demo.server.url}/docs/reference/changes#listChanges`);
    assert.ok(await page.getByRole('heading', { name: 'List changes', exact: false }).first().isVisible());
    const copies = await page.getByRole('button', { name: 'Copy: curl' }).count();
    assert.equal(copies > 0, javaScriptEnabled, 'copy buttons are shown only where they work');
    const menu = page.getByRole('navigation', { name: 'Documentation' });
    const link = menu.getByRole('link', { name: 'Staying in sync' });
    if (!(await link.isVisible())) {
      assert.ok(width < 1000, 'the menu is folded on a wide screen');
      await menu.getByText('All documents').click();
    }
    await link.click();
    await page.waitForURL(`${demo.server.url}/docs/sync`);
  },

  async 'choose a plan, sign in, have a card declined, pay'({ demo, window: { page }, email, isChecked }) {
    /** The pages of the demo's providers and those that lead to them. test/browser/portal-quality.ts checks all others. */
    const checkAccessibility = async (name: string) => {
      if (isChecked) assert.deepEqual(await findViolations(page), [], name);
    };
    await page.goto(demo.server.url);
    await page.getByRole('link', { name: 'Choose Pro' }).click();
    await page.getByLabel(/^E-mail/).waitFor();
    await checkAccessibility('sign-in');
    await signInAs(page, email);
    await page.getByRole('heading', { name: 'Upgrade to Pro' }).waitFor();
    await page.getByRole('button', { name: 'Continue to payment' }).click();
    await page.getByLabel('Card number').waitFor();
    await checkAccessibility('checkout');
    await page.getByLabel('Card number').fill('4000 0000 0000 0002');
    await page.getByRole('button', { name: 'Pay' }).click();
    await page.getByRole('alert').getByText('You were not charged').waitFor();
    assert.equal(await page.getByLabel('Card number').inputValue(), '4000 0000 0000 0002');
    await page.getByLabel('Card number').fill('4242 4242 4242 4242');
    await page.getByRole('button', { name: 'Pay' }).click();
    await page.waitForURL(`${demo.server.url}/dashboard?checkout=done`);
    // The page refreshes until the payment is confirmed: by script, or by its refresh header.
    await page.getByText('You are on Pro').first().waitFor();
    assert.match(await textOf(page), /0 of 100,000 requests/);
  },

  async 'filter, remove a filter, download the results'({ demo, window: { page }, width }) {
    await page.goto(`${demo.server.url}/explore?words=ltd&status=active`);
    const country = page.getByLabel('Country');
    assert.equal(await country.isVisible(), width >= WIDE, 'the filters are folded on a phone only');
    if (width < WIDE) await page.getByText('Filters (1)').click();
    await country.selectOption('GB');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.waitForURL(/country=GB/);
    await page.getByRole('link', { name: 'Status: active' }).click();
    await page.waitForURL(/explore\?words=ltd&country=GB$/);
    const total = Number((await page.locator('#results .total strong').textContent())?.replace(/\D/g, ''));
    assert.ok(total > 100, `${total} results`);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const file = (await (await downloading).createReadStream().then((stream) => stream.toArray())).join('');
    assert.equal(file.split('\r\n').length, Math.min(total, 1_000) + 2);
  },

  async 'open a record'({ demo, window: { page }, javaScriptEnabled }) {
    await page.goto(`${demo.server.url}/explore?words=ltd&country=GB`);
    await page.locator('.results .name').first().click();
    for (const part of ['Details', 'Registrations', 'Register details', 'Source', 'Original source row', 'JSON'])
      await page.getByRole('heading', { name: part, exact: true }).waitFor();
    assert.equal(
      await page
        .getByRole('button', { name: /^Copy \w+$/ })
        .first()
        .isVisible(),
      javaScriptEnabled,
    );
    await page.getByText('Files, hashes and licence').click();
    await page.getByText('SHA-256', { exact: true }).waitFor();
  },

  ...monitorFlows,

  async 'create, copy, use and revoke a key, and see the usage'({ demo, window, javaScriptEnabled }) {
    const { page, context } = window;
    await page.goto(`${demo.server.url}/dashboard`);
    const used = Number((await page.locator('#usage .figure strong').textContent())?.replace(/\D/g, ''));
    assert.ok(used > 0, 'searches and records are not counted');
    await page.getByLabel('New key name').fill('laptop');
    await page.getByRole('button', { name: 'Create your first key' }).click();
    await page.getByText('It is shown only once').waitFor();
    const key = (await page.getByRole('group', { name: 'API key', exact: true }).textContent()) ?? '';
    assert.match(key, /^frm_test_\w{46}$/);
    if (javaScriptEnabled) {
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByRole('button', { name: 'Copy: API key' }).click();
      await page.locator('p[role=status]').getByText('Copied', { exact: true }).waitFor({ state: 'attached' });
      assert.equal(await page.evaluate('navigator.clipboard.readText()'), key);
      await page.reload();
      assert.equal(page.url(), `${demo.server.url}/dashboard`, 'a reload would submit the form again');
    } else {
      assert.equal(await page.getByRole('button', { name: 'Copy' }).count(), 0, 'copy buttons are shown');
    }
    assert.deepEqual([await curl(demo, key), await curl(demo, key)], ['200', '200']);
    await page.goto(`${demo.server.url}/dashboard`);
    assert.ok(!(await page.content()).includes(key), 'the secret is shown a second time');
    assert.match(await textOf(page), new RegExp(`${used + 2} of 100,000 requests`));
    assert.match(await textOf(page), /laptop.*Test.*frm_test_\w{6}….*just now.*2 requests/);
    assert.equal(await page.locator('.chart svg').isVisible(), true, 'the chart of the last days is not shown');

    await leaveRequests(walkAccount(await context.request.get(`${demo.server.url}/api/v1/auth/me`)), demo, 1);
    assert.deepEqual([await curl(demo, key), await curl(demo, key)], ['200', '429 monthly_quota_exceeded']);
    await page.reload();
    await page.getByRole('alert').getByText('You have used 100% of your quota').waitFor();
    await page.getByRole('link', { name: 'Revoke laptop' }).click();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByRole('status').getByText('Key “laptop” revoked').waitFor();
    assert.equal(await curl(demo, key), '401 invalid_api_key');
  },

  async 'sign out'({ demo, window: { page } }) {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${demo.server.url}/`);
    await page.goto(`${demo.server.url}/dashboard`);
    await page.getByLabel(/^E-mail/).waitFor();
  },
};

/** From the first search to the key and the plan. */
const ESSENTIAL_FLOWS = Object.fromEntries(
  Object.entries(FLOWS).filter(([name]) =>
    /^(?:find a company|choose a plan|open a record|create, copy|sign out)/.test(name),
  ),
);

const textOf = async (page: Page) => (await page.locator('main').innerText()).replace(/\s+/g, ' ');

/** The status and the error code, if there is one. */
async function curl({ server }: BrowserDemo, key: string): Promise<string> {
  const args = [
    '-s',
    '-w',
    '\n%{http_code}',
    '-H',
    `X-API-Key: ${key}`,
    `${server.url}/api/v1/entities?q=a&pageSize=1`,
  ];
  const { stdout } = await promisify(execFile)('curl', args);
  const [body = '', status] = stdout.split('\n');
  return [status, JSON.parse(body).error?.code].filter(Boolean).join(' ');
}

async function walkAccount(response: { json(): Promise<unknown> }): Promise<string> {
  return ((await response.json()) as { data: { accountId: string } }).data.accountId;
}

/** Sets the usage of an account on the Pro plan so that this many requests are left. */
async function leaveRequests(account: Promise<string>, { database }: BrowserDemo, left: number): Promise<void> {
  await using office = openOffice(database);
  const { accountsDb } = office.services;
  await accountsDb.run('UPDATE quotas SET used = 100000 - $1 WHERE account_id = $2', [left, await account]);
}

/**
 * `npm test` walks through the portal once: home, search, record, sign-in, key, checkout. `npm run test:deep` takes every flow, at three
 * widths, with and without JavaScript. The flows of a walk share a window and an account.
 */
const WALKS = isDeep
  ? [
      { width: 375, javaScriptEnabled: false },
      { width: 768, javaScriptEnabled: true },
      { width: 1440, javaScriptEnabled: true },
    ]
  : [{ width: 1440, javaScriptEnabled: true }];

const demo = useBrowserDemo();

for (const { width, javaScriptEnabled } of WALKS) {
  describe(`at ${width} px ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, () => {
    const email = `walker-${width}-${javaScriptEnabled}@example.com`;
    let window: PortalWindow;
    before(async () => {
      window = await openWindow(demo.browser, { width, javaScriptEnabled });
    });
    after(() => window.close());

    for (const [name, flow] of Object.entries(isDeep ? FLOWS : ESSENTIAL_FLOWS)) {
      test(name, async () => {
        const foreign: string[] = [];
        const note = (request: { url(): string }) => {
          if (!request.url().startsWith(demo.server.url)) foreign.push(request.url());
        };
        window.page.on('request', note);
        await flow({ demo, window, email, width, javaScriptEnabled, isChecked: isDeep && width === 1440 });
        window.page.off('request', note);
        await checkFits(window.page);
        assert.deepEqual(foreign, [], 'a page loads something from elsewhere');
      });
    }
  });
}

async function checkFits(page: Page): Promise<void> {
  const excess = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  assert.equal(excess, 0, `${page.url()} is ${excess} px too wide`);
}
