import { createBrowser, type FakeBrowser } from '../harness/browser-session.ts';
import type { engines } from '../harness/databases.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../harness/identity.ts';
import { startService, type TestService } from '../harness/service.ts';

export const CALLBACK = /\/auth\/callback\?/;

export async function withService(
  engine: (typeof engines)[0],
  work: (service: TestService, idp: TestIdentityProvider, browser: FakeBrowser) => Promise<void>,
) {
  let url = '';
  await using idp = await startIdentityProvider(() => url);
  await using service = await startService(engine, { env: idp.env });
  url = service.url;
  service.clock.set(new Date().toISOString());
  await work(service, idp, createBrowser());
}

/** Signs in and returns the address that the provider sends the browser back to. */
export async function comeBack(service: TestService, browser: FakeBrowser, email: string, query = ''): Promise<string> {
  const page = await browser.open(`${service.url}/auth/login${query}`);
  return (await browser.submit(page, { email }, CALLBACK)).url;
}

export const askMe = (service: TestService, browser: FakeBrowser) =>
  service.client.get('/api/v1/auth/me', { headers: { cookie: `session=${browser.cookie('session')}` } });
