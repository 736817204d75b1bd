import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { type ImportOptions, importFiles } from '../../src/import/import.ts';
import type { Register } from '../../src/registers/contract.ts';
import { registers } from '../../src/registers/index.ts';
import { ua } from '../../src/registers/ua/register.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { untilSearchServes } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { ORGANISATIONS } from '../registers/mapping.ts';

async function importText(
  service: TestService,
  register: Register,
  files: Readonly<Record<string, string>>,
  options: Partial<ImportOptions> = {},
) {
  const folder = mkdtempSync(join(service.database.dataDir, 'in-'));
  const paths = Object.entries(files).map(([name, text]) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  });
  const request = { register, registers, paths, ...options };
  const result = await importFiles(service.services.registryDb, service.clock, request);
  await untilSearchServes(service);
  return result;
}

interface Subject {
  readonly number: string;
  readonly name?: string;
  readonly founders?: readonly string[];
  readonly owner?: string;
}

const writeSubjects = (subjects: readonly Subject[]) => ({
  'UO.xml': `<?xml version="1.0" encoding="utf-8"?>\n<SUBJECTS>${subjects
    .map(({ number, name = number, founders = [], owner = '' }) => {
      const list = founders.map((founder) => `<FOUNDER>${founder}</FOUNDER>`).join('');
      return `<SUBJECT><NAME>${name}</NAME><EDRPOU>${number}</EDRPOU><STAN>зареєстровано</STAN><FOUNDERS>${list}</FOUNDERS>
        <BENEFICIARIES><BENEFICIARY>${owner}</BENEFICIARY></BENEFICIARIES></SUBJECT>`;
    })
    .join('\n')}</SUBJECTS>\n`,
});

const NAMES = { all: 'names', exceptions: {} } as const;
const SHARE = 'розмір частки - 500,00 грн.';
const [TOP, MIDDLE, CHILD, FOUNDED] = ['10000001', '10000002', '10000003', '10000004'];
const SUBJECTS: readonly Subject[] = [
  { number: TOP, founders: [`КОВАЛЬ ІРИНА ПЕТРІВНА, ${SHARE}`], owner: 'КОВАЛЬ ІРИНА ПЕТРІВНА' },
  { number: MIDDLE, founders: [`TOP, ${TOP}, ${SHARE}`, `КОВАЛЬ ІРИНА ПЕТРІВНА, ${SHARE}`] },
  { number: CHILD, founders: [`MIDDLE, ${MIDDLE}, ${SHARE}`, 'AWAY, 99999999, розмір частки - 1,00 грн.'] },
  { number: FOUNDED, founders: [`TOP, ${TOP}`, `КОМПАНІЯ "FOREIGN", ${SHARE}`] },
];

interface Node {
  readonly number: string;
  readonly depth: number;
  readonly end: { readonly reason: string } | null;
}

