import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { importFiles } from '../../src/import/import.ts';
import { timeline } from '../../src/portal/record/timeline.ts';
import { registers } from '../../src/registers/index.ts';
import { usualEngines } from '../harness/databases.ts';
import { startService, type TestSession } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { publishChanges } from '../journal/journal.ts';
import {
  importGleif,
  lei,
  readIds,
  writeCompanies,
  writeExceptions,
  writeRelationships,
} from '../parties/level2-files.ts';
import { company, type GbRow, writeGb } from '../registry/gb-file.ts';
import { pageOpener } from './pages.ts';

const ALPHA = '8cfb7733-0cb1-511b-8310-bbbf2455fb10';
const registeredIn = (file: string) => `Registered; 1 Feb 2003, according to ${file}`;
const BETA = company('00000002', 'BETA LTD');

/** The text of the section "History", one line per change; undefined if there is none. */
function readTimeline(page: string): string[] | undefined {
  const [, section] = /<section aria-labelledby="history-title"[^>]*>(.*?)<\/section>/s.exec(page) ?? [];
  return section?.match(/<li>.*?<\/li>/gs)?.map((item) =>
    item
      .replace(/<\/p>\s*<p[^>]*>/g, '; ')
      .replace(/<[^>]+>/g, '')
      .replace(/\s+/g, ' ')
      .trim(),
  );
}

for (const engine of usualEngines) {
  describe(`the timeline of a record on ${engine}`, () => {
    const service = useService(engine);
    const open = pageOpener(service);
    let session: TestSession;
    before(async () => {
      session = await service.signIn();
    });

    async function importFile(name: string, day: string, rows: readonly GbRow[]): Promise<void> {
      service.clock.set(`${day}T12:00:00Z`);
      const register = registers.find(({ id }) => id === 'gb') ?? assert.fail('no register');
      const paths = [writeGb(mkdtempSync(join(service.database.dataDir, 'in-')), name, rows)];
      await importFiles(service.services.registryDb, service.clock, { register, registers, paths, mode: 'full' });
    }
    const show = async () => {
      const { status, html } = await open(`/entities/${ALPHA}`, session);
      assert.equal(status, 200);
      return html;
    };

    test('a record that has not changed has what its register dates', async () => {
      await importFile('first.csv', '2026-03-01', [company('00000001', 'ALPHA LTD'), BETA]);
      assert.deepEqual(readTimeline(await show()), [registeredIn('first.csv')]);
    });

    test('shows what each import has changed, with its day and file, the latest first', async () => {
      await importFile('second.csv', '2026-03-03', [company('00000001', 'OMEGA <B> LTD'), BETA]);
      await importFile('third.csv', '2026-03-04', [
        company('00000001', 'OMEGA <B> LTD', { CompanyStatus: 'Liquidation', 'RegAddress.PostTown': 'LEEDS' }),
        BETA,
      ]);
      await importFile('fourth.csv', '2026-03-05', [BETA]);
      await importFile('fifth.csv', '2026-03-06', [company('00000001', 'OMEGA <B> LTD'), BETA]);
      const expected = [
        'Listed again by its register; Status changed from delisted to active; Register status changed from Liquidation to Active; Address removed: LEEDS; 6 Mar 2026, seen by us in fifth.csv',
        'No longer listed by its register; Status changed from in liquidation to delisted; 5 Mar 2026, seen by us in fourth.csv',
        'Status changed from active to in liquidation; Register status changed from Active to Liquidation; Address added: LEEDS; 4 Mar 2026, seen by us in third.csv',
        'Name changed from ALPHA LTD to OMEGA &lt;B&gt; LTD; 3 Mar 2026, seen by us in second.csv',
        registeredIn('fifth.csv'),
      ];
      assert.deepEqual(readTimeline(await show()), expected);
    });

    test('shows the latest 20, and says that there are more', async () => {
      const values = (name: string) => [name, 'active', null, null];
      for (let number = 1; number <= 21; number++) {
        await publishChanges(service.services.registryDb, {
          register: 'gb',
          publishedAt: service.clock.now() + number,
          changes: [
            {
              type: 'changed',
              country: 'GB',
              register: 'gb',
              entityId: ALPHA,
              fields: ['canonicalName'],
              before: values(`NAME ${number} LTD`),
              after: values(`NAME ${number + 1} LTD`),
            },
          ],
        });
      }
      const page = await show();
      const lines = readTimeline(page) ?? [];
      assert.deepEqual([lines.length, lines.at(-1)], [21, registeredIn('fifth.csv')]);
      assert.match(lines[0] ?? '', /^Name changed from NAME 21 LTD to NAME 22 LTD; /);
      assert.match(page, /latest 20 imports that changed the record/);
    });

    test('a record and its timeline are of the same version, whatever is published between the two statements', async () => {
      const { changes, registry } = service.services;
      const { version = '' } = (await registry.findExcerpt(ALPHA)) ?? {};
      const shown = await changes.findHistory(ALPHA, { upTo: version, limit: 5 });
      await publishChanges(service.services.registryDb, {
        register: 'gb',
        publishedAt: service.clock.now() + 100,
        changes: [{ type: 'delisted', country: 'GB', register: 'gb', entityId: ALPHA, fields: ['status'] }],
      });
      assert.deepEqual((await changes.findHistory(ALPHA, { upTo: version, limit: 5 }))?.data, shown?.data);
    });
  });
}

