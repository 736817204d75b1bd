import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileAddress, writeExport } from '../harness/exports.ts';
import { startService } from '../harness/service.ts';

/**
 * What needs a paid plan, by the file that says so. A file that says so and is not listed here fails the last test, so that every paid
 * operation is tried with every way of asking.
 */
const PAID: Readonly<Record<string, readonly string[]>> = {
  'src/http/routes/exports.ts': ['/api/v1/exports'],
  'src/http/routes/export-files.ts': [fileAddress(), fileAddress(undefined, 'latest'), fileAddress('nothing')],
  'src/http/routes/whole-results.ts': ['/api/v1/entities?page=all', '/api/v1/entities?q=a&country=GB&page=all'],
  'src/web/routes/export-download.ts': [fileAddress().replace('/api/v1', '/dashboard')],
};

/** Each leads to another writer, or to another answer of the same one: the lane, Fastify, files, ranges, 304, redirects. */
const HEADERS: readonly Readonly<Record<string, string>>[] = [
  {},
  { origin: 'https://pages.test' },
  { 'if-none-match': '*' },
  { 'if-none-match': '"x"', range: 'bytes=0-3' },
  { 'accept-encoding': 'gzip' },
].flatMap((headers) => [
  { accept: 'text/csv', ...headers },
  { accept: 'application/x-ndjson', ...headers },
]);

describe('API5 what needs a paid plan', () => {
  for (const baseUrl of [undefined, 'https://files.test']) {
    test(`is refused on the free plan however it is asked for, and costs nothing (EXPORT_BASE_URL ${baseUrl ?? 'not set'})`, async () => {
      const env = baseUrl === undefined ? {} : { EXPORT_BASE_URL: baseUrl };
      await using service = await startService('sqlite', { env });
      await writeExport(`${service.database.dataDir}/exports`);
      const session = await service.signIn({ plan: 'free' });
      const { accountId } = session.account;
      const { secret } = await service.services.apiKeys.create(accountId, 'free');
      const keys = [{ 'x-api-key': secret }, { authorization: `Bearer ${secret}` }];
      const visits = [{ ...session.headers, 'sec-fetch-site': 'same-origin' }];
      for (const path of Object.values(PAID).flat()) {
        for (const credential of path.startsWith('/dashboard') ? visits : keys) {
          for (const headers of HEADERS) {
            for (const method of ['GET', 'HEAD']) {
              service.clock.advance(30_000);
              const init = { headers: { ...headers, ...credential }, redirect: 'manual' } as const;
              const { status } = await service.client.request(method, path, init);
              assert.equal(status, 403, `${method} ${path} ${JSON.stringify(headers)}`);
            }
          }
        }
      }
      const used = 'SELECT used FROM quotas WHERE account_id = $1 AND used > 0';
      assert.deepEqual(await service.services.accountsDb.all(used, [accountId]), []);
    });
  }

  test('is listed here', () => {
    const files = globSync('src/**/*.ts').filter((file) => /\bplan: 'paid'/.test(readFileSync(file, 'utf8')));
    assert.deepEqual(files.toSorted(), Object.keys(PAID).toSorted());
  });
});
