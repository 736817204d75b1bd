import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dayWindow, findPlan } from '../../src/base/plans.ts';
import { createVisitorLimit } from '../../src/base/requests/visitor-limit.ts';
import { portalKeyId } from '../../src/base/usage.ts';
import { limitNotice } from '../../src/portal/parts/plans.ts';
import { suggestionLimits } from '../../src/portal/preview.ts';
import { usualEngines } from '../harness/databases.ts';
import { useExplore } from './explore-service.ts';

const DAY = 86_400_000;

for (const engine of usualEngines) {
  describe(`limits and charges of explore and records on ${engine}`, () => {
    const { service, open, usedBy } = useExplore(engine);

    test('a visitor sees the first five results and the exact total, is limited, and can search again in the next minute', async () => {
      const page = await open('/explore?q=alpha');
      assert.equal(page.status, 200);
      assert.match(page.text, /30 companies match “ ?alpha/);
      assert.equal(page.html.match(/href="\/entities\//g)?.length, 5);
      assert.match(page.text, /Showing the first 5/);
      assert.equal((await open('/explore?q=beta')).status, 200);
      const linked = ({ html }: { html: string }) => html.match(/href="\/entities\/[\w-]+/g);
      assert.deepEqual(linked(await open('/explore?q=alpha&page=2')), linked(page), 'a visitor can open page 2');
      assert.equal((await open('/explore?q=alpha')).status, 200);
      const refused = await open('/explore?q=alpha');
      assert.equal(refused.status, 429);
      assert.match(refused.text, /Try again in \d+ seconds?/);
      assert.equal((await open('/')).status, 200, 'a page without a search is limited');
      service.clock.advance(60_000);
      assert.equal((await open('/explore?q=alpha')).status, 200);
    });

    test('a signed-in search is charged like the API: one request for a result page, none for an invalid search', async () => {
      const session = await service.signIn({ plan: 'free' });
      const form = await open('/explore', session);
      assert.match(form.text, /browse by country/);
      assert.equal(await usedBy(session), 0, 'opening the empty form is charged');
      const page = await open(
        '/explore?q=alpha&country=GB&legalForm=&activity=&activityType=unlicensed&pageSize=10&page=3',
        session,
      );
      assert.equal(page.status, 200);
      assert.match(page.text, /999 left in this period/);
      assert.match(page.text, /ALPHA 9 LTD/);
      assert.equal(await usedBy(session), 1);
      const far = await open('/explore?q=alpha&page=9007199254740992', session);
      assert.match(far.text, /Page 9,007,199,254,740,991 does not exist\. The last page is /);
      assert.equal(await usedBy(session), 2);
      const mistake = await open('/explore?q=alpha&page=0', session);
      assert.equal(mistake.status, 400);
      assert.match(
        mistake.text,
        /"page" must be a page number in plain digits, 1 or higher; omit it for the default, 1\./,
      );
      assert.match(mistake.html, /value="alpha"/, 'the form lost its valid fields');
      assert.equal(await usedBy(session), 2);
      const { counts } = await service.services.meter.listUseByKey(session.account);
      assert.deepEqual(
        counts.map(({ keyId, requests }) => [keyId, requests]),
        [[portalKeyId(session.account.accountId), 2]],
      );
    });

    test('a record costs one request, an unknown id none', async () => {
      const session = await service.signIn({ plan: 'free' });
      const [, id] = /\/entities\/([\w-]+)/.exec((await open('/explore?q=beta', session)).html) ?? [];
      const record = await open(`/entities/${id}`, session);
      assert.equal(record.status, 200);
      for (const part of [
        'BETA SOFTWARE LLP',
        'Companies House',
        'companies.csv',
        'CompanyName',
        'Original source row',
      ]) {
        assert.ok(record.text.includes(part), part);
      }
      assert.equal(await usedBy(session), 2);
      for (const unknown of ['00000000-0000-5000-8000-000000000000', 'nonsense']) {
        const page = await open(`/entities/${unknown}`, session);
        assert.equal(page.status, 404);
        assert.match(page.text, /Record not found/);
      }
      assert.equal(await usedBy(session), 2);
    });

    test('a visitor opens a few records per day, without the source row and the JSON', async () => {
      service.clock.advance(DAY);
      const { id } = (await service.client.get('/api/v1/entities?q=beta')).body.data[0];
      const charged = await service.services.accountsDb.all('SELECT * FROM quotas ORDER BY account_id');
      const page = await open(`/entities/${id}`);
      assert.equal(page.status, 200);
      for (const shown of ['BETA SOFTWARE LLP', '62012', 'companies.csv', 'Sign in to see every source field']) {
        assert.ok(page.text.includes(shown), shown);
      }
      // A column that has no normalized field, and the names of columns and of fields in the JSON.
      assert.doesNotMatch(page.html, /CompanyName|CompanyCategory|SicText|canonicalName|sourceData|used one request/);
      for (const part of ['/json', '?list=/registrations', '?list=/sourceData']) {
        const denied = await open(`/entities/${id}${part}`);
        assert.equal(denied.status, 401, part);
        assert.doesNotMatch(denied.html, /BETA SOFTWARE/);
      }
      assert.equal((await open('/entities/nonsense')).status, 404);
      assert.equal((await open('/entities/00000000-0000-5000-8000-000000000000')).status, 404);
      assert.equal((await open(`/entities/${id}`)).status, 200);
      const refused = await open(`/entities/${id}`);
      assert.equal(refused.status, 429);
      assert.match(refused.text, /you can open 3 records per day.* Try again in \d+ (hours|minutes|seconds)/);
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
      assert.doesNotMatch(refused.html, /BETA SOFTWARE/);
      service.clock.advance(DAY);
      assert.equal((await open(`/entities/${id}`)).status, 200, 'the limit stays after its day');
      const after = await service.services.accountsDb.all('SELECT * FROM quotas ORDER BY account_id');
      assert.deepEqual(after, charged, 'a visit is charged');
    });

    test('records for visitors are limited per address and in total, per day', () => {
      const take = createVisitorLimit({ perAddress: 2, inTotal: 3 }, dayWindow);
      for (const day of [0, DAY]) {
        const visit = (address: string) => take(address, day + DAY / 2);
        assert.deepEqual(['a', 'a', 'a'].map(visit), [undefined, undefined, day + DAY]);
        assert.deepEqual(['b', 'b', 'c'].map(visit), [undefined, day + DAY, day + DAY]);
      }
    });

    test('the rate limit and the quota apply, and the page says how long to wait', async () => {
      const session = await service.signIn({ plan: 'free' });
      for (let count = 0; count < 60; count++) assert.equal((await open('/explore?q=alpha', session)).status, 200);
      const tooFast = await open('/explore?q=alpha', session);
      assert.equal(tooFast.status, 429);
      assert.match(tooFast.text, /Your plan allows 60 requests per minute\. Try again in \d+ second/);
      assert.equal(await usedBy(session), 60);

      service.clock.advance(60_000);
      await service.services.accountsDb.run('UPDATE quotas SET used = 1000 WHERE account_id = $1', [
        session.account.accountId,
      ]);
      const usedUp = await open('/explore?q=alpha', session);
      assert.equal(usedUp.status, 429);
      assert.match(usedUp.text, /You have used all 1,000 requests in this period/);
      const [, id] = /\/entities\/([\w-]+)/.exec((await open('/explore?q=beta')).html) ?? [];
      assert.equal((await open(`/entities/${id}`, session)).status, 429);
    });

    test('suggestions while typing are free, show the first five results only, and are limited per account', async () => {
      const session = await service.signIn({ plan: 'free' });
      const names = ({ html }: { html: string }) => html.match(/href="\/entities\/[\w-]+/g);
      const typed = 'alpha';
      for (let length = 1; length <= typed.length; length++) {
        const page = await open(`/explore/suggest?q=${typed.slice(0, length)}`, session);
        assert.equal(page.status, 200);
        assert.match(page.text, /Show all \d+ \(uses 1 request\)/);
        assert.equal(names(page)?.length, 5);
      }
      const first = names(await open('/explore/suggest?q=alpha', session));
      for (const attempt of ['page=2', 'page=2&pageSize=100', 'pageSize=100']) {
        assert.deepEqual(names(await open(`/explore/suggest?q=alpha&${attempt}`, session)), first, attempt);
      }
      assert.match((await open('/explore/suggest?q=', session)).text, /browse by country/);
      assert.equal(await usedBy(session), 0, 'suggestions are charged');
      assert.equal((await open('/explore?q=alpha', session)).status, 200);
      assert.equal(await usedBy(session), 1);

      const isRefused = async () => (await open('/explore/suggest?q=alpha', session)).status === 429;
      let count = typed.length + 4;
      while (!(await isRefused()) && count < 100) count++;
      assert.equal(count, suggestionLimits.perMinute.perAddress);
      const other = await service.signIn();
      assert.equal((await open('/explore/suggest?q=alpha', other)).status, 200, 'another account is limited');
      assert.equal((await open('/explore?q=alpha', session)).status, 200, 'the search itself is limited');
      assert.equal(await usedBy(session), 2);
    });

    test('results can be downloaded as CSV: the page says what it costs, and unused requests are refunded', async () => {
      const session = await service.signIn({ plan: 'free' });
      const { text } = await open('/explore?q=alpha&country=GB', session);
      assert.match(text, /Download CSV 30 results, uses 1 request/);
      const file = await open('/explore/download', session, { q: 'alpha', country: 'GB', units: '3' });
      assert.equal(file.status, 200);
      assert.match(file.headers.get('content-type') ?? '', /^text\/csv; charset=utf-8/);
      assert.match(
        file.headers.get('content-disposition') ?? '',
        /^attachment; filename="companies-alpha-gb-\d{4}-\d\d-\d\d\.csv"; filename\*=/,
      );
      const lines = file.html.replace('\ufeff', '').split('\r\n');
      assert.equal(
        lines[0],
        'id,countryCode,register,registrationNumber,canonicalName,status,legalForm,city,registeredAt,updatedAt,jurisdiction,isic,elf,legalFormClass',
      );
      assert.match(lines[1] ?? '', /^[0-9a-f-]{36},GB,gb,00000000,ALPHA 0 LTD,active,Private Limited Company,/);
      assert.equal(lines.length, 32, 'a header, 30 companies and the end of the last line');
      assert.equal(await usedBy(session), 2, 'one request for the search, one for the file');

      for (const fields of [{ q: 'alpha' }, { units: '0' }, { units: '11' }, { units: '1', page: '0' }]) {
        assert.equal((await open('/explore/download', session, fields)).status, 400, JSON.stringify(fields));
      }
      const signedOut = await open('/explore/download', undefined, { q: 'alpha', units: '1' }, '/explore?q=alpha');
      assert.equal(signedOut.headers.get('location'), '/auth/login?returnTo=%2Fexplore%3Fq%3Dalpha');
      const headers = { cookie: session.headers.cookie ?? '', origin: 'https://other.example' };
      const body = new URLSearchParams({ q: 'alpha', units: '1' });
      assert.equal((await fetch(`${service.url}/explore/download`, { method: 'POST', headers, body })).status, 403);
      assert.equal(await usedBy(session), 2);
    });
  });
}

test('the notice of a download that costs more than is left says both, and not when to try again', () => {
  const allowance = { limit: 1_000, remaining: 3, resetsAt: Date.parse('2026-04-01'), startsAt: 0 };
  const denied = {
    outcome: 'denied',
    code: 'insufficient_quota',
    resetsAt: allowance.resetsAt,
    limits: { window: allowance, quota: allowance },
    units: 7,
    plan: findPlan('free'),
  } as const;
  const page = limitNotice(denied, 0).text;
  assert.match(page, /This uses 7 requests, and you have 3 requests left/);
  assert.doesNotMatch(page, /Quota used up/);
});
