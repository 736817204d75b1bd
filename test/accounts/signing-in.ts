import { after, before } from 'node:test';
import { createBrowser, type FakeBrowser } from '../harness/browser-session.ts';
import type { Engine } from '../harness/databases.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../harness/identity.ts';
import { startService, type TestService } from '../harness/service.ts';

export const CALLBACK = /\/auth\/callback\?/;

type Work = (service: TestService, idp: TestIdentityProvider, browser: FakeBrowser) => Promise<void>;

/** One service and its identity provider for the tests of the surrounding `describe`. Each test has its own browser. */
export function shareSignIn(engine: Engine): (work: Work) => Promise<void> {
  let idp: TestIdentityProvider;
  let service: TestService;
  before(async () => {
    idp = await startIdentityProvider(() => service.url);
    service = await startService(engine, { env: idp.env });
  });
  after(async () => {
    await service?.[Symbol.asyncDispose]();
    await idp?.[Symbol.asyncDispose]();
  });
  return async (work) => {
    service.clock.set(new Date().toISOString());
    await work(service, idp, createBrowser());
  };
}

/** Signs in and returns the address that the provider sends the browser back to. */
export async function comeBack(service: TestService, browser: FakeBrowser, email: string, query = ''): Promise<string> {
  const page = await browser.open(`${service.url}/auth/login${query}`);
  return (await browser.submit(page, { email }, CALLBACK)).url;
}

export const askMe = (service: TestService, browser: FakeBrowser) =>
  service.client.get('/api/v1/auth/me', { headers: { cookie: `session=${browser.cookie('session')}` } });
