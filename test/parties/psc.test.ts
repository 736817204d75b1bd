import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { type ImportOptions, importFiles } from '../../src/import/import.ts';
import { gb } from '../../src/registers/gb/register.ts';
import { registers } from '../../src/registers/index.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import type { TestService } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import {
  corporate,
  exemptions,
  person,
  protectedPerson,
  statement,
  totals,
  writeLines,
} from '../registers/gb/psc-records.ts';
import { ORGANISATIONS } from '../registers/mapping.ts';

const [TOP, MIDDLE, BELOW, LISTED] = ['00000101', '00000102', '00000103', 'SC000104'];
const COMPANIES = [
  'CompanyName,CompanyNumber,CompanyCategory,CompanyStatus,IncorporationDate',
  ...[TOP, MIDDLE, BELOW, LISTED].map(
    (number) => `KITES ${number},${number},Private Limited Company,Active,01/02/1999`,
  ),
  '',
].join('\n');

const ENGLAND = { country_registered: 'England', place_registered: 'Companies House' };
const FIRST = [
  person(TOP, 'p1'),
  corporate(MIDDLE, 'c1', { ...ENGLAND, registration_number: '101' }),
  corporate(MIDDLE, 'c2', { ...ENGLAND, registration_number: `${TOP}` }),
];
const SECOND = [
  corporate(BELOW, 'c3', { ...ENGLAND, registration_number: MIDDLE }),
  corporate(BELOW, 'c4', { country_registered: 'Norway', registration_number: '923 609 016' }),
  corporate(BELOW, 'c5', { country_registered: 'Norway', registration_number: '923 609 017' }),
  protectedPerson(BELOW, 'x1'),
  statement(TOP, 's1', 'psc-has-failed-to-confirm-changed-details', { linked_psc_name: 'Ivor Quillfeather' }),
  statement(MIDDLE, 's2', 'no-individual-or-entity-with-signficant-control', { ceased_on: '2019-01-01' }),
  exemptions(LISTED, { a: { exemption_type: 'disclosure', items: [{ exempt_from: '2016-04-06' }] } }),
];
const TRAILER = totals(7, 2, 1);
const parts = (second: readonly Parameters<typeof writeLines>[0][number][] = [...SECOND, TRAILER]) => ({
  'psc-snapshot-2026-09-18_1of2.txt': writeLines(FIRST),
  'psc-snapshot-2026-09-18_2of2.txt': writeLines(second),
});

const LEFT_OUT = { parties: ORGANISATIONS };

async function importGb(
  { services, clock, database }: TestService,
  files: Readonly<Record<string, string>>,
  options: Partial<ImportOptions> = {},
) {
  const folder = mkdtempSync(join(database.dataDir, 'gb-'));
  const paths = Object.entries(files).map(([name, text]) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  });
  return importFiles(services.registryDb, clock, { register: gb, registers, paths, ...options });
}

describeOn(usualEngines, 'persons with significant control', (engine) => {
  const service = useService(engine, { env: { PARTIES: 'organisations' } });
  let ids: Readonly<Record<string, string>>;
  before(async () => {
    await importGb(service, { 'companies.csv': COMPANIES }, LEFT_OUT);
    const rows = await service.services.registryDb.all<{ id: string; number: string }>(
      'SELECT id, registration_number AS number FROM entities',
    );
    ids = Object.fromEntries(rows.map(({ id, number }) => [number, id]));
  });
  const readParties = async (number: string) =>
    (await service.client.get(`/api/v1/entities/${ids[number]}/parties`)).body.data;

  test('the totals may leave out protected persons', async () => {
    const { parties } = await importGb(service, parts([...SECOND, totals(6, 2, 1)]), { dryRun: true });
    assert.equal(parties?.rows, 11);
  });

  test('organisations: persons are skipped unread, and no name of a person is stored', async () => {
    const { parties, skipped, problems } = await importGb(service, parts(), LEFT_OUT);
    assert.deepEqual(parties, { rows: 11, added: 9, changed: 0, unchanged: 0, removed: 0, duplicates: 0 });
    assert.deepEqual(skipped.map(({ reason, rows }) => `${rows} ${reason}`).sort(), [
      '1 a person',
      '1 the totals of the file',
    ]);
    assert.deepEqual(problems, []);
    const stored = await service.services.registryDb.all('SELECT * FROM parties');
    assert.doesNotMatch(JSON.stringify(stored), /Quillfeather/);
  });

  test('companies are linked by number, to other registers too, and keep their whole row', async () => {
    const [byCompany] = (await readParties(MIDDLE)).filter((party: { entityId: string }) => party.entityId !== null);
    assert.deepEqual(
      [byCompany.role, byCompany.entityId, byCompany.name, byCompany.countryCode, byCompany.number],
      ['controller', ids[TOP], 'Harbour Kites Holdings Limited', 'GB', TOP],
    );
    assert.deepEqual(byCompany.interests, [
      { type: 'shares', share: { min: 50, max: 75 }, heldAs: null },
      { type: 'votes', share: { min: 25, max: 50 }, heldAs: 'firm_member' },
    ]);
    assert.deepEqual(byCompany.sourceData, FIRST[2]);
    assert.equal((await readParties(MIDDLE)).length, 2, 'a statement that ended is not current');
    const links = await service.services.registryDb.rows(
      `SELECT party_register, party_number FROM parties WHERE company = $1 AND role = 'controller' ORDER BY party_register`,
      [BELOW],
    );
    assert.deepEqual(links.map((row) => row.join(' ')).sort(), [' ', `gb ${MIDDLE}`, 'no 923609016']);
  });

  test('the page of a record says as whom an interest is held', async () => {
    const { headers } = await service.signIn();
    const page = await fetch(`${service.url}/entities/${ids[MIDDLE]}`, {
      headers: { ...headers, 'sec-fetch-site': 'same-origin' },
    });
    assert.match(await page.text(), /50–75 %, in its own right and as a member of a firm/);
  });

  test('owners and holdings follow the links, and chains end with a reason', async () => {
    const walk = async (number: string, direction: string) =>
      (await service.client.get(`/api/v1/entities/${ids[number]}/${direction}?depth=5`)).body.data;
    const owners = await walk(BELOW, 'owners');
    type Node = { number: string; end: { reason: string } | null };
    const ends = Object.fromEntries(owners.nodes.map(({ number, end }: Node) => [number, end?.reason ?? null]));
    assert.deepEqual(ends, { [BELOW]: null, [MIDDLE]: null, [TOP]: 'no_answer', 923609016: 'not_found' });
    const below = await walk(TOP, 'holdings');
    assert.deepEqual(
      below.nodes.map(({ number }: Node) => number),
      [TOP, MIDDLE, BELOW],
    );
    assert.equal((await walk(LISTED, 'owners')).nodes[0].end.reason, 'exempt');
  });
});
