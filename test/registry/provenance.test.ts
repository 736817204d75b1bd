import assert from 'node:assert/strict';
import { test } from 'node:test';
import { registers } from '../../src/registers/index.ts';
import { describeProvenance } from '../../src/registry/provenance.ts';

const register = registers.find(({ id }) => id === 'no') as (typeof registers)[0];
const file = { name: 'enheter.json.gz', hash: 'sha256:00', importedAt: Date.UTC(2026, 8, 1), synthetic: false };

test('provenance names register, publisher, file, hash, row, time, source and licence', () => {
  assert.deepEqual(describeProvenance(register, file, 42), {
    register: 'no',
    publisher: register.publisher,
    file: 'enheter.json.gz',
    hash: 'sha256:00',
    row: 42,
    importedAt: '2026-09-01T00:00:00.000Z',
    sourceUrl: register.sourceUrl,
    licence: register.licence,
    synthetic: false,
  });
});

test('the provenance of a synthetic record says that it is synthetic', () => {
  const { publisher, licence, synthetic } = describeProvenance(register, { ...file, synthetic: true }, 1);
  assert.match(publisher, /synthetic sample/i);
  assert.match(licence, /synthetic sample/i);
  assert.equal(synthetic, true);
});
