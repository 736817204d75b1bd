import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';

/** A browser window that records every error on its pages. */
export interface PortalWindow {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Fails if a script failed, a policy was violated or a file was missing on any page. */
  close(): Promise<void>;
}

export interface WindowOptions {
  readonly javaScriptEnabled?: boolean;
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
  /** A session cookie, for a user who is already signed in. */
  readonly session?: { readonly token: string; readonly url: string };
}

export async function openWindow(browser: Browser, options: WindowOptions = {}): Promise<PortalWindow> {
  const { javaScriptEnabled = true, colorScheme = 'light', width = 1280, session } = options;
  const context = await browser.newContext({ javaScriptEnabled, colorScheme, viewport: { width, height: 900 } });
  if (session !== undefined) await context.addCookies([{ name: 'session', value: session.token, url: session.url }]);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => {
    // Browsers also log the status of failed responses. Tests check those of pages; those of files are recorded below.
    const isStatus = message.text().includes('the server responded with a status of');
    if (message.type() === 'error' && !isStatus) errors.push(`${page.url()}: ${message.text()}`);
  });
  page.on('response', (response) => {
    if (response.status() < 400 || response.request().isNavigationRequest()) return;
    errors.push(`${page.url()}: ${response.url()} returned ${response.status()}`);
  });
  page.on('pageerror', (error) => errors.push(`${page.url()}: ${error}`));
  page.on('dialog', (dialog) => {
    errors.push(`${page.url()}: dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return {
    page,
    context,
    async close() {
      await context.close();
      assert.deepEqual(errors, []);
    },
  };
}

/** Fills in the form of the demo's identity provider. */
export async function signInAs(page: Page, email: string): Promise<void> {
  await page.getByLabel(/^E-mail/).fill(email);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Every flow must work in both. test/browser/walk.test.ts walks through them. */
export const scripts = [
  { javaScriptEnabled: true, name: 'with JavaScript' },
  { javaScriptEnabled: false, name: 'without JavaScript' },
] as const;

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The accessibility violations that axe finds on the current page, by all its rules or by those with a tag. */
export async function findViolations(page: Page, tag?: string): Promise<string[]> {
  const hasAxe = await page.evaluate("typeof axe === 'object'");
  if (!hasAxe) await page.evaluate(axe);
  const options = JSON.stringify({ resultTypes: ['violations'], ...(tag && { runOnly: [tag] }) });
  const { violations } = (await page.evaluate(`axe.run(document, ${options})`)) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
}
