import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Db } from '../../src/base/db/db.ts';
import { DEFAULT_PARTY_MODES as NAMES, type PartyModes } from '../../src/base/party-modes.ts';
import { importFiles } from '../../src/import/import.ts';
import { suppressParty } from '../../src/import/removal/remove-persons.ts';
import { findMark, type Mark, readCells } from '../../src/registers/data-files.ts';
import { registers } from '../../src/registers/index.ts';
import { hashParty } from '../../src/registry/records/withholding.ts';
import { createRegistry } from '../../src/registry/registry.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { startService, type TestService } from '../harness/service.ts';
import { ORGANISATIONS } from '../registers/mapping.ts';
import { plantCells } from './plant-cells.ts';
import { assertNoBytes } from './planted.ts';

const MARK = 'ZQCELL';
/** Marks of cells that name persons. */
const PERSONS: ReadonlySet<Mark> = new Set(['party', 'owner', 'mixed', 'person']);

test('every column and every key that a register knows has a mark', () => {
  const missing = registers.flatMap(({ id, sources }) =>
    sources.flatMap((source) => {
      const isStored = source.kind === 'tree' || source.map || source.joins || source.parties;
      if (source.refusal !== undefined || !isStored) return [];
      const marks = readCells(id).get(source.name) ?? new Map();
      const paths = [...marks.keys()];
      const isMarked = (key: string) => {
        if (source.kind === 'table') return findMark(marks, key) !== undefined;
        const bare = key.replace(/^\w+:/, '');
        return key.startsWith('@xml') || paths.some((path) => path === bare || path.startsWith(`${bare}.`));
      };
      const known = source.kind === 'table' ? source.columns : source.keys;
      return known.filter((key) => !isMarked(key)).map((key) => `${id}: ${source.name}: ${key}`);
    }),
  );
  assert.deepEqual(missing, []);
});

describeOn(usualEngines, 'names in every cell that may have one', (engine) => {
  let service: TestService;
  let folder = '';
  const plant = (edition: number) =>
    new Map(registers.map((register) => [register.id, plantCells(register, MARK, edition)]));
  let planted = plant(0);
  /** What the store had after any import: files of another layout replace the records of the first. */
  let stored = '';
  const importAll = async (parties: PartyModes) => {
    const { services, clock } = service;
    for (const register of registers) {
      for (const [index, files] of (planted.get(register.id)?.imports ?? []).entries()) {
        const paths: string[] = [];
        for (const file of files) paths.push(await writeSynthetic(folder, file));
        const mode = index === 0 ? 'full' : 'partial';
        await importFiles(services.registryDb, clock, { register, registers, paths, parties, mode, again: true });
        if (index === 0 && parties === NAMES) stored += (await readStore(services.registryDb)).join('\n').toLowerCase();
      }
    }
  };
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'firmament-cells-'));
    service = await startService(engine, { env: { PARTIES: 'names' }, smallIndex: 1 });
    await importAll(NAMES);
  });
  after(async () => {
    await service?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  test('with names, the store has each of them', async () => {
    stored += (await readStore(service.services.registryDb)).join('\n').toLowerCase();
    const lost = [...planted.values()].flatMap(({ names }) =>
      [...names].filter(([, name]) => !stored.includes(name.toLowerCase())),
    );
    // Pledges of shares are not imported.
    assert.deepEqual(
      lost.map(([place]) => place),
      ['ee: osanikud (JSON): osapandid_tingimuslikud_voorandamised'],
    );
  });

  test('nothing is withheld by default, and persons of every register that names them are parties', async () => {
    const db = service.services.registryDb;
    for (const table of ['entities', 'parties'])
      assert.deepEqual(
        await db.all(`SELECT id FROM ${table} WHERE source_data LIKE '%withheld: %' LIMIT 3`),
        [],
        table,
      );
    const named = await db.all<{ register: string }>(
      `SELECT DISTINCT register FROM parties WHERE is_person = 1 AND content NOT LIKE '%"name":null%' ORDER BY register`,
    );
    // LEI records name no persons: an exception only says that persons control the company.
    const naming = registers.filter(
      ({ id, recordParties, sources, cells }) =>
        id !== 'gleif' &&
        (recordParties !== undefined || sources.some(({ parties }) => parties !== undefined)) &&
        cells.values().some((marks) => marks.values().some((mark) => PERSONS.has(mark))),
    );
    assert.deepEqual(
      named.map(({ register }) => register),
      naming.map(({ id }) => id),
    );
  });

  test('a lower mode shows none of them, before anything is removed', async () => {
    const shown = await readAll(service.services.registryDb, ORGANISATIONS);
    assert.ok(shown.length > 150);
    assert.deepEqual(shown.filter(isPlanted).slice(0, 3), []);
    assert.ok((await readAll(service.services.registryDb, NAMES)).some(isPlanted));
  });

  test('the journal names none of them', async () => {
    planted = plant(1);
    await importAll(NAMES);
    const changes = await service.services.registryDb.all<{ details: string | null }>('SELECT * FROM changes');
    assert.ok(changes.some(({ details }) => details?.includes('registry.parties')));
    assert.deepEqual(
      changes.filter((change) => isPlanted(JSON.stringify(change))),
      [],
    );
  });

  test('a suppressed name leaves every cell of its company, in any case, and later imports keep it out', async () => {
    const { services, clock, database } = service;
    for (const id of ['ee', 'ua', 'br', 'no', 'lv', 'gb', 'md', 'ro']) {
      const found = await findNamed(services.registryDb, id);
      for (const name of found.names) {
        const party = hashParty(found.entityId, name.toUpperCase());
        await suppressParty(services.registryDb, clock, registers, { entityId: found.entityId, party, reason: null });
      }
      assert.deepEqual((await readCompany(services.registryDb, found)).filter(isPlanted), [], id);
    }
    await importAll(NAMES);
    for (const id of ['ee', 'ua', 'br', 'no', 'lv', 'gb', 'md', 'ro']) {
      const suppressed = await services.registryDb.all<{ entityId: string; company: string }>(
        'SELECT DISTINCT entity_id AS "entityId", company FROM suppressed WHERE register = $1',
        [id],
      );
      for (const company of suppressed)
        assert.deepEqual(
          (await readCompany(services.registryDb, { register: id, ...company })).filter(isPlanted),
          [],
          id,
        );
    }
    assert.ok(database);
  });

  test('after the start in a lower mode, no byte of them is left', async () => {
    const rows = await countRows(service.services.registryDb);
    {
      const database = { ...service.database, [Symbol.asyncDispose]: async () => undefined };
      await using lower = await startService(engine, { database, env: { PARTIES: 'organisations' } });
      await lower.services.removal.ended();
      assert.ok(!lower.logLines.some(isPlanted));
    }
    await assertNoBytes(service.database, MARK);
    const texts = await readStore(service.services.registryDb);
    assert.ok(texts.some((text) => text.includes('withheld: natural persons')));
    assert.deepEqual(texts.filter((text) => text.includes('withheld: unknown')).slice(0, 3), []);
    assert.ok((await countRows(service.services.registryDb)).parties < rows.parties);
  });

  test('the next import finds nothing changed and stores no name again', async () => {
    const hashes = () =>
      service.services.registryDb.all(`SELECT id, content_hash FROM parties UNION ALL
        SELECT id, content_hash FROM entities ORDER BY 1`);
    const before = await hashes();
    await importAll(ORGANISATIONS);
    const known = new Set(before.map((row) => JSON.stringify(row)));
    const differing = (await hashes()).filter((row) => !known.has(JSON.stringify(row)));
    assert.deepEqual(differing, []);
    await assertNoBytes(service.database, MARK);
  });
});

