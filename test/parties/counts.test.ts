import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { PartyModes } from '../../src/base/party-modes.ts';
import { suppressParty } from '../../src/import/removal/remove-persons.ts';
import { registers } from '../../src/registers/index.ts';
import { isOwnerRole } from '../../src/registry/parties/roles.ts';
import { hashParty } from '../../src/registry/records/withholding.ts';
import { createRegistry } from '../../src/registry/registry.ts';
import { exportAll, readLines } from '../exports/exporting.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { importSynthetic } from '../harness/entities.ts';
import { useService } from '../harness/shared-service.ts';
import { ORGANISATIONS } from '../registers/mapping.ts';
import { importGleif, readIds, writeCompanies, writeExceptions, writeRelationships } from './level2-files.ts';
import { importPlanted, insertPlantedParties, plantedName } from './planted.ts';

const NAMES: PartyModes = { all: 'names', exceptions: {} };
const OFF: PartyModes = { all: 'off', exceptions: {} };

interface Counts {
  readonly owners: number;
  readonly others: number;
}

describeOn(usualEngines, 'counts of parties in records', (engine) => {
  const service = useService(engine, { env: { PARTIES: 'names' } });
  before(async () => {
    await importPlanted(service, NAMES, 1);
    await insertPlantedParties(service.services.registryDb);
  });

  const open = (partyModes: PartyModes) => createRegistry(service.services.registryDb, registers, { partyModes });
  const readCounts = async (id: string, modes = NAMES): Promise<Counts | null> =>
    JSON.parse(String((await open(modes).findEntity(id))?.content)).data.partyCounts;
  /** The definition: the parties that the API lists. */
  async function countListed(id: string, modes: PartyModes): Promise<Counts> {
    const listed = await open(modes).parties.list(id, {});
    const named = listed?.parties.filter(({ absence }) => absence === null) ?? [];
    const owners = named.filter(({ role }) => isOwnerRole(role)).length;
    return { owners, others: named.length - owners };
  }
  const listIds = async (register: string) =>
    (
      await service.services.registryDb.all<{ id: string }>(
        'SELECT id FROM entities WHERE register = $1 ORDER BY registration_number LIMIT 5',
        [register],
      )
    ).map(({ id }) => id);

  test('they are those of the parties that are shown in the mode, and never of persons who are not', async () => {
    for (const register of ['md', 'br']) {
      for (const id of await listIds(register)) {
        const named = await countListed(id, NAMES);
        const organisations = await countListed(id, ORGANISATIONS);
        const sum = ({ owners, others }: Counts) => owners + others;
        assert.ok(sum(named) > sum(organisations) && sum(organisations) > 0, register);
        assert.deepEqual(await readCounts(id), named);
        assert.deepEqual(await readCounts(id, ORGANISATIONS), organisations);
        assert.equal(await readCounts(id, OFF), null);
      }
    }
  });

  test('a chain of owners that may go on with persons who are not kept says so, and only then', async () => {
    const [id = ''] = await listIds('br');
    const endIn = async (modes: PartyModes) =>
      (await open(modes).parties.walk(id, 'owners', 10))?.nodes[0]?.end?.reason;
    assert.equal(await endIn(ORGANISATIONS), 'persons_not_kept');
    assert.equal(await endIn(NAMES), 'person');
  });

  test('an export has each record with its counts, byte for byte as the API', async () => {
    const lines = readLines(await exportAll(service, 'ndjson', { parties: ORGANISATIONS }));
    assert.ok(lines.length >= 175);
    const registry = open(ORGANISATIONS);
    for (const line of lines.filter((_, index) => index % 17 === 0)) {
      const { id, partyCounts } = JSON.parse(line);
      assert.notEqual(partyCounts, null);
      assert.equal(String((await registry.findEntity(id))?.content), `{"data":${line}}`);
    }
  });

  test('a person who is suppressed is not counted', async () => {
    const [id = ''] = await listIds('md');
    const counted = await readCounts(id);
    const party = hashParty(id, plantedName(100));
    const { registryDb, clock } = service.services;
    assert.ok(await suppressParty(registryDb, clock, registers, { entityId: id, party, reason: null }));
    assert.deepEqual(await readCounts(id), { ...counted, others: (counted?.others ?? 0) - 1 });
  });

  test('the API has them, reasons for having no owner do not count, and registers without parties have null', async () => {
    await importSynthetic(service, 'fi', 1);
    const [fi = ''] = await listIds('fi');
    assert.equal((await service.client.get(`/api/v1/entities/${fi}`)).body.data.partyCounts, null);
    const companies = writeCompanies([['Child'], ['Top'], ['Fund']]);
    await importGleif(service, { 'lei2.csv': companies });
    const ids = await readIds(service);
    const read = async (name: string) =>
      (await service.client.get(`/api/v1/entities/${ids[name]}`)).body.data.partyCounts;
    assert.equal(await read('Child'), null);
    const links = [
      { child: 'Child', parent: 'Top' },
      { child: 'Child', parent: 'Top', status: 'INACTIVE', type: 'IS_INTERNATIONAL_BRANCH_OF' },
      { child: 'Child', parent: 'Away', type: 'IS_ULTIMATELY_CONSOLIDATED_BY' },
      { child: 'Fund', parent: 'Child', type: 'IS_FUND-MANAGED_BY' },
    ];
    const exceptions = writeExceptions([['Top', 'NATURAL_PERSONS']]);
    await importGleif(service, { 'rr.csv': writeRelationships(links), 'repex.csv': exceptions });
    assert.deepEqual(await read('Child'), { owners: 2, others: 0 });
    assert.deepEqual(await read('Fund'), { owners: 0, others: 1 });
    assert.deepEqual(await read('Top'), { owners: 0, others: 0 });
  });
});
