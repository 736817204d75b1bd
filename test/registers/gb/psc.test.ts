import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { serialize } from 'node:v8';
import type { MappedParty, Rejection } from '../../../src/registers/contract.ts';
import { pscSource } from '../../../src/registers/gb/psc.ts';
import { NATURES, readInterests, readStatement, STATEMENTS } from '../../../src/registers/gb/psc-codes.ts';
import { absenceReasons, type interestTypes } from '../../../src/registers/vocabulary-values.ts';
import { realSample } from '../../harness/real-samples.ts';
import { corporate, exemptions, person, protectedPerson, statement, totals, writeRecord } from './psc-records.ts';

type JsonRecord = ReturnType<typeof person>;

function map(record: JsonRecord) {
  const reports: string[] = [];
  const party = pscSource.parties?.map(record, {
    codes: null,
    report: (column, value, problem) => void reports.push(`${column} ${value}: ${problem}`),
    reportUnknown: (kind, column, value) => void reports.push(`${kind} ${column} ${value}`),
  }) as MappedParty | Rejection;
  return { party: party as MappedParty, rejected: 'rejected' in party ? party.rejected : null, reports };
}

const COMPANY = '07434180';

describe('persons', () => {
  test('have their name, natures of control and first day', () => {
    const { party, reports } = map(person(COMPANY, 'p1'));
    assert.deepEqual(reports, []);
    assert.deepEqual(party, {
      company: COMPANY,
      key: 'persons-with-significant-control/individual/p1',
      role: 'beneficial_owner',
      roleText: 'individual-person-with-significant-control',
      kind: 'person',
      name: 'Mr Ivor Quillfeather',
      number: null,
      link: null,
      countryCode: null,
      interests: [{ type: 'shares', share: { min: 75, max: 100 } }],
      from: '2016-04-06',
      until: null,
      current: true,
      absence: null,
    });
    assert.equal(map(person(COMPANY, 'p1', { name: '' })).party.name, 'Mr Ivor Quillfeather');
    assert.equal(map(person(COMPANY, 'p1', { name: '', name_elements: {} })).rejected, 'no name');
  });

  test('are recognized in the text of a record, and others are not', () => {
    const isPerson = (record: JsonRecord) => pscSource.parties?.isPerson?.(JSON.stringify(record));
    assert.equal(isPerson(person(COMPANY, 'p1')), true);
    assert.equal(isPerson(writeRecord(COMPANY, 'individual-beneficial-owner', 'x', { name: 'A' })), true);
    const tricky = { name: 'A "kind":"individual-person-with-significant-control", Limited' };
    for (const other of [corporate(COMPANY, 'c', {}, tricky), statement(COMPANY, 's', 'x', tricky), totals(1, 1, 1)])
      assert.equal(isPerson(other), false);
  });
});

test('dates that are impossible are reported and left out', () => {
  const read = (data: JsonRecord, company = COMPANY) => {
    const { party, reports } = map(corporate(company, 'c', {}, data));
    return [party.from, party.until, party.current, reports.length];
  };
  assert.deepEqual(read({ notified_on: '1083-01-01' }), [null, null, true, 1]);
  assert.deepEqual(read({ notified_on: '2016-04-05' }), [null, null, true, 1]);
  assert.deepEqual(read({ notified_on: '2005-11-21' }, 'OE029880'), ['2005-11-21', null, true, 0]);
  assert.deepEqual(read({ notified_on: '2019-02-30' }), [null, null, true, 1]);
  assert.deepEqual(read({ ceased_on: '9999-12-31' }), ['2017-05-01', null, false, 1]);
  assert.deepEqual(read({ ceased_on: '2017-04-30' }), ['2017-05-01', null, false, 1]);
  assert.deepEqual(read({ ceased_on: '2017-05-01' }), ['2017-05-01', '2017-05-01', false, 0]);
});

