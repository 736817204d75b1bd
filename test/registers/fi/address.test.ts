import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AddressOf, TypedAddressOf } from '../../../src/registers/vocabulary.ts';
import { COMPANY, type Company, map } from '../fi-company.ts';

test('the visiting address comes first; a company without one has its postal address there', () => {
  const [visiting] = COMPANY.addresses as Company[];
  const postal = {
    ...visiting,
    type: 2,
    street: '',
    buildingNumber: '',
    apartmentNumber: '',
    apartmentIdSuffix: '',
    postOfficeBox: '12',
    co: 'c/o Tilitoimisto',
  };
  const both = map({ addresses: [postal, visiting as Company] }).record.registry;
  assert.equal((both.address as AddressOf).text, 'Valimotie 17-19 4b, 00380 HELSINKI');
  const [other] = both.addresses as TypedAddressOf[];
  assert.deepEqual([other?.type, other?.text], ['postal', 'c/o Tilitoimisto, PL 12, 00380 HELSINKI']);
  const { address, addresses } = map({ addresses: [postal] }).record.registry;
  assert.deepEqual([(address as TypedAddressOf).type, addresses], ['postal', undefined]);
  const abroad = { ...visiting, postCode: '11122', country: 'SE', postOffices: [{ city: 'STOCKHOLM' }] };
  const foreign = map({ addresses: [abroad] }).record.registry.address as AddressOf;
  assert.deepEqual([foreign.countryCode, foreign.text], ['SE', 'Valimotie 17-19 4b, 11122 STOCKHOLM, SE']);
});
