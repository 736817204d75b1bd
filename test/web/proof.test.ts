import assert from 'node:assert/strict';
import { cpSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { usualEngines } from '../harness/databases.ts';
import { importCompanies } from '../harness/entities.ts';
import { type OpenPage, pageOpener } from '../harness/pages.ts';
import { startService, type TestService, type TestSession } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';

const ALPHA = '8cfb7733-0cb1-511b-8310-bbbf2455fb10';
const PROOF = `/entities/${ALPHA}/proof`;

for (const engine of usualEngines) {
  describe(`the proof of a record on a page, on ${engine}`, () => {
    let service: TestService;
    let session: TestSession;
    let open: OpenPage;
    let samples: string;
    before(async () => {
      service = await startService(engine);
      session = await service.signIn({ plan: 'pro' });
      open = pageOpener(service);
      await importCompanies(service, [company('00000001', 'ALPHA LTD'), company('00000002', 'BETA LTD')]);
      samples = join(service.database.dataDir, 'samples');
    });
    after(() => service?.[Symbol.asyncDispose]());

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
      assert.match(text, /This proof used one request; 99,999 left.* SHA-256 [0-9a-f]{64} ✓ agrees Rows 2 /);
      assert.match(
        text,
        /This record Name ALPHA LTD Registration number 00000001 .* Row 2 of the official file .* CompanyName ALPHA LTD /,
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
}