test('a change that shows no normalized field says what changed', () => {
  const describeFields = (...fields: string[]) => {
    const values = { canonicalName: 'A', status: 'active', legalForm: null, registeredAt: null };
    const place = { cursor: '', entityId: ALPHA, countryCode: 'GB', register: 'gb' };
    const change = { ...place, fields, type: 'changed', occurredAt: '2026-03-03T00:00:00.000Z' } as const;
    const changed = { before: values, after: { ...values, legalForm: 'B' }, details: null };
    const page = timeline({ changes: [{ change: { ...change, ...changed }, file: null }], hasMore: false }, []).text;
    return /<p>(.*?)<\/p>/.exec(page)?.[1]?.replace(/<[^>]+>/g, '');
  };
  assert.equal(describeFields('city', 'sourceData'), 'Changed: city');
  assert.equal(describeFields('related'), 'Changed: records in other registers');
  assert.equal(describeFields('sourceData'), 'Source row changed');
  assert.equal(describeFields('updatedAt'), 'Imported again with the same content');
  assert.equal(describeFields('legalForm'), 'Legal form changed from none to B');
});

const COMPANIES = writeCompanies([['Child'], ['Parent', 'FR'], ['Alone']]);
const LEVEL2 = {
  'rr.csv': writeRelationships([
    { child: 'Child', parent: 'Parent', from: '2015-03-01' },
    { child: 'Child', parent: '<b>', type: 'IS_ULTIMATELY_CONSOLIDATED_BY' },
  ]),
  'repex.csv': writeExceptions([['Parent', 'NATURAL_PERSONS']]),
};

test('the page of a record lists its owners and holdings, without a script', async () => {
  await using service = await startService('sqlite');
  await importGleif(service, { 'lei2.csv': COMPANIES });
  const ids = await readIds(service);
  const { headers } = await service.signIn();
  const read = async (id = '', of = service) => {
    const response = await fetch(`${of.url}/entities/${id}`, {
      headers: { ...headers, 'sec-fetch-site': 'same-origin' },
    });
    assert.equal(response.status, 200);
    const [, section = ''] = /<section[^>]*id="ownership">(.*?)<\/section>/s.exec(await response.text()) ?? [];
    return section;
  };
  const textOf = (html: string) => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  assert.match(textOf(await read(ids.Child)), /The files of owners are not imported here/);

  await importGleif(service, LEVEL2);
  const child = await read(ids.Child);
  assert.match(
    textOf(child),
    /Owners and holdings .* Parent Parent direct 1 Mar 2015 active France Ultimate parent .* indirect /,
  );
  assert.ok(child.includes(`<a href="/entities/${ids.Parent}">`));
  assert.ok(child.includes(`${lei('<b>').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}`));
  assert.match(textOf(child), /not in the store/);
  const parent = textOf(await read(ids.Parent));
  assert.match(parent, /Parent None: natural persons control it, who are not named NATURAL_PERSONS/);
  assert.match(parent, /1 company directly below this one\. .* Child held by its parent · since 1 Mar 2015 · Germany/);
  const alone = textOf(await read(ids.Alone));
  assert.match(alone, /The register’s files name no owner\. .*No company names this one as its owner/);

  await using off = await startService('sqlite', { database: service.database, env: { PARTIES: 'off' } });
  assert.equal(await read(ids.Child, off), '');
});

