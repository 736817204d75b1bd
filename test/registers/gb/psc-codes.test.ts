import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { serialize } from 'node:v8';
import { NATURES, PSC_PARTIES, STATEMENTS } from '../../../src/registers/gb/psc.ts';
import { absenceReasons, type interestTypes } from '../../../src/registers/vocabulary.ts';
import { corporate, person, statement, totals, writeRecord } from './psc-records.ts';

const COMPANY = '07434180';

test('persons are recognized in the text of a record, and others are not', () => {
  const isPerson = (record: ReturnType<typeof person>) => PSC_PARTIES.isPerson?.(JSON.stringify(record));
  assert.equal(isPerson(person(COMPANY, 'p1')), true);
  assert.equal(isPerson(writeRecord(COMPANY, 'individual-beneficial-owner', 'x', { name: 'A' })), true);
  const tricky = { name: 'A "kind":"individual-person-with-significant-control", Limited' };
  for (const other of [corporate(COMPANY, 'c', {}, tricky), statement(COMPANY, 's', 'x', tricky), totals(1, 1, 1)])
    assert.equal(isPerson(other), false);
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

  test('the tables name their origin and licence', () => {
    for (const name of ['psc-natures.tsv', 'psc-statements.tsv']) {
      const text = readFileSync(new URL(`../../../src/registers/gb/${name}`, import.meta.url), 'utf8');
      assert.match(text, /^# Companies House, api-enumerations.*Open Government Licence v3\.0/);
    }
  });
});
