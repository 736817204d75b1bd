import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { useBrowserPortal } from '../harness/browser-demo.ts';
import { isDeep } from '../harness/depth.ts';
import { importCompanies } from '../harness/entities.ts';
import { HOSTILE_NAMES } from '../harness/pages.ts';
import { findViolations, openWindow, type PortalWindow } from '../harness/portal.ts';
import type { TestService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';

/**
 * Every page is opened once and checked there for everything: accessibility in both themes, size, blocking resources
 * and width. A navigation costs far more than the checks.
 */
interface PortalPage {
  readonly path: string;
  readonly isAccount?: boolean;
  /** Made of the same parts as another page: only `npm run test:deep` runs axe on it. */
  readonly isAlike?: boolean;
  /** With parts whose colours no other page has: `npm test` runs axe in the dark theme too. */
  readonly isColourful?: boolean;
}

/** Guides share one template, so `npm test` opens those with unusual content: code, wide tables, lists, search. */
const GUIDES = [
  '',
  '/sync',
  '/fields',
  '/registers/gb',
  '/errors/not_found',
  '/reference',
  '?q=rate+limit',
  ...(isDeep
    ? [
        '/authentication',
        '/paging',
        '/status',
        '/registers',
        '/limits',
        '/http',
        '/provenance',
        '/versioning',
        '/errors',
        '?q=nothngfound',
      ]
    : []),
];

const ALIKE: ReadonlySet<string> = new Set(['/registers/gb', '/errors/not_found']);
const COLOURFUL: ReadonlySet<string> = new Set(['/sync', '/reference', '?q=rate+limit']);

/** `{id:…}` is replaced by the id of the first company that the text finds, `{key}` by the id of an API key. */
const PAGES: Readonly<Record<string, PortalPage>> = {
  home: { path: '/', isColourful: true },
  'home with results': { path: '/?q=9000020', isAlike: true },
  explore: { path: '/explore' },
  'a search preview': { path: '/explore?q=9000020', isAlike: true },
  'search results': { path: '/explore?q=9000020&pageSize=3', isAccount: true, isColourful: true },
  'a search without results': { path: '/explore?q=zzzzzzzz', isAccount: true, isColourful: true },
  'an invalid search': { path: '/explore?page=0', isAccount: true, isColourful: true },
  'a list to match': { path: '/match', isAccount: true, isColourful: true },
  'a list to match, for a visitor': { path: '/match', isAlike: true },
  'a record': { path: '/entities/{id:1017}', isAccount: true, isColourful: true },
  'a list of a record': { path: '/entities/{id:1017}?list=/registrations', isAccount: true },
  'a record with a hostile name': { path: '/entities/{id:90000200}', isAccount: true, isAlike: true },
  'a record with a long name': { path: '/entities/{id:90000207}', isAccount: true, isAlike: true },
  'a record for a visitor': { path: '/entities/{id:90000200}', isColourful: true },
  'the dashboard': { path: '/dashboard', isAccount: true, isAlike: true },
  'a cancelled checkout': { path: '/dashboard?checkout=cancelled', isAccount: true, isAlike: true },
  'a plan that was chosen': { path: '/dashboard/plans/pro', isAccount: true },
  'the confirmation to revoke a key': { path: '/dashboard/keys/{key}/revoke', isAccount: true, isColourful: true },
  coverage: { path: '/coverage', isColourful: true },
  status: { path: '/status', isColourful: true },
  ...Object.fromEntries(
    GUIDES.map((guide) => [
      `/docs${guide}`,
      { path: `/docs${guide}`, isAlike: ALIKE.has(guide), isColourful: COLOURFUL.has(guide) },
    ]),
  ),
  'sign-out': { path: '/auth/logout', isAccount: true },
  'an expired sign-in': { path: '/auth/callback', isAlike: true },
  'a page that does not exist': { path: '/nope' },
};

const MAX_BYTES = 100_000;
const WIDTHS = isDeep ? [320, 375, 768, 1440] : [375, 768, 1440];

describe('every page of the portal', () => {
  const portal = useBrowserPortal();
  let service: TestService;
  let visitor: PortalWindow;
  let account: PortalWindow;
  let keyId: string;
  before(async () => {
    service = portal.service;
    const names = Object.values(HOSTILE_NAMES);
    await importCompanies(
      service,
      names.map((name, index) => company(`9000020${index}`, name)),
    );
    const session = await service.signIn({ plan: 'pro', email: 'anna@example.com' });
    keyId = (await service.services.apiKeys.create(session.account.accountId, '<b>"key"</b>')).id;
    visitor = await openWindow(portal.browser, { width: 1440 });
    account = await openWindow(portal.browser, { width: 1440, session: { token: session.token, url: service.url } });
  });
  after(async () => {
    await visitor?.close();
    await account?.close();
  });

  async function open({ path, isAccount }: PortalPage): Promise<Page> {
    const { page } = isAccount ? account : visitor;
    const [placeholder, q] = /\{id:(\w+)\}/.exec(path) ?? [];
    const id = placeholder === undefined ? '' : await findId(q);
    await page.goto(service.url + path.replace(/\{id:\w+\}/, id).replace('{key}', keyId));
    return page;
  }

  async function findId(q = ''): Promise<string> {
    const { body } = await service.client.get(`/api/v1/entities?q=${q}&pageSize=1`);
    return body.data[0].id;
  }

  for (const [name, target] of Object.entries(PAGES)) {
    test(`${name}: accessible, small, fits phones, runs no hostile text`, async () => {
      const page = await open(target);
      await checkSize(page);
      await checkWidths(page);
      assert.notEqual(await page.title(), 'owned', 'a hostile name ran as a script');
      if (isDeep || !target.isAlike) await checkAccessibility(page, isDeep || target.isColourful === true);
    });
  }

  test('the dashboard with a new key: accessible', async () => {
    const page = await open({ path: '/dashboard', isAccount: true });
    await page.getByLabel('New key name').fill('axe');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('It is shown only once').waitFor();
    await checkAccessibility(page, true);
  });

  test('a list that is checked and matched: accessible, small, fits phones, runs no hostile text', async () => {
    const page = await open({ path: '/match', isAccount: true });
    const { body } = await service.client.get('/api/v1/entities?country=GB&pageSize=97');
    const names: string[] = body.data.map(({ canonicalName }: { canonicalName: string }) => canonicalName);
    await page
      .getByLabel('One name per line')
      .fill(['', ...names, 'Nobody Knows This', '<b>x</b>', 'x'.repeat(400)].join('\n'));
    await page.getByRole('button', { name: 'Check the list' }).click();
    await page.getByText('names in the column').waitFor();
    await checkSize(page);
    await checkWidths(page);
    await checkAccessibility(page, true);
    await page.getByRole('button', { name: 'Match and review 100 rows' }).click();
    await page.getByText('Used 100 requests').waitFor();
    await checkSize(page);
    await checkWidths(page);
    assert.notEqual(await page.title(), 'owned', 'a hostile name ran as a script');
    await checkAccessibility(page, true);
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
  });
});

/**
 * axe looks at every element, and most elements of a long page are rows and operations like the ones before them. `npm test`
 * removes all but the first of each; `npm run test:deep` checks whole pages.
 */
const THIN_OUT = `
  const repeated = 'article > p ~ p ~ p ~ p, article > .scroll ~ .scroll ~ .scroll, article > .code ~ .code ~ .code, tr:nth-child(n+4), li:nth-child(n+4), option:nth-child(n+4), article > .operation ~ .operation ~ .operation, dl > div:nth-child(n+5), pre span:nth-of-type(n+9), .day:nth-of-type(n+4)';
  for (const element of document.querySelectorAll(repeated)) element.remove()`;

/** All rules in the light theme. The dark theme changes colours only, so only the colour rules run again. */
async function checkAccessibility(page: Page, inDark: boolean): Promise<void> {
  if (!isDeep) await page.evaluate(THIN_OUT);
  // axe skips what is inside closed ones, although the style sheet shows it.
  await page.evaluate("for (const fold of document.querySelectorAll('.fold')) fold.open = true");
  assert.deepEqual(await findViolations(page), [], 'in the light theme');
  if (!inDark) return;
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.deepEqual(await findViolations(page, 'cat.color'), [], 'in the dark theme');
  await page.emulateMedia({ colorScheme: 'light' });
}

interface Resource {
  readonly path: string;
  readonly bytes: number;
  readonly isBlocking: boolean;
}

/** Compressed bodies, whether they came from the cache or not, and the resources that delay the first paint. */
async function checkSize(page: Page): Promise<void> {
  const resources = (await page.evaluate(`
    [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].map((entry) => ({
      path: new URL(entry.name).pathname,
      bytes: entry.encodedBodySize,
      isBlocking: entry.entryType === 'resource' && entry.renderBlockingStatus === 'blocking',
    }))`)) as Resource[];
  const bytes = resources.reduce((sum, resource) => sum + resource.bytes, 0);
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

async function checkWidths(page: Page): Promise<void> {
  const size = page.viewportSize() ?? assert.fail('the window has no size');
  // From the current width on: changing it costs more than the checks.
  const widths = size.width === WIDTHS[0] ? WIDTHS : WIDTHS.toReversed();
  for (const width of widths) {
    if (page.viewportSize()?.width !== width) await page.setViewportSize({ ...size, width });
    const excess = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    assert.equal(excess, 0, `the page is ${excess} px too wide at ${width} px`);
    assert.deepEqual(await page.evaluate(FIND_CLIPPED), [], `code or a table is cut off at ${width} px`);
  }
}