describeOn(usualEngines, 'parties inside records', (engine) => {
  const service = useService(engine, { env: { PARTIES: 'names' } });
  before(async () => {
    await importText(service, ua, writeSubjects(SUBJECTS), { parties: NAMES });
  });

  const idOf = async (number: string) =>
    (
      await service.services.registryDb.one<{ id: string }>(
        "SELECT id FROM entities WHERE registration_number = $1 AND register = 'ua'",
        [number],
      )
    )?.id ?? '';
  const get = async (number: string, path: string) =>
    (await service.client.get(`/api/v1/entities/${await idOf(number)}/${path}`)).body;
  const showNodes = async (number: string, path: string) =>
    (await get(number, path)).data.nodes
      .map(({ number: each, depth, end }: Node) => `${depth} ${each} ${end?.reason ?? ''}`.trimEnd())
      .sort();
  const count = async () =>
    (await service.services.registryDb.one<{ rows: number }>('SELECT count(*) AS rows FROM parties'))?.rows;
  const readFeed = async (cursor: string) => (await service.client.get(`/api/v1/changes?cursor=${cursor}`)).body;
  const readEnd = async () => (await readFeed('now')).meta.nextCursor as string;

  test('200: each party has its row, its kind and its link', async () => {
    const { data, meta } = await get(CHILD, 'parties');
    assert.deepEqual([meta.coverage, meta.total], ['available', 2]);
    const party = data.find(({ number }: { number: string }) => number === MIDDLE);
    const { source, sourceData, ...shown } = party;
    assert.deepEqual(shown, {
      ...{ role: 'founder', roleText: 'founder', kind: 'organisation', name: 'MIDDLE', entityId: await idOf(MIDDLE) },
      ...{
        number: MIDDLE,
        countryCode: 'UA',
        interests: [{ type: 'shares', share: null, heldAs: null }],
        from: null,
        until: null,
      },
      ...{ current: true, absence: null },
    });
    assert.deepEqual([source.file, source.row], ['UO.xml', 3]);
    assert.deepEqual(sourceData, {
      ...{ role: 'founder', kind: 'organisation', name: 'MIDDLE', contribution: { amount: 500, currency: 'UAH' } },
      number: MIDDLE,
    });
    const record = (await service.client.get(`/api/v1/entities/${await idOf(CHILD)}`)).body.data;
    assert.equal(record.registry.parties.length, 2, 'the record keeps its parties');
  });

  test('200: owners end with a person, without a number or where the files end; only founders with a share are owners', async () => {
    assert.deepEqual(await showNodes(CHILD, 'owners'), [
      `0 ${CHILD}`,
      `1 ${MIDDLE}`,
      '1 99999999 not_found',
      `2 ${TOP} person`,
    ]);
    assert.deepEqual(await showNodes(FOUNDED, 'owners'), [`0 ${FOUNDED} no_number`]);
    assert.deepEqual(await showNodes(TOP, 'holdings'), [`0 ${TOP}`, `1 ${MIDDLE}`, `2 ${CHILD}`]);
  });

  test('a changed record replaces its parties, with the field `parties` in the feed only if they differ', async () => {
    const end = await readEnd();
    const before = await count();
    const changed = SUBJECTS.map((subject) => {
      if (subject.number === CHILD) return { ...subject, founders: [`TOP, ${TOP}, ${SHARE}`] };
      return subject.number === MIDDLE ? { ...subject, name: 'renamed' } : subject;
    });
    const result = await importText(service, ua, writeSubjects(changed), { parties: NAMES });
    assert.deepEqual([result.counts.changed, result.counts.unchanged], [2, 2]);
    assert.equal(await count(), (before ?? 0) - 1);
    const { data } = await readFeed(end);
    const fields = Object.fromEntries(
      data.map((change: { entityId: string; fields: string[] }) => [change.entityId, change.fields]),
    );
    assert.deepEqual(fields, {
      [await idOf(MIDDLE)]: ['canonicalName', 'sourceData'],
      [await idOf(CHILD)]: ['registry', 'sourceData', 'parties'],
    });
    assert.deepEqual(await showNodes(CHILD, 'owners'), [`0 ${CHILD}`, `1 ${TOP} person`]);
    const [party] = (await get(MIDDLE, 'parties')).data;
    assert.equal(party.source.hash, result.files[0]?.hash, 'the source is the row of the stored record');
  });

  test('the parties of a delisted company are removed', async () => {
    const rest = SUBJECTS.filter(({ number }) => number !== FOUNDED);
    const end = await readEnd();
    await importText(service, ua, writeSubjects(rest), { parties: NAMES, mode: 'full' });
    assert.deepEqual((await get(FOUNDED, 'parties')).data, []);
    const listed = (await readFeed(end)).data.map(({ type }: { type: string }) => type).sort();
    assert.deepEqual(listed, ['changed', 'changed', 'delisted']);
    const sets = await service.services.registryDb.all<{ set: string; parties: number }>(
      'SELECT set_name AS "set", parties FROM party_sets',
    );
    assert.equal(
      sets.reduce((sum, { parties }) => sum + parties, 0),
      await count(),
    );
  });

  test('a store without these rows gets them with the next import, and with --again after they were deleted', async () => {
    const { registryDb } = service.services;
    const stored = () => registryDb.all('SELECT id, content_hash, file_id, place FROM parties ORDER BY id');
    const rows = await stored();
    assert.ok(rows.length > 4);
    const remove = async () => {
      for (const table of ['parties', 'party_sets']) await registryDb.run(`DELETE FROM ${table}`);
    };
    await remove();
    const end = await readEnd();
    const rest = SUBJECTS.filter(({ number }) => number !== FOUNDED);
    const files = writeSubjects(rest);
    assert.equal((await get(CHILD, 'parties')).meta.coverage, 'not_imported');
    await importText(service, ua, files, { parties: NAMES, program: 'newer' });
    assert.deepEqual(await stored(), rows);
    assert.deepEqual((await readFeed(end)).data, [], 'the first parties are no changes');
    await remove();
    await importText(service, ua, files, { parties: NAMES, program: 'newer', again: true });
    assert.deepEqual(await stored(), rows);
  });

  test('a store that was imported without persons gets them with the next import, also of the same file', async () => {
    const files = writeSubjects(SUBJECTS);
    await importText(service, ua, files, { parties: ORGANISATIONS });
    {
      const database = { ...service.database, [Symbol.asyncDispose]: async () => undefined };
      await using started = await startService(engine, { database });
      const line = started.logLines.find((text) => text.includes('PARTIES allows more')) ?? '';
      assert.match(line, /"registers":\["ua"\].*Run firmament update, or firmament import with the files/);
    }
    const end = await readEnd();
    const raised = await importText(service, ua, files);
    assert.deepEqual([raised.outcome, raised.counts.changed], ['published', 4]);
    assert.match(raised.warnings.join(), /name natural persons, .*docs\/natural-persons\.md/);
    const { data } = await readFeed(end);
    assert.equal(data.length, 4);
    for (const { type, fields } of data) {
      assert.equal(type, 'changed');
      assert.ok(fields.includes('sourceData'));
    }
    const [owner] = (await get(TOP, 'parties')).data;
    assert.equal(owner.name, 'КОВАЛЬ ІРИНА ПЕТРІВНА');
    const record = (await service.client.get(`/api/v1/entities/${await idOf(TOP)}`)).body.data;
    assert.doesNotMatch(JSON.stringify(record), /withheld: /);
    const same = await importText(service, ua, files);
    assert.deepEqual([same.outcome, same.warnings], ['unchanged', []]);
  });
});
