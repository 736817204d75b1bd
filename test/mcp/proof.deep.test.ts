import assert from 'node:assert/strict';
import { cpSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, mock, test } from 'node:test';
import { createProofs } from '../../src/import/proof/proofs.ts';
import { importCompanies } from '../harness/entities.ts';
import { readLimits } from '../harness/limits.ts';
import { useService } from '../harness/shared-service.ts';
import { company } from '../registry/gb-file.ts';
import { trackTimers } from '../system/timers.ts';
import { type Called, call, callMessage, connect, post, readJson } from './connect.ts';

const ALPHA = '8cfb7733-0cb1-511b-8310-bbbf2455fb10';

describe('verify_provenance', () => {
  const service = useService('sqlite');
  let original: string;
  let kept: string;
  before(async () => {
    await importCompanies(service, [company('00000001', 'ALPHA LTD'), company('00000002', 'BETA LTD')]);
    const { dataDir } = service.database;
    const [imported] = globSync(join(dataDir, 'in-*', 'companies.csv'));
    original = imported ?? assert.fail('the imported file is gone');
    kept = join(dataDir, 'sources', 'gb', '20260901T000000Z');
  });

  async function verify(): Promise<Called> {
    await using client = await connect(service, await service.createKey());
    return await call(client, 'verify_provenance', { id: ALPHA });
  }

  function keepOriginal(): void {
    mkdirSync(kept, { recursive: true });
    cpSync(original, join(kept, 'companies.csv'));
  }

  test('says that the file is not kept, and what to compare elsewhere', async () => {
    rmSync(kept, { recursive: true, force: true });
    const { text, data } = await verify();
    assert.deepEqual([data.outcome, data.compared, data.differences], ['not kept', 0, 0]);
    assert.equal(data.source.row, 2);
    assert.match(text, /Supplied by the operator .*Companies House.*Not proven: the file is not kept here\./s);
  });

  test('compares every cell and field with the file that is kept', async () => {
    keepOriginal();
    const { text, data } = await verify();
    assert.equal(data.outcome, 'proven', text);
    assert.ok(data.compared > 50 && data.differences === 0, text);
    assert.match(text, /Proven just now/);
    assert.ok(!text.includes(service.database.dataDir) && !JSON.stringify(data).includes(service.database.dataDir));
  });

  test('finds a record that was changed in the store', async () => {
    keepOriginal();
    const { registryDb } = service.services;
    const rename = (name: string) =>
      registryDb.run('UPDATE entities SET canonical_name = $1 WHERE id = $2', [name, ALPHA]);
    await rename('ALPHA LIMITED');
    try {
      const { text, data } = await verify();
      assert.deepEqual([data.outcome, data.differences], ['different', 1]);
      assert.match(text, /Different: 1 of \d+ cells and fields are not what the file says\. Do not rely/);
    } finally {
      await rename('ALPHA LTD');
    }
  });

  function openProofs(proofMs = 600_000) {
    const { databaseUrl, dataDir } = service.database;
    return createProofs({
      location: { databaseUrl, dataDir, timeLimits: { ...readLimits(), proofMs } },
      folder: join(dataDir, 'sources'),
      samples: join(dataDir, 'samples'),
    });
  }

  test('a proof that has ended leaves no thread and no timer', async () => {
    keepOriginal();
    const maxMs = 600_001;
    using timers = trackTimers(maxMs);
    const proof = await openProofs(maxMs).prove(ALPHA, 'a');
    assert.equal(typeof proof === 'object' && proof.outcome, 'proven');
    assert.deepEqual(timers.count(), { started: 1, running: 0 });
    const proofs = openProofs(maxMs);
    const stopped = assert.rejects(proofs.prove(ALPHA, 'a'), /the thread that proves a record stopped/);
    await proofs.close();
    await stopped;
    assert.deepEqual(timers.count(), { started: 2, running: 0 });
  });

  test('a call before its turn is free, and says to call again', async () => {
    const session = await service.signIn();
    const { secret } = await service.services.apiKeys.create(session.account.accountId, 'test');
    const prove = mock.method(service.services.proofs, 'prove', async () => 'busy');
    try {
      const reply = await post(service, callMessage('verify_provenance', { id: ALPHA.toUpperCase() }), {
        authorization: `Bearer ${secret}`,
      });
      const { result } = await readJson(reply);
      assert.deepEqual([result.structuredContent.outcome, result.structuredContent.compared], ['busy', 0]);
      // A caller can cause it, so it must not return a record without a charge.
      assert.doesNotMatch(JSON.stringify(result), /ALPHA|sha256|companies\.csv/i);
      assert.match(result.content[0].text, /Not proven yet: .* This call was free and keeps your place: call again\./);
      assert.equal(reply.headers.get('x-monthly-quota-remaining'), reply.headers.get('x-monthly-quota-limit'));
      assert.deepEqual(prove.mock.calls[0]?.arguments as unknown[], [ALPHA, session.account.accountId]);
    } finally {
      prove.mock.restore();
    }
  });
});
