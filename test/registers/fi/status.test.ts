import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Company, describe, map } from '../fi-company.ts';

test('the status follows from the codes of the trade register and of the business id', () => {
  const statusOf = (tradeRegisterStatus: string, status: string, endDate: string | null = null) =>
    map({ tradeRegisterStatus, status, endDate }).record.status;
  assert.equal(statusOf('0', '2'), 'active', 'not in the trade register, with a valid business id');
  assert.equal(statusOf('1', '2'), 'active');
  assert.equal(statusOf('2', '2'), 'inactive', 'removed from the trade register, with a valid business id');
  assert.equal(statusOf('3', '2'), 'active');
  assert.equal(statusOf('3', '1'), 'inactive', 'pending');
  assert.equal(statusOf('4', '2'), 'dissolved');
  assert.equal(statusOf('1', '2', '2024-02-29'), 'dissolved');
  assert.equal(statusOf('0', '5'), 'dissolved', 'the business id was invalidated');
  const { record, reports } = map({ tradeRegisterStatus: '9', status: '7' });
  assert.equal(record.status, 'unknown');
  assert.deepEqual([record.registrations[0]?.status, record.registrations[0]?.statusCode], [null, '9']);
  assert.deepEqual(reports, [
    ['status', 'status', '7'],
    ['status', 'tradeRegisterStatus', '9'],
  ]);
});

test('a current situation decides the status, by its code or its description', () => {
  const statusOf = (situation: Company) => map({ companySituations: [situation] }).record.status;
  assert.deepEqual(
    ['KONK', 'SANE', 'SELTILA'].map((type) => statusOf({ type })),
    ['insolvent', 'insolvent', 'in_liquidation'],
  );
  assert.equal(statusOf({ type: 'X', descriptions: describe('Konkurssi', 'Konkurs', 'Bankruptcy') }), 'insolvent');
  assert.equal(statusOf({ type: 'X', descriptions: describe('Yrityssaneeraus', 'Företagssanering', '') }), 'insolvent');
  assert.equal(statusOf({ type: 'X', descriptions: describe('Selvitystila', 'Likvidation', '') }), 'in_liquidation');
  assert.equal(statusOf({ type: 'KONK', endDate: '2020-01-01' }), 'active');
  const situation = { type: 'SELTILA', registrationDate: '2025-01-01' };
  assert.deepEqual(map({ companySituations: [situation] }).record.registry.situations, [
    { label: 'Selvitystila', code: 'SELTILA', from: '2025-01-01' },
  ]);
  const unknown = map({ companySituations: [{ type: '77', descriptions: [] }] });
  assert.deepEqual([unknown.record.status, unknown.reports], ['active', [['status', 'companySituations', '77']]]);
});
