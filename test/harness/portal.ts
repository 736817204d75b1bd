import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';

/** A browser window on the portal in which nothing may go wrong unnoticed. */
export interface PortalWindow {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Fails if a script failed, a policy was violated or a file was missing. */
  close(): Promise<void>;
}

export interface WindowOptions {
  readonly javaScriptEnabled?: boolean;
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
  /** Of a session cookie, for who is signed in already. */
  readonly session?: { readonly token: string; readonly url: string };
}

export async function openWindow(browser: Browser, options: WindowOptions = {}): Promise<PortalWindow> {
  const { javaScriptEnabled = true, colorScheme = 'light', width = 1280, session } = options;
  const context = await browser.newContext({ javaScriptEnabled, colorScheme, viewport: { width, height: 900 } });
  if (session !== undefined) await context.addCookies([{ name: 'session', value: session.token, url: session.url }]);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    // The browser also writes there what a page was answered with, which is the test's business; of files, see below.
    const isStatus = message.text().includes('the server responded with a status of');
    if (message.type() === 'error' && !isStatus) complaints.push(`${page.url()}: ${message.text()}`);
  });
  page.on('response', (response) => {
    if (response.status() < 400 || response.request().isNavigationRequest()) return;
    complaints.push(`${page.url()}: ${response.url()} was answered ${response.status()}`);
  });
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error}`));
  page.on('dialog', (dialog) => {
    complaints.push(`${page.url()}: a dialog says ${dialog.message()}`);
    void dialog.dismiss();
  });
  return {
    page,
    context,
    async close() {
      await context.close();
      assert.deepEqual(complaints, []);
    },
  };
}

/** At the demo's identity provider, from wherever the page is. */
export async function signInAs(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** In browsers with script and without. */
export const SCRIPTS = [
  { javaScriptEnabled: true, name: 'with JavaScript' },
  { javaScriptEnabled: false, name: 'without JavaScript' },
] as const;

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe objects to on the page as it is now. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found = (await page.evaluate('axe.run(document)')) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
}
