import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Db } from '../../src/base/db/db.ts';
import { type PartyFormat, partyFormats } from '../../src/base/export-formats.ts';
import type { PartyModes } from '../../src/base/party-modes.ts';
import type { ExportResult } from '../../src/exports/export.ts';
import { createStatements } from '../../src/exports/parties/bods.ts';
import { importFiles } from '../../src/import/import.ts';
import { gleif } from '../../src/registers/gleif/register.ts';
import { registers } from '../../src/registers/index.ts';
import { absenceReasons, interestTypes, partyRoles } from '../../src/registers/vocabulary.ts';
import type { BulkParty } from '../../src/registry/parties/bulk/bulk.ts';
import { generateParties } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { usualEngines } from '../harness/databases.ts';
import { importSynthetic } from '../harness/entities.ts';
import { startService } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import {
  importGleif,
  lei,
  readIds,
  writeCompanies,
  writeExceptions,
  writeRelationships,
} from '../parties/level2-files.ts';
import { ORGANISATIONS } from '../registers/mapping.ts';
import { useDuck } from './duck.ts';
import { exportAll, hashFiles, readLines } from './exporting.ts';
import { inventParties, inventParty } from './invented-parties.ts';
import { parseCsv } from './parse-csv.ts';

/** Adds a person to the parties of a company, as an import in the mode `names` would. */
async function plantPerson(db: Db, company: string): Promise<void> {
  const content = {
    ...{ roleText: 'owner', kind: 'person', name: 'Anna Example', number: null, countryCode: null },
    ...{ interests: [], absence: null },
  };
  await db.run(
    `INSERT INTO parties (id, register, set_name, company, role, is_current, is_person, content, file_id, place, content_hash, source_data)
      SELECT 'planted', register, set_name, company, 'beneficial_owner', 1, 1, $2, file_id, place, 'planted', '{}'
      FROM parties WHERE company = $1 LIMIT 1`,
    [company, JSON.stringify(content)],
  );
}

const OFF: PartyModes = { all: 'organisations', exceptions: { gleif: 'off' } };

