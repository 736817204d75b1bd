import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  describeCandidate,
  parseMessage,
  readExtendQuery,
  readNamedQueries,
} from '../../src/api/reconciliation/messages.ts';
import { properties } from '../../src/api/reconciliation/properties.ts';
import { Failure } from '../../src/base/errors.ts';
import { readCountryCode } from '../../src/registry/country-names.ts';
import { runs } from '../harness/depth.ts';
import { makeSummary } from '../web/summaries.ts';

const accepts = (read: () => unknown) => {
  try {
    read();
    return true;
  } catch (error) {
    assert.ok(error instanceof Failure && error.code === 'invalid_request', String(error));
    return false;
  }
};

describe('messages of the reconciliation service', () => {
  test('batches that are valid, and batches without a valid query', () => {
    for (const [batch, isValid] of [
      [{ q1: { query: 'Acme' } }, true],
      [{ q1: { query: '' } }, true],
      [{ q1: { properties: [{ pid: 'uid', v: '27eb' }] } }, true],
      [{ q1: { query: 'Acme', type: ['company', 'x'], type_strict: 'all', limit: 2.5 } }, true],
      [{ q1: { query: 'Acme', properties: [{ pid: 'a', v: [1, true, 'x', { id: 'y' }] }] } }, true],
      [{}, true],
      [{ q1: { limit: 1 } }, false],
      [{ q1: { properties: [] } }, false],
      [{ q1: { query: 'Acme', props: [] } }, false],
      [{ q1: { query: 'Acme', properties: [{ pid: 'a' }] } }, false],
      [{ q1: { query: 'Acme', properties: [{ pid: 'a', v: { name: 'without id' } }] } }, false],
      [{ q1: { query: 'Acme', type_strict: 'maybe' } }, false],
      [{ q1: { query: 'Acme', limit: '5' } }, false],
    ] as const) {
      assert.equal(
        accepts(() => readNamedQueries(JSON.stringify(batch), undefined)),
        isValid,
        JSON.stringify(batch),
      );
    }
  });

  test('any JSON is read, or rejected with a public error; a valid query beside it is always read', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, key) => {
        const texts = [
          value,
          { [key]: value },
          { queries: value },
          { queries: [value] },
          { ids: value, properties: value },
        ];
        for (const each of texts) {
          accepts(() => readNamedQueries(JSON.stringify(each), 'GB'));
          accepts(() => readExtendQuery(parseMessage(JSON.stringify(each), 'extend')));
        }
        const asked = readNamedQueries(JSON.stringify({ [key]: value, 'the valid one': { query: 'Acme' } }), 'GB');
        const { listed } =
          asked.find(({ name }) => name === 'the valid one') ?? assert.fail('the valid query is missing');
        assert.deepEqual('query' in listed && [listed.query.name, listed.query.country], ['Acme', 'GB']);
      }),
      { numRuns: runs(300, 20_000) },
    );
  });

  test('any evidence with a name gives a query, and what cannot be used is never passed on', () => {
    const value = fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.record({ id: fc.string(), name: fc.string() }));
    const property = fc.record({
      pid: fc.oneof(fc.string(), fc.constantFrom(...properties.map(({ id }) => id))),
      v: value,
    });
    fc.assert(
      fc.property(fc.array(property, { maxLength: 8 }), fc.double(), (given, limit) => {
        const batch = { q: { query: 'Acme', properties: given, limit } };
        const text = JSON.stringify(batch, (_, each) =>
          typeof each === 'number' && !Number.isFinite(each) ? 1 : each,
        );
        const [asked] = readNamedQueries(text, undefined);
        assert.ok(asked !== undefined && 'query' in asked.listed);
        const { query } = asked.listed;
        assert.ok(query.limit !== undefined && query.limit >= 1 && query.limit <= 20);
        assert.match(query.country ?? 'GB', /^[A-Z]{2}$/);
        assert.match(query.registeredAt ?? '2019', /^\d{4}/);
      }),
      { numRuns: runs(300, 20_000) },
    );
  });

  test('countries by code, English name and own name', () => {
    for (const [text, code] of [
      ['gb', 'GB'],
      [' UK ', 'GB'],
      ['United Kingdom', 'GB'],
      ['england', 'GB'],
      ['Česko', 'CZ'],
      ['Deutschland', 'DE'],
      ['czechia', 'CZ'],
      ['XX', undefined],
      ['Atlantis', undefined],
      ['ZZ', undefined],
      ['EU', undefined],
      ['', undefined],
    ] as const) {
      assert.equal(readCountryCode(text), code, text);
    }
  });

  test('a candidate is described by what distinguishes companies of one name', () => {
    const entity = makeSummary({
      canonicalName: 'ACME',
      countryCode: 'CZ',
      status: 'in_liquidation',
      city: null,
      registrationNumber: '123',
    });
    const { description, score } = describeCandidate({ entity, score: 0.9876, match: false, reasons: [] });
    assert.deepEqual([description, score], ['Czechia · 123 · in liquidation', 98.8]);
  });
});
