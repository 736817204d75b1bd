import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { Json, MappedParty, Rejection, Source } from '../../../src/registers/contract.ts';
import { gleif } from '../../../src/registers/gleif/register.ts';
import { realSample } from '../../harness/real-samples.ts';
import { importTexts } from '../../harness/register-files.ts';

const CHILD = '001GPB6A9XPE8XJICC14';
const PARENT = '5493001Z012YSB2A0K51';

interface Mapped {
  readonly party: MappedParty | Rejection;
  readonly reports: readonly string[];
}

function mapWith(name: string, row: unknown): Mapped {
  const source = gleif.sources.find((each) => each.name === name) as Source<unknown>;
  const reports: string[] = [];
  const context = {
    codes: new Map(),
    report: (column: string, value: string, problem: string) => void reports.push(`${column} ${value}: ${problem}`),
    reportUnknown: (kind: string, column: string, value: string) => void reports.push(`${kind} ${column} ${value}`),
  };
  const map = source.parties?.map as (row: unknown, given: typeof context) => MappedParty | Rejection;
  return { party: map(row, context), reports };
}

const mapRelationship = (changes: Readonly<Record<string, string>> = {}) => {
  const cells: Readonly<Record<string, string>> = {
    'Relationship.StartNode.NodeID': CHILD,
    'Relationship.StartNode.NodeIDType': 'LEI',
    'Relationship.EndNode.NodeID': PARENT,
    'Relationship.EndNode.NodeIDType': 'LEI',
    'Relationship.RelationshipType': 'IS_DIRECTLY_CONSOLIDATED_BY',
    'Relationship.RelationshipStatus': 'ACTIVE',
    'Relationship.Period.1.startDate': '2020-01-01T00:00:00Z',
    'Relationship.Period.1.endDate': '2020-12-31T00:00:00Z',
    'Relationship.Period.1.periodType': 'ACCOUNTING_PERIOD',
    'Relationship.Period.2.startDate': '2012-11-29T00:00:00.000Z',
    'Relationship.Period.2.periodType': 'RELATIONSHIP_PERIOD',
    'Registration.RegistrationStatus': 'PUBLISHED',
    ...changes,
  };
  return mapWith('relationships (CSV)', (column: string) => cells[column] ?? '');
};
const mapException = (category: string, reason: string) => {
  const cells: Readonly<Record<string, string>> = {
    LEI: CHILD,
    'Exception.Category': category,
    'Exception.Reason.1': reason,
  };
  return mapWith('exceptions (CSV)', (column: string) => cells[column] ?? '');
};

const EXPECTED: MappedParty = {
  company: CHILD,
  key: `IS_DIRECTLY_CONSOLIDATED_BY/${PARENT}`,
  role: 'parent',
  roleText: 'IS_DIRECTLY_CONSOLIDATED_BY',
  kind: 'organisation',
  name: null,
  number: PARENT,
  link: { register: 'gleif', number: PARENT },
  countryCode: null,
  interests: [{ type: 'consolidation', share: null }],
  from: '2012-11-29',
  until: null,
  current: true,
  absence: null,
};

describe('relationships of GLEIF', () => {
  test('the CSV, the XML with and without prefix, and the JSON give the same party', () => {
    assert.deepEqual(mapRelationship(), { party: EXPECTED, reports: [] });
    const tree = (prefix: string, text: (value: string) => Json) => {
      const node = (id: string) => ({ [`${prefix}NodeID`]: text(id), [`${prefix}NodeIDType`]: text('LEI') });
      const period = (start: string, type: string) => ({
        [`${prefix}StartDate`]: text(start),
        [`${prefix}PeriodType`]: text(type),
      });
      return {
        [`${prefix}Relationship`]: {
          [`${prefix}StartNode`]: node(CHILD),
          [`${prefix}EndNode`]: node(PARENT),
          [`${prefix}RelationshipType`]: text('IS_DIRECTLY_CONSOLIDATED_BY'),
          [`${prefix}RelationshipStatus`]: text('ACTIVE'),
          [`${prefix}RelationshipPeriods`]: {
            [`${prefix}RelationshipPeriod`]: [
              period('2012-11-29T00:00:00.000Z', 'RELATIONSHIP_PERIOD'),
              period('2020-01-01T00:00:00Z', 'ACCOUNTING_PERIOD'),
            ],
          },
        },
        [`${prefix}Registration`]: { [`${prefix}RegistrationStatus`]: text('PUBLISHED') },
      };
    };
    const expected = { party: EXPECTED, reports: [] };
    assert.deepEqual(
      mapWith(
        'relationships (XML)',
        tree('rr:', (value) => value),
      ),
      expected,
    );
    assert.deepEqual(
      mapWith(
        'relationships (XML, no prefix)',
        tree('', (value) => value),
      ),
      expected,
    );
    const json = tree('', (value) => ({ $: value }));
    assert.deepEqual(mapWith('relationships (JSON, Relationship)', json), expected);
    assert.deepEqual(mapWith('relationships (JSON, RelationshipRecord)', { RelationshipRecord: json }), expected);
  });

  test('each type has its role, and only parents consolidate', () => {
    const roles = [
      ['IS_ULTIMATELY_CONSOLIDATED_BY', 'ultimate_parent', 1],
      ['IS_INTERNATIONAL_BRANCH_OF', 'head_office', 0],
      ['IS_FUND-MANAGED_BY', 'fund_manager', 0],
      ['IS_SUBFUND_OF', 'umbrella_fund', 0],
      ['IS_FEEDER_TO', 'master_fund', 0],
    ] as const;
    for (const [type, role, interests] of roles) {
      const { party } = mapRelationship({ 'Relationship.RelationshipType': type });
      assert.ok('role' in party);
      assert.deepEqual([party.role, party.roleText, party.interests.length], [role, type, interests]);
    }
    const unknown = mapRelationship({ 'Relationship.RelationshipType': 'IS_FRIEND_OF' });
    assert.ok('role' in unknown.party);
    assert.deepEqual([unknown.party.role, unknown.party.roleText], ['other', 'IS_FRIEND_OF']);
    assert.equal(unknown.reports.length, 1);
  });

  test('what has ended is not current, what was wrong is skipped, and what is unknown is reported', () => {
    const withStatus = (registration: string, status = 'ACTIVE') =>
      mapRelationship({ 'Registration.RegistrationStatus': registration, 'Relationship.RelationshipStatus': status });
    const isCurrent = ({ party }: Mapped) => 'current' in party && party.current;
    for (const status of ['PUBLISHED', 'LAPSED', 'PENDING_TRANSFER', 'PENDING_ARCHIVAL']) {
      assert.equal(isCurrent(withStatus(status)), true, status);
      assert.equal(isCurrent(withStatus(status, 'INACTIVE')), false, status);
      assert.equal(isCurrent(withStatus(status, 'NULL')), false, status);
    }
    assert.deepEqual(withStatus('RETIRED').reports, []);
    assert.equal(isCurrent(withStatus('RETIRED')), false);
    for (const status of ['ANNULLED', 'DUPLICATE', 'TRANSFERRED']) {
      assert.deepEqual(withStatus(status).party, { rejected: `a record that is ${status}`, expected: true });
    }
    assert.deepEqual(withStatus('NEW').reports, ['status Registration.RegistrationStatus NEW']);
  });

  test('a row without an LEI or a type is rejected, a wrong date is reported, and another kind of node is not linked', () => {
    assert.deepEqual(mapRelationship({ 'Relationship.EndNode.NodeID': ' ' }).party, { rejected: 'no LEI' });
    assert.deepEqual(mapRelationship({ 'Relationship.RelationshipType': '' }).party, {
      rejected: 'no type of relationship',
    });
    const wrong = mapRelationship({ 'Relationship.Period.2.endDate': 'soon' });
    assert.equal(wrong.reports.length, 1);
    const { party } = mapRelationship({ 'Relationship.EndNode.NodeIDType': 'ISIN' });
    assert.ok('link' in party);
    assert.deepEqual([party.link, party.number], [null, PARENT]);
  });
});