function isPlanted(text: string): boolean {
  return text.toUpperCase().includes(MARK);
}

async function countRows(db: Db): Promise<{ parties: number }> {
  return (await db.one<{ parties: number }>('SELECT count(*) AS parties FROM parties')) ?? assert.fail();
}

/** All texts of records and parties in the store. */
async function readStore(db: Db): Promise<string[]> {
  const rows = await db.rows(
    'SELECT registry, source_data FROM entities UNION ALL SELECT content, source_data FROM parties',
  );
  return rows.flat().map(String);
}

/** What users see of all records and their parties. */
async function readAll(db: Db, partyModes: PartyModes): Promise<string[]> {
  const registry = createRegistry(db, registers, { partyModes });
  const shown: string[] = [];
  for (const { id } of await db.all<{ id: string }>('SELECT id FROM entities')) {
    shown.push(String((await registry.findEntity(id))?.content), JSON.stringify(await registry.parties.list(id, {})));
  }
  return shown;
}

interface Company {
  readonly register: string;
  readonly entityId: string;
  readonly company: string;
}

/** A company with named persons, and the names of all of them. */
async function findNamed(db: Db, register: string): Promise<Company & { readonly names: readonly string[] }> {
  const rows = await db.all<{ entityId: string; company: string; content: string }>(
    `SELECT e.id AS "entityId", p.company, p.content FROM parties p
      JOIN entities e ON e.register = p.register AND substr(e.registration_number, 1, length(p.company)) = p.company
      WHERE p.register = $1 AND p.is_person = 1 ORDER BY e.id`,
    [register],
  );
  const first = rows.find(({ content }) => isPlanted(content)) ?? assert.fail(`${register} names nobody`);
  const own = rows.filter(({ entityId }) => entityId === first.entityId);
  return { ...first, register, names: own.map(({ content }) => JSON.parse(content).name as string) };
}

async function readCompany(db: Db, { register, entityId, company }: Company): Promise<string[]> {
  const rows = await db.rows(
    `SELECT registry, source_data FROM entities WHERE id = $1
      UNION ALL SELECT content, source_data FROM parties WHERE register = $2 AND company = $3`,
    [entityId, register, company],
  );
  return rows.flat().map(String);
}
