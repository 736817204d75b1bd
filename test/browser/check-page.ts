import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { isDeep } from '../harness/depth.ts';
import { findViolations } from '../harness/portal.ts';

/** Page, style sheet and scripts, before they are compressed. */
export const MAX_BYTES = 100_000;
const WIDTHS = isDeep ? [320, 375, 768, 1440] : [375, 768, 1440];

export type Thoroughness = 'no axe' | 'light' | 'light and dark';

/**
 * Checks a page for everything that holds for all pages: size, blocking resources, width, accessibility. `npm run test:deep` runs axe at
 * each width in both themes; `npm test` at one width, as thoroughly as asked for.
 */
export async function checkPage(page: Page, thoroughness: Thoroughness = 'light and dark'): Promise<void> {
  await checkSize(page);
  const size = page.viewportSize() ?? assert.fail('the window has no size');
  // From the current width on: changing it costs more than the checks.
  for (const width of size.width === WIDTHS[0] ? WIDTHS : WIDTHS.toReversed()) {
    if (page.viewportSize()?.width !== width) await page.setViewportSize({ ...size, width });
    await checkWidth(page, width);
    if (isDeep) await checkAccessibility(page, 'light and dark');
  }
  if (!isDeep) await page.evaluate(THIN_OUT);
  if (!isDeep && thoroughness !== 'no axe') await checkAccessibility(page, thoroughness);
}

/**
 * axe looks at every element, and most elements of a long page are rows and operations like the ones before them. `npm test`
 * removes all but the first of each; `npm run test:deep` checks whole pages.
 */
const THIN_OUT = `
  const repeated = 'article > p ~ p ~ p ~ p, article > .scroll ~ .scroll ~ .scroll, article > .code ~ .code ~ .code, tr:nth-child(n+4), li:nth-child(n+4), option:nth-child(n+4), article > .operation ~ .operation ~ .operation, dl > div:nth-child(n+5), pre span:nth-of-type(n+9), .day:nth-of-type(n+4)';
  for (const element of document.querySelectorAll(repeated)) element.remove()`;

/** All rules in the light theme. The dark theme changes colours only, so only the colour rules run again. */
async function checkAccessibility(page: Page, thoroughness: Thoroughness): Promise<void> {
  // axe skips what is inside closed ones, although the style sheet shows it.
  await page.evaluate("for (const fold of document.querySelectorAll('.fold')) fold.open = true");
  const width = page.viewportSize()?.width;
  assert.deepEqual(await findViolations(page), [], `in the light theme at ${width} px`);
  if (thoroughness !== 'light and dark') return;
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
