import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { portalKeyId } from '../../src/core/usage.ts';
import { createPreview } from '../../src/web/preview.ts';
import { engines } from '../harness/databases.ts';
import { importCompanies } from '../harness/entities.ts';
import { type OpenPage, pageOpener } from '../harness/pages.ts';
import { startService, type TestService, type TestSession } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';

for (const engine of engines) {
  describe(`explore and records on ${engine}`, () => {
    let service: TestService;
    let open: OpenPage;
    before(async () => {
      service = await startService(engine, { preview: { perAddress: 4, inTotal: 6 } });
      const software = { 'SICCode.SicText_1': '62012 - Business and domestic software development' };
      await importCompanies(service, [
        ...Array.from({ length: 30 }, (_, index) => company(String(index).padStart(8, '0'), `ALPHA ${index} LTD`)),
        company('00000100', 'BETA SOFTWARE LLP', { CompanyCategory: 'Limited Liability Partnership', ...software }),
        company('00000200', 'GAMMA LTD', { CompanyStatus: 'Liquidation', 'RegAddress.PostTown': 'LEEDS' }),
      ]);
      open = pageOpener(service);
    });
    after(() => service[Symbol.asyncDispose]());

    const usedBy = async (session: TestSession) => (await service.services.meter.readUsage(session.account)).used;

    test('a visitor sees the first five results and the exact total, is limited, and can search again in the next minute', async () => {
      service.clock.advance(60_000);
      const page = await open('/explore?q=alpha');
      assert.equal(page.status, 200);
      assert.match(page.text, /30 companies match “ ?alpha/);
      assert.equal(page.html.match(/href="\/entities\//g)?.length, 5);
      assert.match(page.text, /Showing the first 5/);
      assert.equal((await open('/?q=beta')).status, 200);
      const linked = ({ html }: { html: string }) => html.match(/href="\/entities\/[\w-]+/g);
      assert.deepEqual(linked(await open('/explore?q=alpha&page=2')), linked(page), 'a visitor can open page 2');
      assert.equal((await open('/?q=alpha')).status, 200);
      const refused = await open('/explore?q=alpha');
      assert.equal(refused.status, 429);
      assert.match(refused.text, /Try again in \d+ seconds?/);
      assert.equal((await open('/')).status, 200, 'a page without a search is limited');
      service.clock.advance(60_000);
      assert.equal((await open('/explore?q=alpha')).status, 200);
    });

    test('previews are limited per address and in total, per minute', async () => {
      const { clock, services } = service;
      const preview = createPreview({ search: services.search, clock }, { perAddress: 2, inTotal: 3 });
      const search = async (...addresses: string[]) => {
        const kinds: string[] = [];
        for (const address of addresses) kinds.push((await preview(address, { q: 'alpha' })).kind);
        return kinds;
      };
      for (let minute = 0; minute < 2; minute++) {
        assert.deepEqual(await search('a', 'a', 'a'), ['preview', 'preview', 'refused']);
        assert.deepEqual(await search('b', 'b', 'c'), ['preview', 'refused', 'refused']);
        clock.advance(60_000);
      }
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
      assert.match(page.html, /ALPHA 9 LTD/);
      assert.equal(await usedBy(session), 1);
      const mistake = await open('/explore?q=alpha&page=0', session);
      assert.equal(mistake.status, 400);
      assert.match(mistake.text, /"page" must be an integer/);
      assert.match(mistake.html, /value="alpha"/, 'the form lost its valid fields');
      assert.equal(await usedBy(session), 1);
      const byKey = await service.services.meter.readUsageByKey(session.account);
      assert.deepEqual([...byKey], [[portalKeyId(session.account.accountId), 1]]);
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
      assert.equal((await open(`/entities/${id}`)).status, 401, 'a visitor can open a record');
    });

    test('the rate limit and the quota apply, and the page says how long to wait', async () => {
      service.clock.advance(60_000);
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
      assert.match(usedUp.text, /You have used all 1,000 requests of this period/);
      const [, id] = /\/entities\/([\w-]+)/.exec((await open('/?q=beta')).html) ?? [];
      assert.equal((await open(`/entities/${id}`, session)).status, 429);
    });

    test('results show the number, city and register of a company', async () => {
      service.clock.advance(60_000);
      const { text } = await open('/explore?q=gamma', await service.signIn());
      assert.match(
        text,
        /GAMMA LTD GB in liquidation 00000200 LEEDS register gb Private Limited Company since 1 Feb 2003/,
      );
    });

    test('the filters for status and register find the same as the API', async () => {
      service.clock.advance(60_000);
      const session = await service.signIn();
      const { html, text } = await open('/explore?status=in_liquidation&register=gb', session);
      assert.match(text, /1 company .*GAMMA LTD/);
      assert.match(html, /<option value="in_liquidation" selected>in liquidation \(1\)/);
      assert.match(html, /<option value="gb" selected>gb \(32\)/);
      assert.match(html, /<option value="insolvent">insolvent</, 'a status that no company has is missing');
      assert.match(text, /entities\?register=gb&status=in_liquidation/);
      assert.match((await open('/explore?register=nope', session)).text, /0 companies/);
      assert.equal((await open('/explore?status=nope', session)).status, 400);
    });

    test('filters list the existing values with their counts', async () => {
      service.clock.advance(60_000);
      const session = await service.signIn();
      const { html } = await open('/explore?q=&country=GB', session);
      assert.match(html, /<option value="GB" selected>United Kingdom \(32\)/);
      assert.match(html, /<option value="Limited Liability Partnership">Limited Liability Partnership \(1\)/);
      assert.match(html, /<option value="Business and domestic software development">1 company/);
      const chosen = await open('/explore?legalForm=Limited+Liability+Partnership&activity=62012', session);
      assert.match(chosen.text, /1 company/);
      assert.match(chosen.html, /BETA SOFTWARE LLP/);
      const api = /'(http[^']+)'/.exec(chosen.text)?.[1] ?? '';
      const reply = await fetch(api, { headers: { 'x-api-key': await service.findKey() } });
      // biome-ignore lint/suspicious/noExplicitAny: the assertion checks it
      assert.equal(((await reply.json()) as any).meta.total, 1, 'the API request on the page returns other results');
    });
  });
}
