import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { usualEngines } from '../harness/databases.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';

for (const engine of usualEngines) {
  describe(`X-Data-Version on ${engine}`, () => {
    let service: TestService;
    before(async () => {
      service = await startService(engine);
      await importCompanies(service, [company('00000001', 'ALPHA LTD'), company('00000002', 'BETA LTD')]);
    });
    after(() => service?.[Symbol.asyncDispose]());
    const read = async (query: string, headers: Record<string, string> = {}) => {
      const reply = await service.client.get(`/api/v1/entities${query}`, { headers });
      return {
        status: reply.status,
        version: reply.headers.get('x-data-version'),
        tag: reply.headers.get('etag') ?? '',
      };
    };

    test('is the same for all searches, pages, formats and methods of one snapshot, and another after an import', async () => {
      const { version, tag } = await read('?pageSize=1');
      assert.match(version ?? '', /^\d+\.\d+\.\d+\.\d+-\w+$/);
      assert.ok(tag.startsWith(`"${version}.`));
      const others = [
        await read('?pageSize=1&page=2'),
        await read('?q=alpha'),
        // These do not take the data lane.
        await read('?pageSize=1', { 'if-none-match': '"another"' }),
        await read('', { accept: 'text/csv' }),
        await read('?page=all', { accept: 'application/x-ndjson' }),
      ];
      assert.deepEqual(
        others.map((other) => [other.status, other.version]),
        Array(5).fill([200, version]),
      );
      for (const query of ['', '?page=all']) {
        const head = await service.client.request('HEAD', `/api/v1/entities${query}`, {
          headers: { accept: 'text/csv' },
        });
        assert.equal(head.headers.get('x-data-version'), version);
      }
      await importCompanies(service, [company('00000003', 'GAMMA LTD')]);
      const changed = (await read('?pageSize=1')).version;
      assert.notEqual(changed, version);
      assert.equal((await read('?pageSize=1&page=2')).version, changed);
    });

    test('is a cursor: the place in the feed after the last change that the page shows', async () => {
      const { version } = await read('?q=alpha');
      const follow = async (cursor: string | null) =>
        service.client.get(`/api/v1/changes?cursor=${encodeURIComponent(cursor ?? '')}`);
      assert.deepEqual((await follow(version)).body.data, []);
      const names = ['ALPHA TWO LTD', 'ALPHA THREE LTD'];
      for (const name of names) await importCompanies(service, [company('00000001', name)]);
      const { body } = await follow(version);
      assert.deepEqual(
        body.data.map(({ after }: { after: { canonicalName: string } }) => after.canonicalName),
        names,
      );
      // Any release of the program reads the versions of another one.
      assert.deepEqual((await follow(`12.0.0-rc.1.${version?.split('.').at(-1)}`)).body, body);
      // A version of another history, as after a restore from a backup.
      assert.equal((await follow(`${version}0`)).body.error.code, 'cursor_expired');
      assert.equal((await follow('0.1.0')).body.error.code, 'invalid_request');
    });

    test('is missing in errors, 304 and other operations', async () => {
      const { tag } = await read('');
      assert.deepEqual(
        [(await read('?page=0')).version, (await read('', { 'if-none-match': tag })).version],
        [null, null],
      );
      const { headers } = await service.client.get('/api/v1/countries');
      assert.equal(headers.get('x-data-version'), null);
    });
  });
}
