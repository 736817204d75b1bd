import assert from 'node:assert/strict';
import { cpSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { OPERATION_GROUPS } from '../../src/portal/docs/contract.ts';
import { importCompanies } from '../harness/entities.ts';
import type { TestSession } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { company } from '../registry/gb-file.ts';
import { pageOpener } from './pages.ts';

const ALPHA = '8cfb7733-0cb1-511b-8310-bbbf2455fb10';
const PROOF = `/entities/${ALPHA}/proof`;

describe('the proof of a record on a page', () => {
  const service = useService('sqlite');
  const open = pageOpener(service);
  let session: TestSession;
  let samples: string;
  before(async () => {
    session = await service.signIn({ plan: 'pro' });
    await importCompanies(service, [company('00000001', 'ALPHA LTD'), company('00000002', 'BETA LTD')]);
    samples = join(service.database.dataDir, 'samples');
  });

  const used = async () => /([\d,]+) of 100,000 requests/.exec((await open('/dashboard', session)).text)?.[1];

  test('a visitor is asked to sign in, and a link of another site is not followed', async () => {
    assert.equal((await open(PROOF)).status, 401);
    const headers = { ...session.headers, 'sec-fetch-site': 'cross-site' };
    assert.match(await (await fetch(service.url + PROOF, { headers })).text(), /Open this page\?/);
    assert.equal((await open('/entities/8cfb7733-0cb1-511b-8310-bbbf2455fb11/proof', session)).status, 404);
    assert.equal(await used(), '0');
  });

  test('without the file it says so, and costs nothing', async () => {
    const { status, text } = await open(PROOF, session);
    assert.equal(status, 200);
    assert.match(text, /Not proven: the file is not kept here.*This page used no request/);
    assert.doesNotMatch(text, /ALPHA/, 'nothing of the record is free');
    assert.equal(await used(), '0');
  });

  test('shows the row of the file beside the record, with the hash of the file', async () => {
    const [original = ''] = globSync(join(service.database.dataDir, 'in-*', 'companies.csv'));
    mkdirSync(join(samples, 'gb'), { recursive: true });
    cpSync(original, join(samples, 'gb', 'companies.csv'));
    const { text, html } = await open(PROOF, session);
    assert.match(
      text,
      /Proven just now The file has its SHA-256, and all \d+ cells and fields of the record are what it says/,
    );
    assert.match(
      text,
      /This proof used one request; 99,999 left.* SHA-256 [0-9a-f]{64} ✓ agrees Place in the file row 2 /,
    );
    assert.match(
      text,
      /Row 2 of the official file beside this record Column Official file This record CompanyName ALPHA LTD Name ALPHA LTD .* IncorporationDate 01\/02\/2003 Registered on 1 Feb 2003 /,
    );
    assert.ok(!html.includes(service.database.dataDir), 'the page shows a path of the server');
    assert.equal(await used(), '1');
  });

  test('shows what differs from the file, and does not show the row as proven', async () => {
    const { registryDb } = service.services;
    const rename = (name: string) =>
      registryDb.run('UPDATE entities SET canonical_name = $2 WHERE id = $1', [ALPHA, name]);
    await rename('ALPHA <B> LTD');
    const { text } = await open(PROOF, session);
    assert.match(text, /Different from the file 1 of \d+ values are not what the file says/);
    assert.match(text, /Differences Value Official file This record canonicalName ALPHA LTD ALPHA <B> LTD /);
    await rename('ALPHA LTD');
    rmSync(samples, { recursive: true });
  });

  test('the page of a record leads to it', async () => {
    assert.match((await open(`/entities/${ALPHA}`, session)).html, new RegExp(`href="${PROOF}">Prove this record<`));
    const visitor = await open(`/entities/${ALPHA}`);
    assert.match(visitor.html, /href="\/auth\/login\?returnTo=[^"]*">Prove this record</);
  });
});

describe('trying the API on a page', () => {
  const service = useService('sqlite');
  const open = pageOpener(service);
  let session: TestSession;
  before(async () => {
    session = await service.signIn({ plan: 'pro' });
    await importCompanies(service, [company('00000001', 'ALPHA LTD'), company('00000002', 'BETA HOLDING LTD')]);
  });

  const used = async () => /([\d,]+) of 100,000 requests/.exec((await open('/dashboard', session)).text)?.[1];
  const readAnswer = (text: string) =>
    /200 OK Copy (\{.*?\}) Previous|200 OK Copy (\{.*\})/.exec(text)?.slice(1).find(Boolean);

  test('the reference leads to it, and signing in returns to it', async () => {
    const { html } = await open('/docs/reference/search');
    assert.match(html, /href="\/docs\/try\/searchEntities"/);
    const anonymous = await open('/docs/try/searchEntities');
    assert.equal(anonymous.headers.get('location'), '/auth/login?returnTo=%2Fdocs%2Ftry%2FsearchEntities');
  });

  test('says the cost before, shows what the API answers, and charges one request', async () => {
    const form = await open('/docs/try/searchEntities', session);
    assert.match(form.text, /Send \(uses 1 request\)/);
    assert.equal(await used(), '0');
    const { status, text } = await open('/docs/try/searchEntities', session, {
      q: 'alph',
      country: '',
      page: '',
      pageSize: '1',
    });
    assert.equal(status, 200);
    assert.match(text, /This request used one; 99,999 left/);
    assert.match(text, /\/api\/v1\/entities\?q=alph&pageSize=1/);
    const key = await service.createKey();
    const api = await service.client.get('/api/v1/entities?q=alph&pageSize=1', { headers: { 'x-api-key': key } });
    assert.deepEqual(JSON.parse(readAnswer(text) ?? ''), api.body);
    assert.equal(await used(), '1');
    const record = await open('/docs/try/getEntity', session, { id: ALPHA.toUpperCase() });
    assert.equal(JSON.parse(readAnswer(record.text) ?? '').data.canonicalName, 'ALPHA LTD');
    assert.equal(await used(), '2');
  });

  test('every operation that reads JSON with a key only can be tried, with a form that finds something', async () => {
    const pages = await Promise.all(OPERATION_GROUPS.map(({ address }) => open(address)));
    const html = pages.map((page) => page.html).join('');
    const offered = [...html.matchAll(/href="\/docs\/try\/(\w+)"/g)].map(([, id = '']) => id);
    assert.deepEqual(offered.toSorted(), [
      ...['getEntity', 'listChanges', 'listCountries', 'listElf', 'listEntityChanges', 'listExports'],
      ...['listHoldings', 'listIsic', 'listOwners', 'listParties', 'matchEntity', 'searchEntities'],
    ]);
    const opened = [...html.matchAll(/<a class="button quiet" href="(\/api[^"]+)">Open it/g)].map(
      ([, path = '']) => path,
    );
    for (const path of opened) assert.equal((await open(path, session)).status, 200, path);
    assert.ok(opened.includes('/api/v1/plans'));
    const before = Number(await used());
    let paid = 0;
    for (const id of offered) {
      const form = await open(`/docs/try/${id}`, session);
      const inputs = form.html.matchAll(/<input id="\w+" name="(\w+)"[^>]* value="([^"]*)"/g);
      const { status, text } = await open(
        `/docs/try/${id}`,
        session,
        Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value])),
      );
      assert.equal(status, 200, `${id}: ${text}`);
      // Long answers are cut.
      assert.match(readAnswer(text) ?? '', /"data"\s*:/, id);
      if (text.includes('This request used one')) paid++;
    }
    assert.equal(Number(await used()), before + paid);
    // This company has no changes, and a page without changes is free.
    assert.equal(paid, offered.length - 1);
  });

  test('what costs nothing with a key costs nothing here', async () => {
    const before = await used();
    const { text } = await open('/docs/try/listChanges', session, { country: 'FR' });
    assert.match(text, /This request was free; /);
    assert.match(text, /\/api\/v1\/changes\?country=FR/);
    assert.equal(await used(), before);
    const free = await service.signIn({ plan: 'free' });
    const refused = await open('/docs/try/listExports', free, {});
    assert.equal(refused.status, 403);
    assert.match(refused.text, /Request failed .*plan/);
  });

  test('mistakes are explained and cost nothing; other sites cannot send the form', async () => {
    const before = await used();
    const wrong = await open('/docs/try/searchEntities', session, { country: 'GBR' });
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /two-letter country code/);
    assert.match(wrong.html, /value="GBR"/);
    assert.equal((await open('/docs/try/getEntity', session, { id: 'x' })).status, 400);
    assert.equal((await open('/docs/try/getEntity', session, { id: ALPHA.replace('8', '9') })).status, 404);
    assert.equal((await open('/docs/try/createApiKey', session, { name: 'x' })).status, 404);
    assert.equal((await open('/docs/try/constructor', session)).status, 404);
    // It takes a session, too, and the portal has a page for it.
    assert.equal((await open('/docs/try/listMonitors', session)).status, 404);
    const foreign = await fetch(`${service.url}/docs/try/searchEntities`, {
      method: 'POST',
      body: new URLSearchParams({ q: 'alpha' }),
      headers: { ...session.headers, origin: 'https://evil.example' },
    });
    assert.equal(foreign.status, 403);
    assert.equal((await open('/docs/try/searchEntities', session, { page: 'all' })).status, 400);
    assert.equal((await open('/docs/try/downloadExport', session)).status, 404);
    assert.equal(await used(), before);
  });
});