for (const engine of usualEngines) {
  describe(`exports of parties on ${engine}`, () => {
    const service = useService(engine);
    const duck = useDuck();
    let ids: Readonly<Record<string, string>>;
    const exported = {} as Record<PartyFormat, ExportResult>;
    before(async () => {
      await importGleif(service, {
        'lei2.csv': writeCompanies([['Child'], ['Parent', 'FR'], ['Top']]),
        'rr.csv': writeRelationships([
          { child: 'Child', parent: 'Parent', from: '2015-03-01' },
          { child: 'Child', parent: 'Former', status: 'INACTIVE', from: '2010-01-01', until: '2015-02-28' },
          { child: 'Parent', parent: 'Top' },
        ]),
        'repex.csv': writeExceptions([['Top', 'NATURAL_PERSONS']]),
      });
      ids = await readIds(service);
      for (const format of partyFormats) exported[format] = await exportAll(service, format, { rowsPerFile: 3 });
    });

    test('the manifest is true, and files are by register', () => {
      for (const format of partyFormats) {
        const { manifest } = exported[format];
        assert.deepEqual([manifest.format, manifest.rows], [format, 4]);
        assert.deepEqual(
          manifest.files.map(({ path, rows, country }) => [path.replace(/\..*/, ''), rows, country]),
          [
            ['parties/register=gleif/part-0000', 3, 'ZZ'],
            ['parties/register=gleif/part-0001', 1, 'ZZ'],
          ],
        );
        const hashes = Object.fromEntries(manifest.files.map(({ path, sha256 }) => [path, sha256]));
        assert.deepEqual(hashFiles(exported[format]), hashes);
        assert.deepEqual(
          manifest.registers.map(({ register, rows }) => [register, rows]),
          [['gleif', 4]],
        );
        const licences = readFileSync(join(exported[format].folder, 'LICENCES.md'), 'utf8');
        assert.match(licences, /## gleif[\s\S]*- Parties: 4/);
      }
    });

    test('NDJSON has every party as the API shows it, and whose party it is', async () => {
      const lines = readLines(exported['parties-ndjson']).map((line) => JSON.parse(line));
      const { body } = await service.client.get(`/api/v1/entities/${ids.Child}/parties`);
      const [parent] = body.data;
      const found = lines.find(({ entityId }) => entityId === ids.Parent);
      const { id, register, companyNumber, companyId, ...shown } = found;
      assert.deepEqual(shown, parent);
      assert.deepEqual([register, companyNumber, companyId], ['gleif', lei('Child'), ids.Child]);
      assert.match(id, /^[\w-]{24}$/);
      assert.deepEqual(
        lines.map((line) => line.companyNumber),
        [lei('Child'), lei('Child'), lei('Parent'), lei('Top')],
      );
      assert.equal(lines.filter(({ current }) => !current).length, 1);
    });

    test('DuckDB reads typed columns from Parquet, and CSV has one row per party', async () => {
      const { folder } = exported['parties-parquet'];
      const rows = await duck.all(
        `SELECT role, name, "from"::VARCHAR AS since, current, interests[1].type AS interest, absence.reason AS reason, source.row::INTEGER AS row,
          json_extract_string(sourceData, '$."Relationship.EndNode.NodeID"') AS cell, typeof("from") AS type, register
          FROM read_parquet('${folder}/parties/*/*.parquet', hive_partitioning = false) WHERE companyNumber IN ('${lei('Child')}', '${lei('Top')}') ORDER BY name NULLS LAST, row`,
      );
      const guide = readFileSync(new URL('../../docs/guides/exports.md', import.meta.url), 'utf8');
      const [, example = ''] = /```sql\n([^`]*parties\/\*[^`]*);\n```/.exec(guide) ?? [];
      assert.deepEqual(
        (await duck.all(example.replace("'parties/", `'${folder}/parties/`))).map(({ name }) => name),
        ['Parent', 'Top'],
      );
      const parent = { role: 'parent', current: true, reason: null, type: 'DATE', register: 'gleif' };
      const byRow = (a: { row: number }, b: { row: number }) => a.row - b.row;
      const linked = rows.filter(({ cell }) => cell !== null) as { row: number }[];
      assert.deepEqual(linked.sort(byRow), [
        { ...parent, name: 'Parent', since: '2015-03-01', interest: 'consolidation', row: 2, cell: lei('Parent') },
        {
          ...parent,
          name: null,
          since: '2010-01-01',
          interest: 'consolidation',
          row: 3,
          cell: lei('Former'),
          current: false,
        },
      ]);
      assert.deepEqual(
        rows.filter(({ cell }) => cell === null).map(({ reason }) => reason),
        ['persons'],
      );

      const { folder: csv, manifest } = exported['parties-csv'];
      const [header = [], ...cells] = parseCsv(readFileSync(join(csv, manifest.files[0]?.path ?? ''), 'utf8'));
      assert.deepEqual(
        header,
        manifest.schema.map(({ name }) => name),
      );
      assert.equal(cells.length, 3);
      const first = Object.fromEntries(
        header.map((name, at) => [name, cells.find((row) => row.includes('Parent'))?.[at]]),
      );
      assert.deepEqual(
        [first.companyId, first.interestTypes, first.shares, first.from, first.row, first.absenceReason],
        [ids.Child, 'consolidation', '', '2015-03-01', '2', ''],
      );
    });

    test('PARTIES is respected: persons only in the mode names, and nothing of a register that is off', async () => {
      await plantPerson(service.services.registryDb, lei('Child'));
      const namesIn = (result: ExportResult) => readLines(result).map((line) => JSON.parse(line).name);
      const folderOf = () => exported['parties-ndjson'].folder;
      const organisations = await exportAll(service, 'parties-ndjson', { parties: ORGANISATIONS });
      assert.equal(namesIn(organisations).includes('Anna Example'), false);
      const names = await exportAll(service, 'parties-ndjson', { folderOf });
      // Another mode is another export, also in the same folder.
      assert.equal(names.isNew, true);
      assert.ok(namesIn(names).includes('Anna Example'));
      assert.equal(names.manifest.rows, organisations.manifest.rows + 1);
      const off = await exportAll(service, 'parties-ndjson', { parties: OFF });
      assert.deepEqual([off.manifest.rows, off.manifest.files, off.manifest.registers], [0, [], []]);
    });
  });
}

interface Statement {
  readonly statementId: string;
  readonly recordId: string;
  readonly recordType: string;
  readonly recordStatus: string;
  readonly declarationSubject: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect.
  readonly recordDetails: any;
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect.
  readonly source: any;
}

const SCHEMAS = join(import.meta.dirname, 'bods-0.4');

/** The ids of the schemas are no valid URNs, so other ones take their place. */
function createValidator(): (statements: readonly Statement[]) => void {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  for (const name of readdirSync(SCHEMAS).filter((file) => file.endsWith('.json')))
    ajv.addSchema(JSON.parse(readFileSync(join(SCHEMAS, name), 'utf8').replaceAll('"urn:', '"https://bods/')));
  const validate = ajv.getSchema('https://bods/statement') ?? assert.fail('no schema');
  assert.equal(validate([{ statementId: 'short' }]), false, 'the validator accepts anything');
  return (statements) => {
    assert.ok(validate(statements), JSON.stringify(validate.errors, null, 1));
    const known = new Set<string>();
    for (const { statementId, recordId, recordType, recordDetails } of statements) {
      assert.match(statementId, /^[0-9a-f]{64}$/);
      if (recordType === 'relationship') {
        const { subject, interestedParty, interests } = recordDetails;
        for (const id of [subject, interestedParty])
          if (typeof id === 'string') assert.ok(known.has(id), `${id} comes after its relationship`);
        for (const { beneficialOwnershipOrControl, directOrIndirect, details } of interests) {
          assert.ok(directOrIndirect === 'unknown' || /, through influence/.test(details), details);
          const party = statements.find((other) => other.recordId === interestedParty);
          if (beneficialOwnershipOrControl) assert.equal(party?.recordType, 'person');
        }
      }
      known.add(recordId);
    }
    assert.equal(new Set(statements.map(({ statementId }) => statementId)).size, statements.length, 'ids are unique');
  };
}

const validate = createValidator();

test('an export of GLEIF as BODS is valid, with companies before their relationships, and ids that depend on the content', async () => {
  await using service = await startService('sqlite');
  await importGleif(service, {
    'lei2.csv': writeCompanies([['Child'], ['Parent', 'FR'], ['Top']]),
    'rr.csv': writeRelationships([
      { child: 'Child', parent: 'Parent', from: '2015-03-01' },
      { child: 'Child', parent: 'Top', type: 'IS_ULTIMATELY_CONSOLIDATED_BY' },
      { child: 'Child', parent: 'Former', status: 'INACTIVE', from: '2010-01-01', until: '2015-02-28' },
      { child: 'Child', parent: 'Parent', type: 'IS_FEEDER_TO' },
      { child: 'Parent', parent: 'Top' },
    ]),
    'repex.csv': writeExceptions([
      ['Top', 'NATURAL_PERSONS'],
      ['Top', 'NO_LEI', 'ULTIMATE'],
      ['Parent', 'NON_CONSOLIDATING'],
      ['Other', 'NON_PUBLIC'],
    ]),
  });
  const result = await exportAll(service, 'bods', { rowsPerFile: 1_000 });
  assert.deepEqual(
    result.manifest.files.map(({ path, rows }) => [path, rows]),
    [['parties/register=gleif/part-0000.ndjson.zst', 9]],
  );
  const statements = readLines(result).map((line) => JSON.parse(line) as Statement);
  validate(statements);
  const find = (id: string) => statements.find(({ recordId }) => recordId === id) ?? assert.fail(id);
  const { recordDetails, declarationSubject } = find(`gleif-${lei('Parent')}`);
  assert.deepEqual(recordDetails, {
    isComponent: false,
    entityType: { type: 'registeredEntity' },
    identifiers: [{ id: lei('Parent'), scheme: 'XI-LEI' }],
    name: 'Parent',
    jurisdiction: { name: 'France', code: 'FR' },
  });
  assert.equal(declarationSubject, `gleif-${lei('Parent')}`);
  assert.equal(find(`gleif-${lei('Former')}`).recordDetails.name, undefined);

  const relationships = statements.filter(({ recordType }) => recordType === 'relationship');
  const shown = relationships.map(({ recordStatus, recordDetails: { subject, interestedParty, interests } }) => [
    ...[recordStatus, subject.replace(/0+$/, '')],
    typeof interestedParty === 'string' ? interestedParty.replace(/0+$/, '') : interestedParty.reason,
    ...interests.map(({ type, startDate, endDate }: Record<string, string>) =>
      [type, startDate, endDate].join(' ').trim(),
    ),
  ]);
  const named = shown.filter((row) => String(row[2]).startsWith('gleif-')).map((row) => row.join(', '));
  assert.deepEqual(named.sort(), [
    'closed, gleif-CHILD, gleif-FORMER, otherInfluenceOrControl 2010-01-01 2015-02-28',
    'new, gleif-CHILD, gleif-PARENT, otherInfluenceOrControl 2015-03-01',
    'new, gleif-CHILD, gleif-TOP, otherInfluenceOrControl',
    'new, gleif-PARENT, gleif-TOP, otherInfluenceOrControl',
  ]);
  const reasons = shown.filter(([, , party]) => ['noBeneficialOwners', 'unknown'].includes(String(party)));
  assert.deepEqual(reasons.map((row) => row.join(' ')).sort(), [
    'new gleif-OTHER unknown',
    'new gleif-PARENT noBeneficialOwners',
  ]);
  const unknown = statements
    .filter(({ recordId }) => recordId.endsWith('-party'))
    .map(({ recordDetails: details }) => {
      return details.personType ?? details.entityType.type;
    });
  assert.deepEqual(unknown.sort(), ['unknownEntity', 'unknownPerson']);
  assert.match(relationships[0]?.source.description, /: rr\.csv row \d+, sha256:[0-9a-f]{64}$/);

  // The same data gives the same bytes, and a new name another id.
  assert.deepEqual((await exportAll(service, 'bods', { rowsPerFile: 1_000 })).manifest.files, result.manifest.files);
  await importGleif(service, { 'lei2.csv': writeCompanies([['Child'], ['Parent', 'IT'], ['Top']]) }, { mode: 'full' });
  const later = readLines(await exportAll(service, 'bods', { rowsPerFile: 1_000 })).map((line) => JSON.parse(line));
  validate(later);
  const idOf = (list: readonly Statement[], id: string) => list.find(({ recordId }) => recordId === id)?.statementId;
  assert.notEqual(idOf(later, `gleif-${lei('Parent')}`), idOf(statements, `gleif-${lei('Parent')}`));
  assert.equal(idOf(later, `gleif-${lei('Top')}`), idOf(statements, `gleif-${lei('Top')}`));
});

test('generated files of GLEIF give valid statements', async () => {
  await using service = await startService('sqlite');
  await importSynthetic(service, 'gleif', 300);
  const folder = mkdtempSync(join(service.database.dataDir, 'in-'));
  for (const file of Object.values(generateParties(gleif, 300, 1))) {
    const path = await writeSynthetic(folder, file);
    await importFiles(service.services.registryDb, service.clock, { register: gleif, registers, paths: [path] });
  }
  const result = await exportAll(service, 'bods', { rowsPerFile: 200 });
  assert.ok(result.manifest.files.length > 1);
  for (const file of result.manifest.files) {
    const lines = readLines({ ...result, manifest: { ...result.manifest, files: [file] } });
    assert.ok(lines.length > file.rows);
    validate(lines.map((line) => JSON.parse(line)));
  }
});

function state(parties: readonly BulkParty[]): Statement[] {
  const write = createStatements(registers);
  return parties.flatMap((one) => [...write(one)]).map((line) => JSON.parse(line));
}

test('persons, bands of shares and every role, interest and reason of the vocabulary give valid statements', () => {
  const share = { min: 25, max: 50 };
  const statements = state([
    inventParty({
      interests: [
        { type: 'shares', share, heldAs: null },
        { type: 'votes', share: { exact: 12.5 }, heldAs: null },
        { type: 'shares', share, heldAs: 'firm_member' },
        { type: 'shares', share, heldAs: 'trust_control' },
      ],
    }),
    inventParty({
      kind: 'organisation',
      name: 'Foreign Inc',
      number: '41-0406690',
      countryCode: 'US',
      role: 'shareholder',
    }),
    inventParty({ kind: 'person', name: null }),
    ...Object.keys(partyRoles).map((role) => inventParty({ role })),
    ...Object.keys(interestTypes).map((type) =>
      inventParty({ role: 'other', interests: [{ type, share: null, heldAs: null }] }),
    ),
    ...Object.keys(absenceReasons).map((reason) =>
      inventParty({ kind: 'unknown', name: null, absence: { reason, text: reason } }),
    ),
  ]);
  validate(statements);
  validate(state(inventParties()));
  const [company, person, relationship] = statements;
  assert.deepEqual(company?.recordDetails.identifiers, [{ id: '00000001', scheme: 'GB-COH' }]);
  assert.deepEqual(person?.recordDetails.names, [{ type: 'legal', fullName: 'Anna Example' }]);
  const [shares, votes, ofMember, ofTrust] = relationship?.recordDetails.interests ?? [];
  assert.deepEqual([shares.type, shares.share], ['shareholding', { exclusiveMinimum: 25, maximum: 50 }]);
  assert.deepEqual([votes.type, votes.share], ['votingRights', { exact: 12.5 }]);
  assert.deepEqual([shares.beneficialOwnershipOrControl, shares.details], [true, 'psc']);
  assert.deepEqual([ofMember.details, ofMember.directOrIndirect], ['psc, as a member of a firm', 'unknown']);
  assert.deepEqual(
    [ofTrust.details, ofTrust.directOrIndirect],
    ['psc, through influence over a trust or its trustees', 'indirect'],
  );
  const [, , , inc, holds] = statements;
  assert.deepEqual(
    [inc?.recordDetails.name, inc?.recordDetails.identifiers],
    ['Foreign Inc', [{ id: '41-0406690', schemeName: 'as published' }]],
  );
  assert.equal(holds?.recordDetails.interests[0].beneficialOwnershipOrControl, false);
  const bandOf = (register: string, given: object) =>
    state([inventParty({ register, interests: [{ type: 'shares', share: given, heldAs: null }] })])[2]?.recordDetails
      .interests[0].share;
  assert.deepEqual(bandOf('gb', { min: 50, max: 75 }), { exclusiveMinimum: 50, exclusiveMaximum: 75 });
  assert.deepEqual(bandOf('gb', { min: 75, max: 100 }), { minimum: 75, maximum: 100 });
  assert.deepEqual(bandOf('gb', { min: 25 }), { exclusiveMinimum: 25, maximum: 100 });
  assert.deepEqual(bandOf('md', { min: 25, max: 50 }), { minimum: 25, maximum: 50 });
  // An auditor holds nothing, so nothing is stated about it.
  assert.equal(state([inventParty({ role: 'auditor' })]).length, 0);
});
