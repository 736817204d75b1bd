import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_PARTY_MODES } from '../../../src/core/party-modes.ts';
import type { TableSource } from '../../../src/registers/contract.ts';
import { ro } from '../../../src/registers/ro/register.ts';
import type { RegistryOf } from '../../../src/registers/vocabulary.ts';
import { mapRow, type Row } from '../../harness/mapping.ts';
import { importTexts, ORGANISATIONS } from '../../harness/register-files.ts';

const firms = ro.sources.find(({ name }) => name === 'OD_FIRME') as TableSource<unknown>;
const codes = ro.readCodes(new Map());
const row = { DENUMIRE: 'STUPUL S.R.L.', CUI: '14399840', COD_INMATRICULARE: 'J12/7/1999', FORMA_JURIDICA: 'SRL' };
const map = (changes: Row, rows: Record<string, readonly Row[]> = {}) =>
  mapRow(firms, { ...row, ...changes }, { codes, rows }).record;

test('the import says what records lack without each optional file', async () => {
  const { result } = await importTexts(ro, {
    'OD_FIRME.CSV': `${Object.keys(row).join('^')}\n${Object.values(row).join('^')}\n`,
    'OD_STARE_FIRMA.CSV': 'COD_INMATRICULARE^COD\nJ12/7/1999^1048\n',
  });
  const notices = result.warnings.filter((warning) => warning.startsWith('no "'));
  assert.deepEqual(notices, [
    'no "OD_CAEN_AUTORIZAT" file was given: companies have no activities',
    'no "OD_REPREZENTANTI_LEGALI" file was given: companies have no representatives',
    'no "OD_SUCURSALE_ALTE_STATE_MEMBRE" file was given: companies have no branches in other countries',
    'no "N_STARE_FIRMA" file was given: most status codes have no label, and companies with a rare code may get the status "unknown"',
    'no "N_CAEN" file was given: activities have codes, but no labels',
  ]);
});

test('codes have their labels without the list of statuses, and an insolvent parent does not make a company insolvent', () => {
  const read = (table: typeof codes, ...set: string[]) => {
    const rows = { OD_STARE_FIRMA: set.map((COD) => ({ COD })) };
    const { status, registry } = mapRow(firms, row, { codes: table, rows }).record;
    return [status, (registry as RegistryOf).status];
  };
  assert.deepEqual(read(codes, '1048', '1070'), ['insolvent', { code: '1070', label: 'faliment' }]);
  assert.deepEqual(read(codes, '1113', '1048'), ['in_liquidation', { code: '1113', label: 'dizolvare judiciară' }]);
  const list = [{ COD: '1037', DENUMIRE: 'deschiderea procedurii de insolvență a societății-mamă' }];
  const given = ro.readCodes(new Map([['N_STARE_FIRMA', list]]));
  assert.deepEqual(read(given, '1037', '1048'), ['active', { code: '1048', label: 'funcțiune' }]);
});

test('a status code of the list is official, even if its label is not understood', () => {
  const given = ro.readCodes(new Map([['N_STARE_FIRMA', [{ COD: '1099', DENUMIRE: 'altă mențiune' }]]]));
  const reportsOf = (COD: string) => mapRow(firms, row, { codes: given, rows: { OD_STARE_FIRMA: [{ COD }] } }).reports;
  assert.deepEqual(reportsOf('1099'), [['listedStatus', 'OD_STARE_FIRMA.COD', '1099']]);
  assert.deepEqual(reportsOf('4711'), [['status', 'OD_STARE_FIRMA.COD', '4711']]);
});

test('a personal number of thirteen digits is no tax number, and is withheld where persons are left out', async () => {
  const typesOf = (CUI: string) => map({ CUI }).registrations.map(({ type, number }) => [type, number]);
  for (const personal of ['1700101123456', '9700101123456', '0700101123456'])
    assert.deepEqual(typesOf(personal), [['national', 'J12/7/1999']], personal);
  assert.deepEqual(typesOf('14399840')[1], ['tax', '14399840']);
  const files = {
    'OD_FIRME.CSV': `${Object.keys(row).join('^')}\nALBINA PF^1700101123456^F12/7/1999^PF\n`,
    'OD_STARE_FIRMA.CSV': 'COD_INMATRICULARE^COD\nF12/7/1999^1048\n',
  };
  for (const [modes, stored] of [
    [DEFAULT_PARTY_MODES, '1700101123456'],
    [ORGANISATIONS, 'withheld: natural persons'],
  ] as const) {
    const { entities, result } = await importTexts(ro, files, modes);
    const [{ sourceData, ...shown } = {} as never] = entities;
    assert.equal(result.unreadable, 0);
    assert.equal(JSON.stringify(shown).includes('1700101123456'), false);
    assert.equal(sourceData.OD_FIRME.CUI, stored);
  }
});

test('an address abroad and a representative abroad have the code of their country', () => {
  const addressOf = (ADR_TARA: string) =>
    (map({ ADR_LOCALITATE: 'Y', ADR_TARA }).registry as RegistryOf).address?.countryCode;
  assert.deepEqual(['România', 'Germania', 'Marea Britanie', 'Acasă', ''].map(addressOf), [
    'RO',
    'DE',
    'GB',
    undefined,
    undefined,
  ]);
  const person = { PERSOANA_IMPUTERNICITA: 'ROSSI ANNA', CALITATE: 'administrator', TARA: 'Italia' };
  const [party] = (map({}, { OD_REPREZENTANTI_LEGALI: [person] }).registry as RegistryOf).parties ?? [];
  assert.deepEqual([party?.country, party?.countryCode], ['Italia', 'IT']);
});
