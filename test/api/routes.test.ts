import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { answers, json } from '../../src/http/answers.ts';
import type { App } from '../../src/http/app-type.ts';
import { Country } from '../../src/http/schemas/schemas.ts';
import { createDatabase, usualEngines } from '../harness/databases.ts';
import { startService } from '../harness/service.ts';

/** What adding a route relies on: see "Adding a route" in CONTRIBUTING.md. */

const operation = { operationId: 'trial', tag: 'Public', summary: 'Trial', authentication: 'none' } as const;

for (const engine of usualEngines) {
  test(`a public route that reads the database answers 503 on ${engine} until the schema is migrated`, async () => {
    const database = await createDatabase(engine, { empty: true });
    let countAccounts = async () => 0;
    const extend = (app: App) => {
      const schema = { response: answers({ 200: json('Accounts.', Country) }, 'service_unavailable') };
      app.get('/api/v1/trial', { config: { operation }, schema }, async (_request, reply) =>
        reply.header('x-accounts', await countAccounts()).send(),
      );
    };
    await using service = await startService(engine, { database, unprepared: true, extend });
    countAccounts = async () =>
      (await service.services.accountsDb.one<{ n: number }>('SELECT count(*) AS n FROM accounts', []))?.n ?? -1;
    const early = await fetch(`${service.url}/api/v1/trial`);
    assert.equal(early.status, 503);
    assert.equal(((await early.json()) as { error: { code: string } }).error.code, 'service_unavailable');
    assert.ok(Number(early.headers.get('retry-after')) >= 1);
    for (const path of ['/api/v1/plans', '/api/v1/openapi.json', '/api/v1/health/live']) {
      assert.equal((await service.client.get(path)).status, 200, path);
    }
    await service.services.migrate();
    await service.services.prepare();
    const late = await fetch(`${service.url}/api/v1/trial`);
    assert.deepEqual([late.status, late.headers.get('x-accounts')], [200, '0']);
  });
}

test('a route that reads the database and does not declare 503 cannot be registered', async () => {
  const schema = { response: answers({ 200: json('Nothing.', Country) }) };
  const extend = (app: App) => {
    const register = () => app.get('/api/v1/trial', { config: { operation }, schema }, async () => undefined);
    assert.throws(register, /trial can answer service_unavailable: declare it, or set needsNoData/);
  };
  await using _service = await startService('sqlite', { extend });
});

test("the README's endpoint table lists every operation of the contract except HEAD, and no other", () => {
  const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  const contract: { paths: Record<string, object> } = JSON.parse(read('openapi.json'));
  const operations = Object.entries(contract.paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => method !== 'head')
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
  const rows = read('README.md').matchAll(/^\| (`[A-Z]+ \/api\/.*?) \|/gm);
  const listed = [...rows].flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, span]) => span));
  assert.deepEqual(
    listed.sort(),
    operations.sort(),
    'README.md: the table of endpoints needs a row for every operation of openapi.json, and no other',
  );
});

test('every path of the contract is requested by a test', () => {
  const root = new URL('../../', import.meta.url);
  const contract: { paths: Record<string, object> } = JSON.parse(readFileSync(new URL('openapi.json', root), 'utf8'));
  const tests = globSync('test/**/*.ts', { cwd: root }).filter((file) => !/routes\.test\.ts$|dns-rebinding/.test(file));
  const text = tests.map((file) => readFileSync(new URL(file, root), 'utf8')).join('\n');
  for (const path of Object.keys(contract.paths)) {
    const [start = ''] = path.split('{');
    assert.ok(text.includes(start), `test/api/: add a test file with one test for each status of ${path}`);
  }
});