describe('companies', () => {
  const link = (registration_number: string, country_registered: string, place_registered = '', company = COMPANY) => {
    const { party } = map(corporate(company, 'c', { registration_number, country_registered, place_registered }));
    assert.deepEqual([party.role, party.kind], ['controller', 'organisation']);
    return party.link && `${party.link.register} ${party.link.number}`;
  };

  test('are linked by a number of the United Kingdom if the country is written as one of its names', () => {
    const countries =
      'United Kingdom|UK|U.K.|England & Wales|England And Wales|ENGLAND|Wales|Great Britain|United Kingdom (England And Wales)';
    for (const country of countries.split('|')) assert.equal(link('686734', country), 'gb 00686734', country);
    assert.equal(link(' 00686734 ', 'England'), 'gb 00686734');
    assert.equal(link('sc 123456', 'Scotland'), 'gb SC123456');
    assert.equal(link('OC301234', '', 'England'), 'gb OC301234');
    assert.equal(link('IP12345R', 'United Kingdom'), 'gb IP12345R');
  });

  test('are not linked if the number or its country is not certain', () => {
    for (const number of [
      'n/a',
      'NA',
      'None',
      '0',
      '00000000',
      '2006',
      '123456789',
      'XX123456',
      'SC12345',
      'LTD 686734',
    ])
      assert.equal(link(number, 'England'), null, number);
    for (const country of [
      '',
      'Companies House',
      'Guernsey',
      'Minnesota, Usa',
      'European Union',
      'British Virgin Islands',
    ])
      assert.equal(link('00686734', country), null, country);
    assert.equal(link('123456', 'Scotland'), null, 'digits of a Scottish number');
    assert.equal(link(COMPANY, 'England'), null, 'its own number');
  });

  test('are linked to other registers if it is a number of theirs, and keep other numbers as text', () => {
    assert.equal(link('923 609 016', 'Norway'), 'no 923609016');
    assert.equal(link('104547', 'Republic Of Ireland'), 'ie 104547');
    assert.equal(link('41-0406690', 'Minnesota, Usa'), null);
    const { party } = map(corporate(COMPANY, 'c', { registration_number: '41-0406690', country_registered: 'Usa' }));
    assert.deepEqual([party.number, party.countryCode, party.link], ['41-0406690', 'US', null]);
    const named = map(corporate(COMPANY, 'c', { registration_number: 'N/A', country_registered: 'Georgia' })).party;
    assert.deepEqual([named.number, named.countryCode], [null, null]);
    assert.equal(map(corporate(COMPANY, 'c', { country_registered: 'England & Wales' })).party.countryCode, 'GB');
  });
});

describe('statements, exemptions and protected persons', () => {
  const absence = (record: JsonRecord) => {
    const { party } = map(record);
    return [party.role, party.kind, party.name, party.absence?.reason, party.absence?.text, party.current];
  };

  test('are absences with the official code', () => {
    const code = 'no-individual-or-entity-with-signficant-control';
    assert.deepEqual(absence(statement(COMPANY, 's', code)), [
      ...['beneficial_owner', 'unknown', null, 'no_parent', code, true],
    ]);
    const ended = statement(COMPANY, 's', 'psc-exists-but-not-identified', { ceased_on: '2019-01-02' });
    assert.deepEqual(absence(ended).slice(3), ['not_identified', 'psc-exists-but-not-identified', false]);
    assert.equal(absence(statement(COMPANY, 's', 'psc-contacted-but-no-response'))[3], 'no_answer');
    assert.equal(absence(statement(COMPANY, 's', code.replace('signf', 'signif')))[3], 'no_parent');
  });

  test('statements about listed owners end no chain of owners', () => {
    assert.deepEqual(absence(statement('OE000001', 's', 'all-beneficial-owners-identified')).slice(0, 4), [
      ...['other', 'unknown', null, 'statement'],
    ]);
  });

  test('protected persons have neither name nor date', () => {
    const expected = ['beneficial_owner', 'person', null, 'protected', 'super-secure-persons-with-significant-control'];
    assert.deepEqual(absence(protectedPerson(COMPANY, 'x')), [...expected, true]);
    assert.deepEqual(absence(protectedPerson(COMPANY, 'x', true)), [...expected, false]);
  });

  test('exemptions have the type in force, and their first day', () => {
    const type = 'psc-exempt-as-trading-on-regulated-market';
    const other = { exemption_type: 'old', items: [{ exempt_from: '2016-04-06', exempt_to: '2017-01-01' }] };
    const inForce = { exemption_type: type, items: [{ exempt_from: '2017-01-01' }] };
    const { party } = map(exemptions(COMPANY, { a: other, b: inForce }));
    assert.deepEqual([party.absence, party.from, party.until], [{ reason: 'exempt', text: type }, '2017-01-01', null]);
    assert.equal(party.current, true);
    const ended = map(exemptions(COMPANY, { a: other })).party;
    assert.deepEqual([ended.absence?.text, ended.from, ended.until], ['old', '2016-04-06', '2017-01-01']);
    assert.equal(ended.current, false);
  });

  test('the totals and unknown kinds are not parties', () => {
    assert.equal(map(totals(1, 2, 3)).rejected, 'the totals of the file');
    assert.equal(map(writeRecord(COMPANY, 'cat', 'x', {})).rejected, 'unknown kind "cat"');
    assert.equal(map({ data: { kind: 'exemptions' } }).rejected, 'no company number');
    assert.equal(map({ company_number: COMPANY, data: { kind: 'exemptions' } }).rejected, 'no id');
  });
});

