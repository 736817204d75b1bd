import assert from 'node:assert/strict';
import { cpSync, globSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { listRoutes } from '../attack/routes.ts';
import { importCompanies } from '../harness/entities.ts';
import type { TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { company } from '../registry/gb-file.ts';
import { HOSTILE_NAMES } from '../web/pages.ts';
import { answer, startReceiver } from '../webhooks/receiver.ts';
import { useBrowserPortal } from './browser-demo.ts';
import { findViolations, openWindow, type PortalWindow } from './portal.ts';

/** A page as somebody sees it. In `path`, `{id:…}` is the id of the first company that the text finds, `{key}` the id of an API key. */
interface PortalState {
  readonly path: string;
  readonly isAccount?: boolean;
  /** What to do on the page first. */
  readonly act?: (page: Page) => Promise<void>;
}

/** Routes that answer with files, with JSON, or with a redirect to a page. */
const IS_FILE =
  /^\/(api|assets|mcp|feeds|\.well-known)\b|\.(txt|xml|atom)$|^\/explore\/download$|^\/match\/rows$|^\/entities\/:id\/json$|^\/dashboard\/(keys|links)$|^\/dashboard\/exports\/|^\/auth\/login$/;

/** Documents are made of the same parts. Only these are opened. */
const IS_LIKE_ANOTHER = /^\/docs\/(?!sync$|fields$|webhooks$|registers\/gb$|reference$|reference\/(search|monitors)$)/;

function press(name: string, result: string) {
  return async (page: Page) => {
    await page.getByRole('button', { name }).click();
    await page.getByText(result).first().waitFor();
  };
}

async function checkList(page: Page): Promise<void> {
  const names = Array.from({ length: 22 }, (_, index) => `Albion Holding ${index}`);
  const list = ['', ...names, 'Unregistered Company', HOSTILE_NAMES.script, 'x'.repeat(400)].join('\n');
  await page.getByLabel('One name per line').fill(list);
  await press('Check the list', 'The first names are')(page);
}

/** Routes with parameters, and routes with more states than one. Other pages are opened once. */
const STATES: Readonly<Record<string, Readonly<Record<string, PortalState>>>> = {
  '/': {
    '': { path: '/' },
    'for an account': { path: '/', isAccount: true },
  },
  '/explore': {
    '': { path: '/explore' },
    'with a preview': { path: '/explore?q=9000020' },
    'with results': { path: '/explore?q=9000020&pageSize=3', isAccount: true },
    'with many results': { path: '/explore?q=a&pageSize=50', isAccount: true },
    'without results': { path: '/explore?q=zzzzzzzz', isAccount: true },
    'with an invalid page': { path: '/explore?page=0', isAccount: true },
  },
  '/match': {
    '': { path: '/match', isAccount: true },
    'for a visitor': { path: '/match' },
    'with a list that is checked': { path: '/match', isAccount: true, act: checkList },
    'with a list that is matched': {
      path: '/match',
      isAccount: true,
      act: async (page) => {
        await checkList(page);
        await press('Match and review 25 rows', 'left in this period')(page);
      },
    },
  },
  '/entities/:id': {
    '': { path: '/entities/{id:MD}', isAccount: true },
    'with a list': { path: '/entities/{id:MD}?list=/registrations', isAccount: true },
    'with a hostile name': { path: '/entities/{id:90000200}', isAccount: true },
    'with a long name and changes': { path: '/entities/{id:90000207}', isAccount: true },
    'for a visitor': { path: '/entities/{id:90000200}' },
    'that does not exist': { path: '/entities/8cfb7733-0cb1-511b-8310-bbbf2455fb11', isAccount: true },
  },
  '/entities/:id/proof': {
    '': { path: '/entities/{id:90000200}/proof', isAccount: true },
    'without a file': { path: '/entities/{id:MD}/proof', isAccount: true },
    'for a visitor': { path: '/entities/{id:MD}/proof' },
  },
  '/dashboard': {
    '': { path: '/dashboard', isAccount: true },
    'after a cancelled checkout': { path: '/dashboard?checkout=cancelled', isAccount: true },
    'with a new key': {
      path: '/dashboard',
      isAccount: true,
      act: async (page) => {
        await page.getByLabel('New key name').fill('axe');
        await press('Create key', 'It is shown only once')(page);
      },
    },
  },
  '/dashboard/plans/:plan': { '': { path: '/dashboard/plans/pro', isAccount: true } },
  '/dashboard/keys/:id/revoke': { '': { path: '/dashboard/keys/{key}/revoke', isAccount: true } },
  '/dashboard/keys/:id/rotate': { '': { path: '/dashboard/keys/{key}/rotate', isAccount: true } },
  '/dashboard/links/:id/revoke': { '': { path: '/dashboard/links/{link}/revoke', isAccount: true } },
  '/dashboard/links/:id/rotate': { '': { path: '/dashboard/links/{link}/rotate', isAccount: true } },
  '/dashboard/monitors': {
    '': { path: '/dashboard/monitors', isAccount: true },
    'with a problem': {
      path: '/dashboard/monitors',
      isAccount: true,
      act: async (page) => {
        await page.getByRole('textbox', { name: 'Name' }).fill('Banks');
        await page.getByRole('textbox', { name: 'Companies' }).fill('nonsense');
        await press('Create monitor', 'No line has the id')(page);
      },
    },
  },
  '/dashboard/monitors/:id': {
    '': { path: '/dashboard/monitors/{monitor}', isAccount: true },
    'with a new feed': {
      path: '/dashboard/monitors/{monitor}',
      isAccount: true,
      act: press('feed address', 'Anyone who has it'),
    },
  },
  '/dashboard/monitors/:id/companies': {
    '': { path: '/dashboard/monitors/{monitor}/companies', isAccount: true },
  },
  '/dashboard/monitors/:id/delete': {
    '': { path: '/dashboard/monitors/{monitor}/delete', isAccount: true },
  },
  '/dashboard/webhooks/:id/delete': {
    '': { path: '/dashboard/webhooks/{webhook}/delete', isAccount: true },
  },
  '/dashboard/webhooks/:id': {
    '': { path: '/dashboard/webhooks/{webhook}', isAccount: true },
    'with a new secret': {
      path: '/dashboard/webhooks/{webhook}',
      isAccount: true,
      act: press('Rotate secret', 'It is shown only once'),
    },
  },
  '/dashboard/webhooks/:id/deliveries/:delivery': {
    '': { path: '/dashboard/webhooks/{webhook}/deliveries/{delivery}', isAccount: true },
  },
  '/alerts/:token': { '': { path: '/alerts/{alert}' } },
  '/docs': {
    '': { path: '/docs' },
    'with hits': { path: '/docs?q=rate+limit' },
    'without hits': { path: '/docs?q=nothngfound' },
  },
  '/docs/errors/:code': { '': { path: '/docs/errors/not_found' } },
  '/docs/try/:operation': {
    '': { path: '/docs/try/searchEntities', isAccount: true },
    'with an answer': { path: '/docs/try/searchEntities', isAccount: true, act: press('Send', '200 OK') },
    'with a long answer': { path: '/docs/try/getEntity', isAccount: true, act: press('Send', '200 OK') },
    refused: {
      path: '/docs/try/getEntity',
      isAccount: true,
      act: async (page) => {
        await page.getByLabel('id').fill('x');
        await press('Send', 'Request failed')(page);
      },
    },
  },
  '/auth/callback': { '': { path: '/auth/callback' } },
  '/auth/logout': { '': { path: '/auth/logout', isAccount: true } },
  others: { 'that do not exist': { path: '/nope' } },
};

/** Page, style sheet and scripts, before they are compressed. */
const MAX_BYTES = 100_000;
const WIDTHS = [320, 375, 768, 1440];

/** Checks a page for everything that holds for all pages: size, blocking resources, width, and accessibility in both themes. */
async function checkPage(page: Page): Promise<void> {
  await checkSize(page);
  const size = page.viewportSize() ?? assert.fail('the window has no size');
  // From the current width on: changing it costs more than the checks.
  for (const width of size.width === WIDTHS[0] ? WIDTHS : WIDTHS.toReversed()) {
    if (page.viewportSize()?.width !== width) await page.setViewportSize({ ...size, width });
    await checkWidth(page, width);
  }
  await checkAccessibility(page);
}

/** All rules in the light theme. The dark theme changes colours only, so only the colour rules run again. */
async function checkAccessibility(page: Page): Promise<void> {
  // axe skips what is inside closed ones, although the style sheet shows it.
  await page.evaluate("for (const fold of document.querySelectorAll('.fold')) fold.open = true");
  const width = page.viewportSize()?.width;
  assert.deepEqual(await findViolations(page), [], `in the light theme at ${width} px`);
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.deepEqual(await findViolations(page, 'cat.color'), [], `in the dark theme at ${width} px`);
  await page.emulateMedia({ colorScheme: 'light' });
}

interface Resource {
  readonly path: string;
  readonly bytes: number;
  readonly isBlocking: boolean;
}

/** What the page consists of, whether it came from the cache or not, and what delays the first paint. */
async function checkSize(page: Page): Promise<void> {
  const resources = (await page.evaluate(`
    [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].map((entry) => ({
      path: new URL(entry.name).pathname,
      bytes: entry.decodedBodySize,
      isBlocking: entry.entryType === 'resource' && entry.renderBlockingStatus === 'blocking',
    }))`)) as Resource[];
  // Pictures of documents are loaded when they come into view.
  const loaded = resources.filter(({ path }) => !path.endsWith('.webp'));
  const bytes = loaded.reduce((sum, resource) => sum + resource.bytes, 0);
  assert.ok(bytes > 1_000 && bytes <= MAX_BYTES, `the page has ${bytes} bytes`);
  const blocking = resources.filter(({ isBlocking }) => isBlocking).map(({ path }) => path);
  assert.deepEqual(blocking, ['/assets/app.css']);
}

/** Code and tables that are wider than their place must scroll inside it, and their place must be on the screen. */
const FIND_CLIPPED = `
  [...document.querySelectorAll('pre, .scroll')]
    .filter((area) => area.checkVisibility())
    .filter((area) => {
      const { right } = area.getBoundingClientRect();
      const isCut = area.scrollWidth > area.clientWidth && getComputedStyle(area).overflowX !== 'auto';
      return isCut || right > document.documentElement.clientWidth;
    })
    .map((area) => area.outerHTML.slice(0, 80))`;

/** What sticks out of its card, and what is too small to be hit with a finger (WCAG 2.5.8). */
const FIND_OUTSIDE = `
  [...document.querySelectorAll('.card *')]
    .filter((part) => part.checkVisibility() && part.closest('.scroll, pre, .hidden') === null)
    .filter((part) => part.getBoundingClientRect().right > part.closest('.card').getBoundingClientRect().right + 1)
    .map((part) => part.outerHTML.slice(0, 80))`;
const FIND_SMALL = `
  [...document.querySelectorAll('button, .button, summary')]
    .filter((target) => target.checkVisibility() && target.getBoundingClientRect().height < 24)
    .map((target) => target.outerHTML.slice(0, 80))`;

async function checkWidth(page: Page, width: number): Promise<void> {
  const excess = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  assert.equal(excess, 0, `the page is ${excess} px too wide at ${width} px`);
  assert.deepEqual(await page.evaluate(FIND_CLIPPED), [], `code or a table is cut off at ${width} px`);
  assert.deepEqual(await page.evaluate(FIND_OUTSIDE), [], `outside of its card at ${width} px`);
  assert.deepEqual(await page.evaluate(FIND_SMALL), [], `too small at ${width} px`);
}

const portal = useBrowserPortal();

/** Every route that answers with a page is opened in each of its states and checked there for everything. */
describe('every page of the portal', () => {
  let service: TestService;
  let visitor: PortalWindow;
  let account: PortalWindow;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  const ids: Record<string, string> = {};

  before(async () => {
    service = portal.service;
    const names = Object.values(HOSTILE_NAMES);
    await importCompanies(
      service,
      names.map((name, index) => company(`9000020${index}`, name)),
    );
    keepFile();
    const session = await service.signIn({ plan: 'pro', email: 'anna@example.com' });
    visitor = await openWindow(portal.browser, { width: 1440 });
    account = await openWindow(portal.browser, { width: 1440, session: { token: session.token, url: service.url } });
    receiver = await startReceiver(answer(500, {}, '<b>broken</b>'));
    await createObjects(session.account);
  });
  after(async () => {
    await receiver?.[Symbol.asyncDispose]();
    await visitor?.close();
    await account?.close();
  });

  /** So that the hostile companies can be proven. */
  function keepFile(): void {
    const { dataDir } = service.database;
    const [original = ''] = globSync(join(dataDir, 'in-*', 'companies.csv'));
    mkdirSync(join(dataDir, 'samples', 'gb'), { recursive: true });
    cpSync(original, join(dataDir, 'samples', 'gb', 'companies.csv'));
  }

  /** A key, a link, a monitor with changes, and an endpoint with a delivery that failed. */
  async function createObjects(owner: Awaited<ReturnType<TestService['signIn']>>['account']): Promise<void> {
    const { apiKeys, reconcileLinks, monitors, webhooks } = service.services;
    ids.key = (await apiKeys.create(owner.accountId, '<b>"key"</b>')).id;
    ids.link = (await reconcileLinks.create(owner.accountId, 'OpenRefine')).id;
    const signedIn = await service.services.accounts.findTerms(owner.accountId);
    assert.ok(signedIn !== undefined);
    const watch = [await findId('90000200'), await findId('90000207')];
    ids.monitor = (await monitors.create(signedIn, { name: '<b>Watched</b>', watch })).id;
    const { mailAlerts, accountsDb } = service.services;
    await mailAlerts.add(owner.accountId, ids.monitor, { address: 'anna@example.com', rhythm: 'daily' }, null);
    ids.alert = (await accountsDb.one<{ token: string }>('SELECT token FROM monitor_alerts'))?.token ?? '';
    const { id: webhook } = await webhooks.create(signedIn, { url: receiver.url });
    ids.webhook = webhook;
    ids.delivery = (await webhooks.sendTest(owner.accountId, webhook)).id;
    await importCompanies(service, [company('90000207', `RENAMED ${HOSTILE_NAMES.long}`)]);
    await until('the change is reported and the test has failed', async () => {
      await account.page.goto(`${service.url}/dashboard/monitors/${ids.monitor}`);
      if (!(await account.page.content()).includes('RENAMED')) return false;
      await account.page.goto(`${service.url}/dashboard/webhooks/${ids.webhook}`);
      return (await account.page.content()).includes('broken');
    });
  }

  async function open({ path, isAccount, act }: PortalState): Promise<Page> {
    const { page } = isAccount ? account : visitor;
    const [placeholder, q] = /\{id:(\w+)\}/.exec(path) ?? [];
    const id = placeholder === undefined ? '' : await findId(q);
    const address = path.replace(/\{id:\w+\}/, id).replace(/\{(\w+)\}/, (_, name) => ids[name] ?? assert.fail(name));
    await page.goto(service.url + address);
    await act?.(page);
    return page;
  }

  /** The first company of a country, or the one with this number. */
  async function findId(q = ''): Promise<string> {
    const filter = q.length === 2 ? `country=${q}` : `q=${q}`;
    const { body } = await service.client.get(`/api/v1/entities?${filter}&pageSize=1`);
    return body.data[0].id;
  }

  test('accessible, small, fits phones, runs no hostile text', async (t) => {
    const routes = listRoutes(service.app)
      .filter((route) => route.startsWith('GET '))
      .map((route) => route.slice('GET '.length));
    const pages = routes.filter((route) => !IS_FILE.test(route));
    assert.ok(pages.length > 40, `${pages.length} pages`);
    for (const route of Object.keys(STATES)) assert.ok(routes.includes(route) || route === 'others', `no ${route}`);
    for (const route of [...pages, 'others']) {
      assert.ok(STATES[route] !== undefined || !/[:*]/.test(route), `${route} needs an entry in STATES`);
      if (STATES[route] === undefined && IS_LIKE_ANOTHER.test(route)) continue;
      const plain = { '': { path: route, isAccount: route.startsWith('/dashboard') } };
      for (const [name, state] of Object.entries<PortalState>(STATES[route] ?? plain)) {
        await t.test(`${route} ${name}`, async () => {
          const page = await open(state);
          assert.notEqual(await page.title(), 'owned', 'a hostile name ran as a script');
          await checkPage(page);
        });
      }
    }
  });

  test('the keyboard works: the first stop skips to the content, and the focus is visible', async () => {
    const page = await open({ path: '/explore' });
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to content');
    assert.ok(await page.getByRole('link', { name: 'Skip to content' }).isVisible());
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate('document.activeElement.id'), 'content');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.id'), 'q');
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineWidth');
    assert.equal(outline, '3px');
    await open({ path: '/explore?q=9000020' });
    await page.keyboard.press('Tab');
    assert.ok(await page.evaluate("document.activeElement.matches('.results .name')"), 'the first stop is a result');
    await page.locator('#content').focus();
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to results');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    assert.ok(await page.evaluate("document.activeElement.matches('.results .name')"), 'the first result');
  });

  test('a printed record has its facts, and no menus and buttons', async () => {
    const page = await open({ path: '/entities/{id:90000200}', isAccount: true });
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.getByText('Registration number', { exact: true }).first().isVisible(), true);
    for (const part of ['.bar', '.foot', '.record-actions'])
      assert.equal(await page.locator(part).isVisible(), false, part);
    await page.emulateMedia({ media: 'screen' });
  });
});
