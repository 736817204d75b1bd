import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { IN_RECORDS, type PartyMode, type PartyModes } from '../../src/base/party-modes.ts';
import { ALL_ROWS, mapParties } from '../../src/import/mapping/map-rows.ts';
import { createPrepareTools } from '../../src/import/mapping/prepare.ts';
import { Problems } from '../../src/import/mapping/problems.ts';
import type { MappedParty, Register } from '../../src/registers/contract.ts';
import { unpackRow } from '../../src/registry/parties/new-party.ts';
import { hashParty, type SuppressedParty } from '../../src/registry/records/withholding.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { run } from '../harness/process.ts';
import { useService } from '../harness/shared-service.ts';
import { assertNoBytes, importPlanted, insertPlantedParties, plantedName } from './planted.ts';

const NAMES: PartyModes = { all: 'names', exceptions: {} };

describeOn(usualEngines, 'suppressing a person', (engine) => {
  const service = useService(engine, { env: { PARTIES: 'names' } });
  let id = '';
  let env: Record<string, string> = {};
  const suppress = (...args: string[]) => run(['suppress', ...args], env);
  const read = async (path = '') => (await service.client.get(`/api/v1/entities/${id}${path}`)).body;
  before(async () => {
    const { dataDir, databaseUrl } = service.database;
    env = { DATA_DIR: dataDir, PARTIES: 'names', ...(databaseUrl && { DATABASE_URL: databaseUrl }) };
    await importPlanted(service, NAMES, 1);
    await insertPlantedParties(service.services.registryDb);
    const found = await service.services.registryDb.one<{ id: string }>(
      "SELECT id FROM entities WHERE canonical_name = 'PLAI 0 S.R.L.'",
    );
    id = found?.id ?? assert.fail();
  });

  test('the command lists the parties with numbers and ids, and an unknown one is refused', async () => {
    const { stdout, code } = await suppress(id);
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`\\d  ${hashParty(id, plantedName(400))}  ${plantedName(400)}`));
    const refused = await suppress(id, '--party', '999');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /There is no party 999/);
  });

  test('the person leaves the record and its source cells at once, and others stay', async () => {
    const before = JSON.stringify(await read());
    assert.ok(before.includes(plantedName(400)));
    const line = (await suppress(id)).stdout.split('\n').find((text) => text.includes(plantedName(400))) ?? '';
    const { stdout, code } = await suppress(id, '--party', line.trim().split(' ')[0] ?? '', '--reason', 'request 117');
    assert.equal(code, 0);
    assert.match(stdout, /^Removed [\w-]{24}\./);
    const body = JSON.stringify(await read());
    assert.ok(!body.includes(plantedName(400)), body);
    assert.ok(body.includes(plantedName(401)) && body.includes('withheld: natural persons'));
  });

  test('the person leaves the list of parties, which says how many are withheld, and every file of the database', async () => {
    const registry = service.services.registry;
    const db = service.services.registryDb;
    const party = hashParty(id, plantedName(100));
    assert.equal((await suppress(id, '--party', party)).code, 0);
    const rows = await db.all<{ content: string }>("SELECT content FROM parties WHERE content LIKE '%ZQPLANTED0100%'");
    assert.deepEqual(rows, []);
    await assertNoBytes(service.database, 'ZQPLANTED0100');
    assert.equal((await registry.parties.list(id, {}))?.withheld, 2);
    assert.equal((await read('/parties')).meta.withheld, 2);
  });

  test('later imports leave the person out, until it is undone', async () => {
    await importPlanted(service, NAMES, 2);
    assert.ok(!JSON.stringify(await read()).includes(plantedName(400)));
    const { stdout } = await suppress('--list');
    assert.match(stdout, new RegExp(`${id}  ${hashParty(id, plantedName(400))}  md 1003600100000  request 117`));
    assert.ok(!stdout.includes('ZQPLANTED'));
    assert.equal((await suppress(id, '--party', hashParty(id, plantedName(400)), '--undo')).code, 0);
    await importPlanted(service, NAMES, 2);
    assert.ok(JSON.stringify(await read()).includes(plantedName(400)));
  });

  test('usage errors say what to do', async () => {
    for (const args of [[], [id, '--list'], [id, id]]) assert.equal((await suppress(...args)).code, 2, args.join(' '));
    assert.match((await suppress('gb')).stderr, /is not the id of a record/);
  });
});

test('a file of parties: the suppressed party of the company is left out, and an equal name of another one is not', async () => {
  const party: Omit<MappedParty, 'company'> = {
    ...{ key: 'k', role: 'director', roleText: 'Director', kind: 'person', name: 'Ana Rusu', number: null, link: null },
    ...{ countryCode: null, interests: [], from: null, until: null, current: true, absence: null },
  };
  const register = { id: 'xx', sources: [], cells: new Map() } as unknown as Register;
  const source = {
    ...{ kind: 'tree', name: 'parties', format: { type: 'json' }, required: [], keys: ['company'] },
    parties: {
      set: 'officers',
      map: ({ company }: { company: string }) => ({ ...party, company }),
    },
  } as const;
  async function* read() {
    yield ['1', '2'].map((company, index) => ({ place: index + 1, value: { company, born: '1.2.2003' }, size: 9 }));
  }
  const part = { file: 'f', entry: 'f', source, size: 0, read } as never;
  const tools = { parts: [], codes: null, problems: new Problems(), onBytes: () => undefined };
  const suppressed = [{ entityId: 'e', company: '1', party: hashParty('e', 'ANA RUSU') }];
  const map = async (mode: PartyMode, suppressed: readonly SuppressedParty[]) => {
    const prepareTools = createPrepareTools(register, [register], { [IN_RECORDS]: mode, officers: mode }, suppressed);
    const batches = await Array.fromAsync(mapParties(part, { ...prepareTools, ...tools }, ALL_ROWS));
    return batches.flatMap(({ prepared }) => prepared);
  };
  const stored = await map('names', suppressed);
  assert.deepEqual(
    stored.map(({ content }) => {
      const [company, , , , , isPerson, , , , , sourceData] = unpackRow(content);
      return [company, isPerson, sourceData];
    }),
    [['2', 1, '{"company":"2","born":"1.2.2003"}']],
  );
  assert.deepEqual(await map('organisations', []), []);
});
