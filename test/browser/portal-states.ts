import type { Page } from 'playwright-core';
import { HOSTILE_NAMES } from '../web/pages.ts';

/** A page as somebody sees it. In `path`, `{id:…}` is the id of the first company that the text finds, `{key}` the id of an API key. */
export interface PortalState {
  readonly path: string;
  readonly isAccount?: boolean;
  /** What to do on the page first. */
  readonly act?: (page: Page) => Promise<void>;
}

/** Routes that answer with files, with JSON, or with a redirect to a page. */
export const IS_FILE =
  /^\/(api|assets|mcp|feeds|\.well-known)\b|\.txt$|^\/explore\/download$|^\/match\/rows$|^\/entities\/:id\/json$|^\/dashboard\/(keys|links)$|^\/dashboard\/exports\/|^\/auth\/login$/;

/** Documents are made of the same parts. Only these are opened; test/web/large.deep.test.ts checks the sizes of all. */
export const IS_LIKE_ANOTHER =
  /^\/docs\/(?!sync$|fields$|webhooks$|registers\/gb$|reference$|reference\/(search|monitors)$)/;

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
export const STATES: Readonly<Record<string, Readonly<Record<string, PortalState>>>> = {
  '/': {
    '': { path: '/' },
    'with results': { path: '/?q=9000020' },
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
    '': { path: '/entities/{id:1017}', isAccount: true },
    'with a list': { path: '/entities/{id:1017}?list=/registrations', isAccount: true },
    'with a hostile name': { path: '/entities/{id:90000200}', isAccount: true },
    'with a long name and changes': { path: '/entities/{id:90000207}', isAccount: true },
    'for a visitor': { path: '/entities/{id:90000200}' },
    'that does not exist': { path: '/entities/8cfb7733-0cb1-511b-8310-bbbf2455fb11', isAccount: true },
  },
  '/entities/:id/proof': {
    '': { path: '/entities/{id:90000200}/proof', isAccount: true },
    'without a file': { path: '/entities/{id:1017}/proof', isAccount: true },
    'for a visitor': { path: '/entities/{id:1017}/proof' },
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
      path: '/dashboard/monitors?search=q%3Dbank',
      isAccount: true,
      act: async (page) => {
        await page.getByRole('textbox', { name: 'Name' }).fill('Banks');
        await page.getByRole('textbox', { name: 'Companies' }).fill('nonsense');
        await press('Create monitor', 'The monitor was not created')(page);
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
