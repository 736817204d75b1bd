import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fail } from '../../src/core/errors.ts';
import { findPlan } from '../../src/core/plans.ts';
import { selectContent } from '../../src/records/shown-record.ts';
import { dashboardPage } from '../../src/web/pages/dashboard.ts';
import { entityPage } from '../../src/web/pages/entity.ts';
import { entityListPage } from '../../src/web/pages/entity-list.ts';
import {
  confirmPage,
  continueToPaymentPage,
  showFailure,
  signInProblemPage,
  signInToReadPage,
  visitorLimitPage,
} from '../../src/web/pages/messages.ts';
import { companiesPage, deleteMonitorPage, monitorPage, monitorsPage } from '../../src/web/pages/monitors.ts';
import { deleteEndpointPage, webhookPage, webhooksPage } from '../../src/web/pages/webhooks.ts';
import { keyTexts, linkTexts } from '../../src/web/parts/account/secrets-section.ts';
import { mistakeNotice } from '../../src/web/parts/search/limit-notices.ts';
import { revokePage, rotatePage } from '../../src/web/routes/dashboard.ts';
import { homePage } from '../../src/web/routes/home.ts';
import { coveragePage, statusPage } from '../../src/web/routes/registers.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService } from '../harness/service.ts';
import { company, GB_HEADER } from '../registry/gb-file.ts';
import {
  delivery,
  endpoint,
  explore,
  foundPage,
  type Hostile,
  key,
  list,
  listView,
  monitor,
  NOW,
  OPENING,
  pastChange,
  plan,
  record,
  registerState,
  scope,
  URL,
} from './hostile-values.ts';
import { HOSTILE_NAMES, pageOpener } from './pages.ts';

/**
 * Every text that does not come from us is escaped wherever a page shows it. Each field of each page gets different
 * hostile text, so that a failure names the field, and the raw HTML must contain that text in its escaped form only.
 */

const pages: Readonly<Record<string, (hostile: Hostile) => string>> = {
  'the home page': (hostile) =>
    homePage({
      visitor: 'anonymous',
      publicUrl: URL,
      countries: [],
      registers: [],
      sample: foundPage(hostile),
      now: NOW,
      q: hostile('search text'),
      outcome: { kind: 'preview', page: foundPage(hostile) },
    }).text,
  'a search form': (hostile) => explore(hostile, { kind: 'none' }).text,
  'search results': (hostile) =>
    explore(hostile, { kind: 'found', page: foundPage(hostile), left: 1, plan: findPlan('free') }).text,
  'a search preview': (hostile) => explore(hostile, { kind: 'preview', page: foundPage(hostile) }).text,
  'a country without data': (hostile) => explore(() => 'harmless', { kind: 'none' }, hostile('country filter')).text,
  'an invalid search': (hostile) => {
    const notice = mistakeNotice(hostile('error message'));
    return explore(hostile, { kind: 'refused', code: 'invalid_request', notice }).text;
  },
  'a record': (hostile) =>
    entityPage({
      visitor: { name: 'Anna' },
      publicUrl: URL,
      excerpt: selectContent(record(hostile), { kind: 'excerpt' }),
      history: { changes: [pastChange(hostile)], hasMore: true },
      registers: [],
      now: NOW,
      left: 1,
    }).text,
  'a common list of a record': (hostile) => list(hostile, '/registry/establishments'),
  'a national list of a record': (hostile) => list(hostile, `/registry/${hostile('name of a list')}/0/x`),
  'a list of source rows': (hostile) => list(hostile, `/sourceData/${hostile('name of a table')}`),
  'the registrations of a record': (hostile) =>
    entityListPage({
      ...listView,
      pointer: '/registrations',
      list: {
        head: {},
        total: 1,
        items: [{ authority: hostile('authority'), number: hostile('number'), type: hostile('type'), status: null }],
      },
    }).text,
  'the question before a page that costs a request': (hostile) =>
    confirmPage({ name: 'Anna' }, `/entities/${hostile('address')}`).text,
  'a list of a record for a visitor': (hostile) => signInToReadPage(`/entities/${hostile('id')}`).text,
  'a record after the last one for a visitor': (hostile) => visitorLimitPage(`/entities/${hostile('id')}`, 10, 1).text,
  'the page of a webhook endpoint': (hostile) =>
    webhookPage({
      visitor: { name: 'Anna' },
      monitors: [monitor(hostile)],
      endpoint: endpoint(hostile, hostile('description')),
      deliveries: [delivery(hostile)],
      state: undefined,
      next: hostile('id of the last delivery'),
    }).text,
  'the webhook endpoints': (hostile) =>
    webhooksPage({
      visitor: { name: 'Anna' },
      monitors: [monitor(hostile)],
      endpoints: [endpoint(hostile, hostile('description'))],
      limit: 2,
      isOn: true,
      form: endpoint(hostile),
      receiver: hostile('address of the receiver'),
      problem: hostile('error message'),
    }).text,
  'the monitors': (hostile) =>
    monitorsPage({
      visitor: { name: 'Anna' },
      plan,
      monitors: [monitor(hostile)],
      form: { name: hostile('name in the form'), list: hostile('list'), search: hostile('search'), ...scope },
      problem: hostile('error message'),
    }).text,
  'a monitor': (hostile) =>
    monitorPage({
      visitor: { name: 'Anna' },
      monitor: monitor(hostile),
      changes: [pastChange((field) => (field === 'file of a change' ? 'x' : hostile(field))).change],
      endpoints: [endpoint(hostile)],
      feed: hostile('address of the feed'),
      notFound: [hostile('line of the list')],
      problem: hostile('error message'),
    }).text,
  'the companies of a monitor': (hostile) =>
    companiesPage({
      visitor: { name: 'Anna' },
      monitor: monitor(hostile),
      companies: foundPage(hostile).data,
      next: hostile('id of the last company'),
    }).text,
  'the dashboard': (hostile) =>
    dashboardPage({
      visitor: { name: hostile('user name or e-mail') },
      publicUrl: URL,
      accountId: 'a',
      endpoints: [endpoint(hostile)],
      exports: [],
      isOperator: true,
      plan,
      usage: {
        periodStart: NOW,
        periodEnd: NOW + 86_400_000,
        used: 1,
        limit: 10,
        remaining: 9,
        warning: null,
        daily: [],
        previous: null,
      },
      history: { days: ['2026-03-15'], counts: [{ date: '2026-03-15', keyId: key(hostile).id, requests: 1 }] },
      months: [],
      keys: [key(hostile)],
      links: [key(hostile)],
      now: NOW,
      state: {
        status: hostile('subscription status'),
        currentPeriodEnd: null,
        cancelAtPeriodEnd: false,
        portalAvailable: true,
      },
      isOn: true,
      created: { texts: linkTexts, name: hostile('new key name'), secret: hostile('secret') },
      problem: hostile('error message'),
    }).text,
  'the confirmation to revoke a key': (hostile) => revokePage(keyTexts, key(hostile), { name: 'Anna' }).text,
  'the confirmation to delete a monitor': (hostile) =>
    deleteMonitorPage({ id: 'id', name: hostile('name') }, { name: 'Anna' }).text,
  'the confirmation to delete an endpoint': (hostile) =>
    deleteEndpointPage({ id: 'id', url: hostile('url') }, { name: 'Anna' }).text,
  'the form to rotate a key': (hostile) => rotatePage(keyTexts, key(hostile), { name: 'Anna' }).text,
  'the link to a payment page': (hostile) => continueToPaymentPage(hostile('payment url'), { name: 'Anna' }).text,
  'the coverage page': (hostile) =>
    coveragePage({
      visitor: 'anonymous',
      classified: { isic: new Map(), elf: new Map() },
      countries: [
        { code: 'GB', name: hostile('country name'), nativeName: 'GB', enabled: true, data: [] },
        {
          code: hostile('country code'),
          name: hostile('planned'),
          nativeName: hostile('native name'),
          enabled: false,
          data: [],
        },
      ],
      registers: [registerState(hostile)],
      now: NOW,
    }).text,
  'the status page': (hostile) => {
    const { register, ...state } = registerState(() => 'harmless');
    const registers = [{ ...state, register: { ...register, name: hostile('register name') } }];
    return statusPage({ visitor: 'anonymous', version: hostile('version'), isReady: true, registers, now: NOW }).text;
  },
  'an error page': (hostile) =>
    showFailure(fail('not_found', { message: hostile('error message') }), { id: hostile('request id'), headers: {} })
      .body,
  'a sign-in problem': (hostile) => signInProblemPage(hostile('title'), hostile('explanation')).text,
  'a mistake in a search': (hostile) => mistakeNotice(hostile('error message')).text,
};