test('the page shows the group as trees: levels, direct and indirect, cycles, ends, bounds, and no markup of names', async () => {
  await using service = await startService('sqlite');
  const holdings = Array.from({ length: 147 }, (_, index) => `H${String.fromCharCode(65 + (index % 26))}${index}`);
  const names = ['Mid', 'Only', 'Par', 'Top', 'Ring', 'Deep', 'Far', ...holdings];
  await importGleif(service, {
    'lei2.csv': writeCompanies([...names.map((name) => [name] as const), ['<script>']])
      .replace('EntityStatus', 'EntityStatus,Registration.ManagingLOU')
      .replaceAll('ACTIVE', `ACTIVE,${lei('Top')}`),
    'rr.csv': writeRelationships([
      { child: 'Mid', parent: 'Par', from: '2015-03-01' },
      { child: 'Mid', parent: 'Top', type: 'IS_ULTIMATELY_CONSOLIDATED_BY' },
      { child: 'Only', parent: 'Top', type: 'IS_ULTIMATELY_CONSOLIDATED_BY' },
      { child: 'Mid', parent: 'Gone' },
      { child: 'Par', parent: 'Top' },
      { child: 'Par', parent: 'Ring' },
      { child: 'Ring', parent: 'Mid' },
      { child: 'Mid', parent: '<script>', type: 'IS_FUND-MANAGED_BY' },
      { child: 'Deep', parent: holdings[0] ?? '' },
      { child: 'Deep', parent: 'Mid', type: 'IS_ULTIMATELY_CONSOLIDATED_BY' },
      { child: 'Far', parent: 'Mid', type: 'IS_ULTIMATELY_CONSOLIDATED_BY' },
      ...holdings.slice(0, 51).map((parent) => ({ child: 'Only', parent, type: 'IS_FUND-MANAGED_BY' })),
      ...holdings.map((child) => ({ child, parent: 'Mid' })),
    ]),
    'repex.csv': writeExceptions([
      ['Top', 'NATURAL_PERSONS'],
      ['Mid', 'NO_LEI'],
      ['Only', 'NO_LEI'],
    ]),
  });
  const ids = await readIds(service);
  const { headers } = await service.signIn();
  const show = async (id = '') => {
    const sent = { ...headers, 'sec-fetch-site': 'same-origin' };
    return (await fetch(`${service.url}/entities/${id}`, { headers: sent })).text();
  };
  const page = await show(ids.Mid);
  /** The places of a tree with their levels. */
  const readTree = (title: string) => {
    const [, tree = ''] = new RegExp(`aria-label="${title}">(.*?)</div>`, 's').exec(page) ?? assert.fail(title);
    let level = 0;
    return [
      ...tree.matchAll(/<ul>|<\/ul>|<span class="place.*?<\/span><\/span>(?=<|\s)|<li class="quiet">.*?<\/li>/gs),
    ].flatMap(([part]) => {
      if (part === '<ul>') level++;
      else if (part === '</ul>') level--;
      else
        return `${level} ${part
          .replace(/<[^>]*>/g, ' ')
          .replace(/\s+/g, ' ')
          .trim()}`;
      return [];
    });
  };
  const above = readTree('Owners of the owners');
  for (const place of [
    /^1 Par Parent · since 1 Mar 2015 · Germany · they own each other$/,
    /^2 Top Parent · Germany · natural persons own or control it$/,
    /^2 Ring Parent · Germany · they own each other$/,
    /^3 Mid Parent · Germany · they own each other · shown above$/,
    /^1 .*not in the store Parent · .*not in the store/,
  ]) {
    assert.ok(
      above.some((each) => place.test(each)),
      `${place}: ${above.join('\n')}`,
    );
  }
  // The ultimate parent is reached by the chain, so the shortcut to it is left out.
  assert.ok(!above.some((each) => /^1 Top/.test(each)), above.join('\n'));
  assert.ok(
    above.every((each) => !each.includes('Mid') || each.startsWith('3')),
    'the company itself is on no other level',
  );

  const below = readTree('Companies below this one');
  assert.match(below.slice(0, 2).join(), /^1 HA0 held by its parent · Germany,2 Deep held by its parent · Germany$/);
  assert.match(below.find((each) => each.includes('Far')) ?? '', /^1 Far indirect · Germany$/);
  assert.ok(page.includes(`<a href="/entities/${ids.Top}"><bdi>Top</bdi></a> manages the LEI record`));
  const text = page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  assert.match(text, /148 companies directly below this one, and 1 that name it only as the top of their group\./);
  assert.match(text, / and 1 more: the API has all of them /);
  assert.match(text, /Parent: the register publishes an owner, and also a reason for naming none\./);
  const only = await show(ids.Only);
  assert.doesNotMatch(only, /and also a reason for naming none/);
  assert.match(only, /(<tr><th scope="row"><bdi>Fund manager<.*?){50}The first 50 of 51\. The API has all of them\./s);
  // Each level opens and closes without a script.
  assert.match(page, /<details open><summary>1 company<\/summary>/);
  assert.match(page, /<h3 id="officers">Officers and others<\/h3>/);
  assert.ok(!page.includes('<script>0') && page.includes('&lt;script&gt;'));
});
