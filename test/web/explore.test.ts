import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createPreviews } from '../../src/portal/preview.ts';
import { usualEngines } from '../harness/databases.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';
import { useExplore } from './explore-service.ts';
import { pageOpener } from './pages.ts';

for (const engine of usualEngines) {
  describe(`explore and records on ${engine}`, () => {
    const { service, open, usedBy } = useExplore(engine);

    test('results show what identifies a company, with the match marked in names and numbers', async () => {
      const session = await service.signIn();
      const { html, text } = await open('/explore?q=gamma', session);
      assert.match(html, /<bdi><mark>GAMMA<\/mark> LTD<\/bdi>/);
      assert.match((await open('/explore?q=00-00-02', session)).html, /<code><bdi><mark>000002<\/mark>00<\/bdi>/);
      assert.match(
        text,
        /GAMMA LTD formerly OLD GAMMA LTD in liquidation 00000200 LEEDS United Kingdom Private Limited Company since 1 Feb 2003 /,
      );
    });

    test('results show the former name, on every kind of result page; without it, the page is sent all the same', async () => {
      const session = await service.signIn();
      const shows = /GAMMA LTD formerly OLD ?GAMMA LTD in liquidation 00000200/;
      assert.match((await open('/explore?q=gamma')).text, shows);
      assert.match((await open('/explore/suggest?q=gamma', session)).text, shows);
      const { html, text } = await open('/explore?q=gamma', session);
      assert.match(text, shows);
      assert.match(html, /formerly <bdi>OLD<mark>GAMMA<\/mark> LTD/);
      assert.match(html, /<meta name="robots" content="noindex, nofollow">/);
      assert.doesNotMatch((await open('/explore', session)).html, /noindex/);
      assert.doesNotMatch((await open('/explore?q=beta', session)).text, /formerly/);

      const registry = { findFormerNames: () => Promise.reject(new Error('the database is down')) };
      const { preview } = createPreviews(
        { ...service.services, registry, clock: service.clock },
        { perAddress: 1, inTotal: 1 },
      );
      const found = await preview('a', { q: 'gamma' });
      assert.equal(found.kind === 'preview' && found.page.meta.total, 1);
    });

    test('the filters of a search are shown as links that remove them', async () => {
      const { html } = await open('/explore?q=alpha&country=GB&status=active&page=2', await service.signIn());
      const links = [...html.matchAll(/class="chip" href="([^"]+)".*?<\/a>/gs)].map(([whole, address]) => [
        address?.replaceAll('&amp;', '&'),
        whole.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' '),
      ]);
      assert.deepEqual(
        links.map(([address]) => address),
        ['/explore?q=alpha&status=active', '/explore?q=alpha&country=GB'],
      );
      assert.match(String(links[0]?.[1]), /Country: United Kingdom ×/);
      assert.match(html, /href="\/explore\?q=alpha">Clear filters/);
    });

    test('a search without results says why and offers searches that find something, without another charge', async () => {
      const session = await service.signIn({ plan: 'free' });
      const expected: readonly [query: string, offered: RegExp, address: string][] = [
        ['q=gmama', /No name or registration number contains “ gmama ”\. Did you mean GAMMA LTD .*\d% likely: \S/, ''],
        ['q=betta+sofware', /Did you mean BETA SOFTWARE LLP /, ''],
        ['q=software+beta', /Did you mean BETA SOFTWARE LLP /, ''],
        [
          'q=alpha&status=insolvent',
          /but not with this filter\. Without Status: insolvent \(30 companies\)/,
          '?q=alpha',
        ],
        ['q=gamma&country=NO&status=active', /Without filters \(1 company\)/, '?q=gamma'],
        ['q=alpha&country=NO', /In other countries: United Kingdom/, '?q=alpha&country=GB'],
        // A company of the result is not offered again.
        ['q=gamma+ltd', /1 company matches “ gamma ltd ”(?!.*Did you mean)/, ''],
        // A likely company is offered instead of single words.
        ['q=alpha+gamma', /contains “ alpha gamma ”\. Did you mean GAMMA LTD /, ''],
        ['q=alpha+00000100', /Only alpha \(30 companies\) Only 00000100 \(1 company\)/, '?q=alpha'],
        ['q=alhpa', /With another spelling: alpha \(30 companies\)/, '?q=alpha'],
        ['q=qqqqqqqq', /Try a shorter part of the name/, ''],
        ['q=x&country=UK', /There is no country UK: did you mean GB\? Search in United Kingdom/, '?q=x&country=GB'],
        ['country=NO&register=gb', /No company matches all of these filters/, '?register=gb'],
      ];
      for (const [query, offered, address] of expected) {
        const { html, text } = await open(`/explore?${query}`, session);
        assert.match(text, offered, query);
        assert.ok(html.replaceAll('&amp;', '&').includes(`href="/explore${address}"`), `${query}: ${address}`);
        assert.match((await open(`/explore/suggest?${query}`, session)).text, offered, query);
      }
      assert.equal(await usedBy(session), expected.length, 'suggestions are charged');
    });

    test('a code of a legal form in the address is a filter that can be removed, and the form keeps it', async () => {
      const session = await service.signIn();
      const { html, text } = await open('/explore?q=alpha&legalFormCode=AS', session);
      assert.match(text, /0 companies/);
      assert.match(text, /Legal form code: AS/);
      assert.match(html, /<input type="hidden" name="legalFormCode" value="AS">/);
      assert.ok(html.includes('href="/explore?q=alpha"'));
      assert.match(text, /entities\?q=alpha&legalFormCode=AS/);
      assert.doesNotMatch((await open('/explore?q=alpha', session)).html, /legalFormCode/);
    });

    test('the counts of the filters are those of the results, and blanks are not a search text', async () => {
      const session = await service.signIn();
      const { html, text } = await open('/explore?q=gamma', session);
      assert.match(html, /<option value="GB">United Kingdom \(1\)/);
      assert.match(html, /<option value="active">active</);
      assert.match(html, /<option value="in_liquidation">in liquidation \(1\)/);
      assert.doesNotMatch(text, /register gb/);
      const all = await open('/explore?q=++', session);
      assert.match(all.text, /32 companies Used 1 request/);
      assert.match(all.html, /<title>Explore companies/);
      assert.match(
        all.html,
        /<a href="\/explore\?q=\+\+&amp;status=active"><bdi>active<\/bdi><\/a>\s*<span class="count">31</,
      );
    });

    test('results can be sorted and filtered by the day of registration, like in the API', async () => {
      const session = await service.signIn();
      const { html, text } = await open('/explore?registeredTo=2003-02-01&sort=-registeredAt', session);
      assert.match(text, /entities\?registeredTo=2003-02-01&sort=-registeredAt/);
      assert.match(text, /Registered until: 1 Feb 2003/);
      assert.match(html, /<option value="-registeredAt" selected>Newest registration/);
      assert.match(html, /name="registeredTo" type="date" value="2003-02-01"/);
      const reply = await service.client.get('/api/v1/entities?registeredTo=2003-02-01&sort=-registeredAt');
      const names = [...html.matchAll(/class="name" href="\/entities\/([^"]+)"/g)].map(([, id]) => id);
      assert.deepEqual(
        names,
        reply.body.data.map(({ id }: { id: string }) => id),
      );
      assert.ok(names.length > 0);
    });

    test('filters list the existing values with their counts', async () => {
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

test('a company with the same words in another order is offered, although common words make it unlikely', async () => {
  await using service = await startService('sqlite');
  const others = Array.from({ length: 300 }, (_, at) =>
    company(String(at).padStart(8, '0'), at % 3 === 0 ? `ALBION CASTLE ${at} LTD` : `ELM ${at} HOLDINGS LTD`),
  );
  await importCompanies(service, [...others, company('00001000', 'ALBION ELM HOLDINGS LTD')]);
  const { text } = await pageOpener(service)('/explore?q=holdings+albion');
  assert.match(text, /0 companies match “ holdings albion ”.* Did you mean ALBION ELM HOLDINGS LTD .* \d+% likely/);
  // Of its reasons, the three strongest: what agrees is the first of them.
  assert.match(
    text,
    /likely: “albion holdings” agrees; [^·]+ · [^·]+ · One of the names has only common words[^·]+ API request/,
  );
});
