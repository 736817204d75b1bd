import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import type { Db } from '../../src/base/db/db.ts';
import type { PartyModes } from '../../src/base/party-modes.ts';
import { findExcess, removeExcess } from '../../src/import/removal/remove-persons.ts';
import { registers } from '../../src/registers/index.ts';
import { exportAll } from '../exports/exporting.ts';
import { type TestDatabase, usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { untilSearchServes } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { until } from '../harness/until.ts';
import { assertNoBytes, holdsPlanted, importPlanted, insertPlantedParties, plantedName } from './planted.ts';

const NAMES: PartyModes = { all: 'names', exceptions: {} };

describeOn(usualEngines, 'switching persons off', (engine) => {
  const service = useService(engine, { env: { PARTIES: 'names' }, smallIndex: 1 });
  const idOf = async (register: string, order: number) => {
    const sql = 'SELECT id FROM entities WHERE register = $1 ORDER BY registration_number LIMIT 1 OFFSET $2';
    return (await service.services.registryDb.one<{ id: string }>(sql, [register, order]))?.id ?? assert.fail();
  };
  before(async () => {
    await importPlanted(service, NAMES, 1);
    await importPlanted(service, NAMES, 2);
    await insertPlantedParties(service.services.registryDb);
    await untilSearchServes(service);
  });

  test('no company is found by the name of a person', async () => {
    for (const word of [plantedName(400), plantedName(700), plantedName(1), 'zqplanted']) {
      const { body } = await service.client.get(`/api/v1/entities?q=${encodeURIComponent(word)}`);
      assert.equal(body.meta.total, 0, word);
    }
    assert.ok((await service.client.get('/api/v1/entities?q=plai')).body.meta.total >= 100);
  });

  test('a removal that is interrupted before its end starts again', async () => {
    const { registryDb } = service.services;
    const failing: Db = { ...registryDb, erase: () => Promise.reject(new Error('killed')) };
    const onlyBrazil: PartyModes = { all: 'names', exceptions: { br: 'organisations' } };
    await assert.rejects(removeExcess(failing, registers, onlyBrazil), /killed/);
    assert.deepEqual(
      (await findExcess(registryDb, registers, onlyBrazil)).map(({ register }) => register.id),
      ['br'],
    );
    assert.deepEqual(await removeExcess(registryDb, registers, onlyBrazil), ['br']);
    assert.deepEqual(await findExcess(registryDb, registers, onlyBrazil), []);
  });

  test('after the start in a lower mode, no byte of 1,000 names is left', async () => {
    const exportsFolder = join(service.database.dataDir, 'exports');
    const env = { PARTIES: 'organisations', EXPORT_DIR: exportsFolder };
    await exportAll(service, 'csv', { parties: NAMES, folderOf: () => join(exportsFolder, '7', 'csv') });
    await until('the index is saved', async () => existsSync(join(service.database.dataDir, 'search.index')));
    const firms = await readFirms(service);
    {
      await using lower = await startService(engine, { database: keep(service.database), env });
      assert.deepEqual(readdirSync(exportsFolder), []);
      await lower.services.removal.ended();
      assert.ok(lower.logLines.some((line) => line.includes('removed what PARTIES switches off')));
      assert.deepEqual(await readFirms(lower), firms);
      const listed = await lower.services.registry.parties.list(await idOf('md', 0), {});
      assert.ok(!holdsPlanted(JSON.stringify(listed)));
      assert.ok(!lower.logLines.some(holdsPlanted) && !service.logLines.some(holdsPlanted));
    }
    await assertNoBytes(service.database);
  });

  test('an import in a lower mode removes what the store had', async () => {
    await importPlanted(service, NAMES, 1);
    assert.ok((await countInTables(service.database, service.services.registryDb)) > 0);
    await importPlanted(service, { all: 'off', exceptions: {} }, 1);
    await assertNoBytes(service.database);
    const rows = await service.services.registryDb.all<{ registry: string }>(
      "SELECT registry FROM entities WHERE register IN ('md', 'br') AND registry LIKE '%\"parties\"%'",
    );
    assert.deepEqual(rows, []);
  });
});

/** A second service must not remove the database of the first. */
function keep(database: TestDatabase): TestDatabase {
  return { ...database, [Symbol.asyncDispose]: async () => undefined };
}

async function readFirms({ services: { registryDb } }: TestService): Promise<unknown> {
  const found = await registryDb.one("SELECT count(*) AS firms FROM parties WHERE content LIKE '%FIRMA%'");
  const records = await registryDb.one("SELECT count(*) AS records FROM entities WHERE registry LIKE '%FONDATOR%'");
  return { ...found, ...records };
}

async function countInTables({ engine }: TestDatabase, db: Db): Promise<number> {
  const like = engine === 'sqlite' ? 'LIKE' : 'ILIKE';
  const sql = `SELECT count(*) AS found FROM entities WHERE registry ${like} '%zqplanted%'`;
  return (await db.one<{ found: number }>(sql))?.found ?? 0;
}