describe('the codes of Companies House', () => {
  /** What a code says by its own words, to compare with the table. */
  const TYPES: readonly (readonly [RegExp, keyof typeof interestTypes])[] = [
    [/^ownership-of-shares-/, 'shares'],
    [/^voting-rights-/, 'votes'],
    [/^right-to-appoint-and-remove-/, 'board'],
    [/^significant-influence-or-control/, 'influence'],
    [/^(part-)?right-to-share-surplus-assets-/, 'surplus_assets'],
    [/^registered-owner-as-nominee-/, 'nominee'],
  ];

  const WAYS: readonly (readonly [RegExp, string])[] = [
    [/-as-firm/, 'firm_member'],
    [/-as-control-over-firm/, 'firm_control'],
    [/-as-trust-registered-overseas-entity$/, 'trustee'],
    [/-as-trust(?!-registered)|-as-control-over-trust/, 'trust_control'],
    [/-nominee-another-entity/, 'other_entity'],
  ];

  test('all 86 natures of control have a type, how it is held, and the share that the code names', () => {
    assert.equal(NATURES.size, 86);
    // Of a text with two bytes per character, the parts and the rows that contain them have two as well.
    const codes = [...NATURES.keys(), ...STATEMENTS.keys()];
    for (const code of codes) assert.ok(serialize(code).length < 1.5 * code.length, code);
    for (const [code, { type, share, heldAs = '' }] of NATURES) {
      assert.deepEqual(
        WAYS.filter(([pattern]) => pattern.test(code)).map(([, name]) => name),
        heldAs === '' ? [] : [heldAs],
        code,
      );
      assert.deepEqual(
        TYPES.filter(([pattern]) => pattern.test(code)).map(([, name]) => name),
        [type],
        code,
      );
      const [, min, max = 100] = /-(\d+)-to-(\d+)-percent|-more-than-(\d+)/.exec(code)?.filter(Boolean) ?? [];
      assert.deepEqual(share, min === undefined ? null : { min: Number(min), max: Number(max) }, code);
    }
  });

  test('all 30 statements have a reason', () => {
    assert.equal(STATEMENTS.size, 30);
    for (const [code, reason] of STATEMENTS) {
      assert.ok(reason in absenceReasons, code);
      const isMissing = /unidentified|not-provided|no-beneficial|psc|signficant|super-secure/.test(code);
      assert.equal(reason !== 'statement', isMissing, code);
    }
  });

  test('a code that is not in the tables is reported', () => {
    const reports: string[] = [];
    const context = { report: (column: string, value: string) => void reports.push(`${column} ${value}`) };
    assert.deepEqual(readInterests(['voting-rights-by-telepathy'], context), [{ type: 'other', share: null }]);
    assert.deepEqual(readStatement('no-comment', context), { reason: 'statement', text: 'no-comment' });
    assert.deepEqual(reports, ['natures_of_control voting-rights-by-telepathy', 'statement no-comment']);
  });

  test('the tables name their origin and licence', () => {
    for (const name of ['psc-natures.tsv', 'psc-statements.tsv']) {
      const text = readFileSync(new URL(`../../../src/registers/gb/${name}`, import.meta.url), 'utf8');
      assert.match(text, /^# Companies House, api-enumerations.*Open Government Licence v3\.0/);
    }
  });
});

const sample = realSample('gb/psc_snapshot_sample.txt');
if (sample !== undefined) {
  test('every record of the real sample is mapped without a report', () => {
    const lines = readFileSync(sample, 'utf8').trimEnd().split('\n');
    const mapped = lines.map((line) => map(JSON.parse(line)));
    assert.deepEqual(
      mapped.flatMap(({ reports }) => reports),
      [],
    );
    assert.deepEqual(
      mapped.flatMap(({ rejected }) => rejected ?? []),
      ['the totals of the file'],
    );
    const linked = mapped.flatMap(({ party }) => party.link?.number ?? []);
    assert.deepEqual(linked, ['00686734', '03530981']);
  });
}