describe('hostile text is escaped on', () => {
  for (const [name, render] of Object.entries(pages)) {
    test(name, () => {
      const texts = new Map<string, string>();
      const html = render((field) => {
        const text = `${OPENING}"'&${texts.size}">`;
        const known = texts.get(field) ?? text;
        texts.set(field, known);
        return known;
      });
      // Code is highlighted, so its text is in several elements.
      const plain = html.replace(/<\/?span[^>]*>/g, '');
      for (const [field, text] of texts) {
        assert.ok(!html.includes(text), `the ${field} is not escaped`);
        assert.ok(
          [text, encodeURIComponent(text)].some((shown) => plain.includes(escapeHtml(shown))),
          `the ${field} does not appear on the page`,
        );
      }
      assert.ok(!html.includes(OPENING), 'the page has an element from hostile text');
    });
  }
});

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

test('hostile names and columns of an imported file reach the pages as text only', async () => {
  await using service = await startService('sqlite');
  const open = pageOpener(service);
  const session = await service.signIn();
  const names = Object.values(HOSTILE_NAMES);
  const column = '<img src=x onerror=alert(1)>';
  const rows = names.map((name, index) => company(`9000020${index}`, name, { [column]: '<b>value</b>' }));
  await importCompanies(service, rows, `${GB_HEADER},${column}`);
  const results = await open('/explore?q=9000020', session);
  const ids = [...results.html.matchAll(/\/entities\/([\w-]+)/g)].map(([, id]) => id);
  assert.equal(ids.length, names.length);
  const records = await Promise.all(ids.map((id) => open(`/entities/${id}`, session)));
  const search = await open(`/explore?q=${encodeURIComponent('"><script>alert(1)</script>')}`, session);
  for (const { html } of [results, ...records, search]) {
    assert.doesNotMatch(html, /<script(?! type="module" src="\/assets\/)/);
    assert.doesNotMatch(html, /<(img src=x|b>Sons|b>value)/);
    assert.doesNotMatch(
      html,
      /[\u202a-\u202e\u2066-\u2069]/u,
      'the page has a character that changes the reading order',
    );
    assert.doesNotMatch(html, /<[^>]*\son\w+=/, 'the page has an event handler');
  }
  for (const { html } of records) {
    assert.match(
      html,
      /<bdi>&lt;img src=x onerror=alert\(1\)&gt;<\/bdi>/,
      'the source column is not on the record page',
    );
  }
  assert.match(results.html, /<bdi>ABC <span class="invisible">U\+202E<\/span>DEF/);
});
