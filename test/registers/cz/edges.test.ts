import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TableSource } from '../../../src/registers/contract.ts';
import { cz } from '../../../src/registers/cz/register.ts';
import { mapRow } from '../../harness/mapping.ts';

const source = cz.sources[0] as TableSource<unknown>;
const districts = new Map([['code list', [{ KODCIS: '109', CHODNOTA: 'CZ0201', TEXT: 'Benešov' }]]]);
const SUBJECT = { ICO: '00000019', FIRMA: 'Drak s.r.o.' };

function map(fields: Readonly<Record<string, string>>, res_pf_nace: readonly Readonly<Record<string, string>>[] = []) {
  return mapRow(source, { ...SUBJECT, ...fields }, { codes: cz.readCodes(districts), rows: { res_pf_nace } }).record;
}

test('a register that declares an activity twice is listed once', () => {
  const row = { ICO: '00000019', KODCIS: '80004', HODN: '62010', ZDRUD: '1' };
  const { activities } = map({}, [row, row, { ...row, ZDRUD: '2' }]);
  assert.deepEqual(activities[0]?.national, { sources: ['1', '2'] });
});

test('the text of an address does not repeat a part of the city with the name of the city', () => {
  const address = { ULICE_TEXT: 'Dračí', CDOM: '5', PSC: '25601', OBEC_TEXT: 'Benešov', COBCE_TEXT: 'Benešov' };
  const { text, district } = map(address).registry.address ?? {};
  assert.deepEqual([text, district], ['Dračí 5, 25601 Benešov', 'Benešov']);
  assert.equal(map({ ...address, COBCE_TEXT: 'Úročnice' }).registry.address?.text, 'Dračí 5, Úročnice, 25601 Benešov');
});

test('a subject of which only the district is known has it as its address', () => {
  const { text, region, countryCode } = map({ OKRESLAU: 'CZ0201' }).registry.address ?? {};
  assert.deepEqual([text, region, countryCode], ['Benešov', 'Benešov', 'CZ']);
});