describe('reporting exceptions of GLEIF', () => {
  test('every reason has a meaning, and none names anybody', () => {
    const reasons = {
      NON_CONSOLIDATING: 'no_parent',
      NO_KNOWN_PERSON: 'no_parent',
      NATURAL_PERSONS: 'persons',
      NO_LEI: 'no_number',
      NON_PUBLIC: 'not_disclosed',
      BINDING_LEGAL_COMMITMENTS: 'not_disclosed',
      LEGAL_OBSTACLES: 'not_disclosed',
      DISCLOSURE_DETRIMENTAL: 'not_disclosed',
      DETRIMENT_NOT_EXCLUDED: 'not_disclosed',
      CONSENT_NOT_OBTAINED: 'not_disclosed',
    };
    for (const [text, reason] of Object.entries(reasons)) {
      const { party, reports } = mapException('DIRECT_ACCOUNTING_CONSOLIDATION_PARENT', text);
      assert.ok('absence' in party);
      assert.deepEqual([party.absence, party.name, party.number, party.role], [{ reason, text }, null, null, 'parent']);
      assert.equal(party.kind, reason === 'persons' ? 'person' : 'unknown');
      assert.deepEqual(reports, []);
    }
    const { party } = mapException('ULTIMATE_ACCOUNTING_CONSOLIDATION_PARENT', 'NO_LEI');
    assert.equal('role' in party && party.role, 'ultimate_parent');
    assert.equal(mapException('DIRECT_ACCOUNTING_CONSOLIDATION_PARENT', 'BECAUSE').reports.length, 1);
    assert.ok('rejected' in mapException('OTHER', 'NO_LEI').party);
  });

  test('the XML and the JSON give the same party as the CSV', () => {
    const expected = mapException('DIRECT_ACCOUNTING_CONSOLIDATION_PARENT', 'NO_LEI');
    const tree = (prefix: string, text: (value: string) => Json) => ({
      [`${prefix}LEI`]: text(CHILD),
      [`${prefix}ExceptionCategory`]: text('DIRECT_ACCOUNTING_CONSOLIDATION_PARENT'),
      [`${prefix}ExceptionReason`]: text('NO_LEI'),
    });
    assert.deepEqual(
      mapWith(
        'exceptions (XML)',
        tree('repex:', (value) => value),
      ),
      expected,
    );
    assert.deepEqual(
      mapWith(
        'exceptions (XML, no prefix)',
        tree('', (value) => value),
      ),
      expected,
    );
    assert.deepEqual(
      mapWith(
        'exceptions (JSON, LEI)',
        tree('', (value) => ({ $: value })),
      ),
      expected,
    );
  });
});

const relationships = realSample('gleif/rr-data.xml');
const exceptions = realSample('gleif/repex-data.xml');

if (relationships !== undefined && exceptions !== undefined) {
  test('the real samples are read completely and without a problem', async () => {
    const files = { 'rr.xml': readFileSync(relationships), 'repex.xml': readFileSync(exceptions) };
    const { result, entities } = await importTexts(gleif, files);
    assert.deepEqual([result.parties?.rows, result.parties?.added, entities.length], [20, 20, 0]);
    assert.deepEqual([result.problems, result.unknownColumns, result.unknownValues, result.skipped], [[], [], [], []]);
  });
}
