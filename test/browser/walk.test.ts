import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { isDeep } from '../harness/depth.ts';
import { useBrowserDemo } from './browser-demo.ts';
import { openWindow, type PortalWindow } from './portal.ts';
import { ESSENTIAL_FLOWS, FLOWS } from './walk-flows.ts';

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
