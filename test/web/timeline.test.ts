import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { importFiles } from '../../src/importing/import.ts';
import { registers } from '../../src/registers/index.ts';
import { timeline } from '../../src/web/parts/record/timeline.ts';
import { usualEngines } from '../harness/databases.ts';
import { publishChanges } from '../harness/journal.ts';
import { type OpenPage, pageOpener } from '../harness/pages.ts';
import { startService, type TestService, type TestSession } from '../harness/service.ts';
import { company, type GbRow, writeGb } from '../registry/gb-file.ts';

const ALPHA = '8cfb7733-0cb1-511b-8310-bbbf2455fb10';
const REGISTERED = 'Registered; 1 Feb 2003, says the register';
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
    let service: TestService;
    let session: TestSession;
    let open: OpenPage;
    before(async () => {
      service = await startService(engine);
      session = await service.signIn();
      open = pageOpener(service);
    });
    after(() => service?.[Symbol.asyncDispose]());

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
      assert.deepEqual(readTimeline(await show()), [REGISTERED]);
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
        'Listed again by its register; Status changed from delisted to active; Register status changed from Liquidation to Active; Address removed: LEEDS; 6 Mar 2026, import of fifth.csv',
        'No longer listed by its register; Status changed from in liquidation to delisted; 5 Mar 2026, import of fourth.csv',
        'Status changed from active to in liquidation; Register status changed from Active to Liquidation; Address added: LEEDS; 4 Mar 2026, import of third.csv',
        'Name changed from ALPHA LTD to OMEGA &lt;B&gt; LTD; 3 Mar 2026, import of second.csv',
        REGISTERED,
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
      assert.deepEqual([lines.length, lines.at(-1)], [21, REGISTERED]);
      assert.match(lines[0] ?? '', /^Name changed from NAME 21 LTD to NAME 22 LTD; /);
      assert.match(page, /latest 20 imports that changed the record/);
    });

    test('a record and its timeline are of the same version, whatever is published between the two statements', async () => {
      const { changes, registry } = service.services;
      const { version = '' } = (await registry.findExcerpt(ALPHA)) ?? {};
      const shown = await changes.readHistory(ALPHA, { upTo: version, limit: 5 });
      await publishChanges(service.services.registryDb, {
        register: 'gb',
        publishedAt: service.clock.now() + 100,
        changes: [{ type: 'delisted', country: 'GB', register: 'gb', entityId: ALPHA, fields: ['status'] }],
      });
      assert.deepEqual((await changes.readHistory(ALPHA, { upTo: version, limit: 5 }))?.data, shown?.data);
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
