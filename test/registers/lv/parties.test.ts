/** Officers, members, stockholders and beneficial owners of Latvia. All persons are invented. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { lv } from '../../../src/registers/lv/register.ts';
import { realSample } from '../../harness/real-samples.ts';
import { importPartyTexts } from '../party-files.ts';

const OFFICERS = `id;uri;at_legal_entity_registration_number;entity_type;position;governing_body;name;latvian_identity_number_masked;birth_date;legal_entity_registration_number;rights_of_representation_type;representation_with_at_least;registered_on;last_modified_at
1;"";40000000001;NATURAL_PERSON;CHAIR_OF_BOARD;EXECUTIVE_BOARD;Paraugs Jānis;010180-*****;"";"";INDIVIDUALLY;"";2019-01-02;2019-01-02 08:00:00
2;"";40000000001;NATURAL_PERSON;PROCTOR;"";Paraudziņa Anna;"";1975-01;"";WITH_ALL;"";2020-01-02;2020-01-02 08:00:00
3;"";40000000001;LEGAL_ENTITY;LIQUIDATOR;"";"SIA ""Paraugs""";"";"";40000000002;INDIVIDUALLY;"";2021-01-02;2021-01-02 08:00:00
4;"";40000000002;FOREIGN_ENTITY;MEMBER_OF_PARTNERSHIP;"";Näidis OÜ;"";"";"";"";"";2021-01-02;2021-01-02 08:00:00
`;
const MEMBERS = `id;at_legal_entity_registration_number;entity_type;name;latvian_identity_number_masked;birth_date;legal_entity_registration_number;number_of_shares;share_nominal_value;share_currency;date_from;registered_on;last_modified_at
11;40000000001;LEGAL_ENTITY;"SIA ""Paraugs""";"";"";40000000002;100;28;EUR;2018-05-04;2019-01-02;2019-01-02 08:00:00
12;40000000001;JOINT_OWNERS;"";"";"";"";50;28;EUR;"";2019-01-03;2019-01-03 08:00:00
13;40000000001;NATURAL_PERSON;Paraugs Jānis;010180-*****;"";"";50;28;EUR;"";2019-01-03;2019-01-03 08:00:00
`;
const STOCKHOLDERS = `id;at_legal_entity_registration_number;entity_type;name;latvian_identity_number_masked;birth_date;legal_entity_registration_number;number_of_shares;votes;stock_type;depository_registration_number;depository_name;date_from;registered_on;last_modified_at
21;40000000001;LEGAL_ENTITY;"AS ""Paraugs""";"";"";40000000003;10;10;REGISTERED;"";"";"";2019-01-02;2019-01-02 08:00:00
`;
const OWNERS = `id;legal_entity_registration_number;forename;surname;latvian_identity_number_masked;birth_date;nationality;residence;registered_on;last_modified_at
31;40000000001;Jānis;Paraugs;010180-*****;"";LV;LV;2019-05-02;2019-05-02 08:41:39
32;40000000001;Līva;Paraudziņa;"";1975-01;"IL;RU";CH;2017-12-04;2017-12-04 14:16:43
`;

describe('parties of Latvia', () => {
  test('a first line sep=; is skipped, organisations are linked by number, and persons are left out', async () => {
    const files = {
      'officers.csv': `sep=;\n${OFFICERS}`,
      'members.csv': `\uFEFF${MEMBERS}`,
      'stockholders.csv': STOCKHOLDERS,
    };
    const { result, parties } = await importPartyTexts(lv, files, 'organisations');
    assert.deepEqual(
      [result.problems, result.unknownColumns, result.skipped],
      [[], [], [{ reason: 'a person', rows: 3 }]],
    );
    const found = parties.map(({ set, company, role, partyRegister, partyNumber, from, content }) => [
      ...[set, company, role, content.roleText, content.kind, content.name, content.countryCode],
      ...[partyRegister, partyNumber, from],
    ]);
    const linked = ['lv', '40000000002'];
    assert.deepEqual(found, [
      ...[
        [
          'officers',
          '40000000001',
          'liquidator',
          'LIQUIDATOR',
          'organisation',
          'SIA "Paraugs"',
          'LV',
          ...linked,
          '2021-01-02',
        ],
        [
          'officers',
          '40000000002',
          'partner',
          'MEMBER_OF_PARTNERSHIP',
          'organisation',
          'Näidis OÜ',
          null,
          null,
          null,
          '2021-01-02',
        ],
      ],
      ...[
        [
          'members',
          '40000000001',
          'shareholder',
          'MEMBER',
          'organisation',
          'SIA "Paraugs"',
          'LV',
          ...linked,
          '2018-05-04',
        ],
        ['members', '40000000001', 'shareholder', 'MEMBER', 'unknown', null, null, null, null, '2019-01-03'],
      ],
      [
        'stockholders',
        '40000000001',
        'shareholder',
        'REGISTERED',
        'organisation',
        'AS "Paraugs"',
        'LV',
        'lv',
        '40000000003',
        '2019-01-02',
      ],
    ]);
    assert.doesNotMatch(JSON.stringify(parties), /Jānis|Anna|010180|1975/);
  });

  test('no percentage is computed: the file may lack members, and it has no capital', async () => {
    const { parties } = await importPartyTexts(lv, { 'members.csv': MEMBERS }, 'organisations');
    assert.deepEqual(parties[0]?.content.interests, [{ type: 'shares', share: null }]);
    assert.equal(parties[0]?.sourceData.number_of_shares, '100');
  });

  const JOINT = `id;member_id;entity_type;name;latvian_identity_number_masked;birth_date;legal_entity_registration_number
1;12;NATURAL_PERSON;Paraugs Jānis;010180-*****;"";""
2;12;LEGAL_ENTITY;"SIA ""Paraugs""";"";"";40000000002
3;12;NATURAL_PERSON;Paraugs Jānis;020280-*****;"";""
`;

  test('joint owners are shareholders of the company of the joint share, each with the row of the file that names them', async () => {
    const files = { 'members_joint_owners.csv': JOINT, 'members.csv': MEMBERS };
    const { result, parties } = await importPartyTexts(lv, files, 'names');
    assert.deepEqual([result.problems, result.unknownColumns], [[], []]);
    const joint = parties.filter(({ content }) => content.roleText === 'JOINT_OWNERS');
    assert.deepEqual(
      joint.map(({ set, company, role, from, place, content }) => [set, company, role, from, place, content.name]),
      [
        ['members', '40000000001', 'shareholder', '2019-01-03', 2, 'Paraugs Jānis'],
        ['members', '40000000001', 'shareholder', '2019-01-03', 3, 'SIA "Paraugs"'],
        ['members', '40000000001', 'shareholder', '2019-01-03', 4, 'Paraugs Jānis'],
      ],
    );
    assert.deepEqual([joint[1]?.partyRegister, joint[1]?.partyNumber], ['lv', '40000000002']);
    assert.deepEqual(joint[1]?.content.interests, [{ type: 'shares', share: null }]);
    assert.equal(joint[0]?.sourceData.latvian_identity_number_masked, '010180-*****');
    const organisations = await importPartyTexts(lv, files, 'organisations');
    assert.deepEqual(
      organisations.parties.map(({ content }) => [content.roleText, content.name]),
      [
        ['JOINT_OWNERS', 'SIA "Paraugs"'],
        ['MEMBER', 'SIA "Paraugs"'],
        ['MEMBER', null],
      ],
    );
    assert.doesNotMatch(JSON.stringify(organisations.parties), /Jānis|010180|020280/);
  });

  test('joint owners are looked up in the file that theirs is named after, and rejected without it', async () => {
    for (const [file, advice] of [
      ['stockholders_joint_owners.csv', /^stockholders\.csv has no joint share with this member_id: import both files/],
      ['members_joint_owners.csv', /^members\.csv has no joint share with this member_id/],
    ] as const) {
      const others = file.startsWith('members') ? { 'officers.csv': OFFICERS } : { 'members.csv': MEMBERS };
      const { result, parties } = await importPartyTexts(lv, { [file]: JOINT, ...others }, 'names');
      assert.equal(result.counts.rejected, 3);
      assert.match(result.problems[0]?.problem ?? '', advice);
      assert.ok(parties.every(({ content }) => content.roleText !== 'JOINT_OWNERS'));
    }
  });

  test('with names, persons are stored as published', async () => {
    const { parties } = await importPartyTexts(lv, { 'officers.csv': OFFICERS }, 'names');
    assert.deepEqual(
      parties.map(({ role, content }) => [role, content.kind, content.name]),
      [
        ['director', 'person', 'Paraugs Jānis'],
        ['representative', 'person', 'Paraudziņa Anna'],
        ['liquidator', 'organisation', 'SIA "Paraugs"'],
        ['partner', 'organisation', 'Näidis OÜ'],
      ],
    );
    const [first, second] = parties;
    assert.equal(first?.sourceData.latvian_identity_number_masked, '010180-*****');
    assert.match(String(second?.sourceData.birth_date), /^1975-01/);
    assert.equal(first?.sourceData.rights_of_representation_type, 'INDIVIDUALLY');
  });

  test('unknown positions and kinds are reported and kept', async () => {
    const text = OFFICERS.replace('LEGAL_ENTITY;LIQUIDATOR', 'FUND;CAPTAIN');
    const { result, parties } = await importPartyTexts(lv, { 'officers.csv': text }, 'names');
    assert.deepEqual(result.problems.map(({ column, value }) => [column, value]).sort(), [
      ['entity_type', 'FUND'],
      ['position', 'CAPTAIN'],
    ]);
    const unknown = parties.find(({ content }) => content.roleText === 'CAPTAIN');
    assert.deepEqual([unknown?.role, unknown?.content.kind, unknown?.partyNumber], ['other', 'unknown', null]);
  });

  test('beneficial owners are persons, so their files are left out with them', async () => {
    const source = lv.sources.find(({ name }) => name === 'beneficial_owners');
    assert.equal(source?.parties?.onlyPersons, true);
    assert.ok(lv.sources.filter(({ parties }) => parties?.onlyPersons).length === 1);
    const { parties } = await importPartyTexts(lv, { 'beneficial_owners.csv': `sep=;\n${OWNERS}` }, 'names');
    assert.deepEqual(
      parties.map(({ company, role, from, content }) => [company, role, content.name, content.countryCode, from]),
      [
        ['40000000001', 'beneficial_owner', 'Jānis Paraugs', 'LV', '2019-05-02'],
        ['40000000001', 'beneficial_owner', 'Līva Paraudziņa', 'CH', '2017-12-04'],
      ],
    );
    assert.equal(parties[1]?.sourceData.nationality, 'IL;RU');
  });
});

const sample = realSample('lv/beneficial_owners.csv');
if (sample !== undefined) {
  test('every cell of the real sample is kept', async () => {
    const text = readFileSync(sample, 'utf8');
    const { result, parties } = await importPartyTexts(lv, { 'beneficial_owners.csv': text }, 'names');
    assert.deepEqual([result.problems, result.unknownColumns, result.skipped], [[], [], []]);
    const [header = '', ...lines] = text.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('sep='));
    const columns = header.split(';');
    const rows = lines.map((line) => line.match(/"(?:[^"]|"")*"|[^;]+|(?<=;|^)(?=;|$)/g) ?? []);
    const stored = new Map(parties.map(({ sourceData }) => [sourceData.id, sourceData]));
    for (const cells of rows) {
      const row = Object.fromEntries(
        columns.map((column, at) => [column, (cells[at] ?? '').replace(/^"(.*)"$/, '$1')]),
      );
      for (const [column, value] of Object.entries(stored.get(row.id) ?? {}))
        assert.equal(value, row[column], `${row.id} ${column}`);
    }
    assert.deepEqual([parties.length, rows.length], [118, 118]);
  });
}
