import assert from 'node:assert/strict';
import { test } from 'node:test';
import { br } from '../../../src/registers/br/register.ts';
import { CODES, company, csv, establishment } from '../../harness/br-files.ts';
import { importTexts } from '../../harness/register-files.ts';

test('a special situation of a company that has not ended shows that it is insolvent or in liquidation', async () => {
  const situations = {
    'RECUPERACAO JUDICIAL': 'insolvent',
    FALIDO: 'insolvent',
    'LIQUIDACAO EXTRAJUDICIAL': 'in_liquidation',
    ESPOLIO: 'active',
  };
  const rows = Object.keys(situations).map((text, index) =>
    establishment(`1000000${index}`, '0001', { 28: text, 29: '20191104' }),
  );
  const { entities } = await importTexts(br, {
    Empresas0: csv(...rows.map(([root = '']) => company(root)), company('10000008'), company('10000009')),
    Estabelecimentos0: csv(
      ...rows,
      establishment('10000008', '0001', { 5: '04', 28: 'FALIDO' }),
      establishment('10000009', '0001', { 5: '08', 28: 'FALIDO' }),
    ),
  });
  const statuses = entities.map(({ status, registry }) => [registry.specialSituation.text, status]);
  assert.deepEqual(statuses, [...Object.entries(situations), ['FALIDO', 'insolvent'], ['FALIDO', 'dissolved']]);
  const [first] = entities;
  assert.deepEqual(
    [first?.registry.statusInferredFrom, first?.registry.specialSituation.since],
    ['situacao_especial', '2019-11-04'],
  );
});

test('addresses abroad, padded cells, repeated street types and missing numbers', async () => {
  const addresses = [
    { 13: 'RUA', 14: 'RUA RONDON', 16: 'QUADRA13                LOTE  06' },
    { 15: '000000', 16: '', 18: '00000000', 20: '' },
    {
      9: '249',
      8: 'DOVER',
      13: '',
      14: '8 THE GREEN',
      15: 'S/N',
      16: '19901',
      17: 'DOVER',
      18: '',
      19: 'EX',
      20: '9707',
    },
  ];
  const { entities } = await importTexts(br, {
    ...CODES,
    Paises: csv(['249', 'ESTADOS UNIDOS']),
    Empresas0: csv(...addresses.map((_, index) => company(`1000000${index}`))),
    Estabelecimentos0: csv(...addresses.map((more, index) => establishment(`1000000${index}`, '0001', more))),
  });
  const [, , abroad] = entities;
  assert.deepEqual(
    entities.map(({ registry }) => registry.address.text),
    [
      'RUA RONDON, 601, QUADRA13 LOTE 06, ASA NORTE, BRASILIA - DF, 70836-900',
      'AVENIDA L2 SGAN, ASA NORTE, DF',
      '8 THE GREEN, 19901, DOVER, ESTADOS UNIDOS',
    ],
  );
  assert.equal(entities[1]?.registry.address.postCode, undefined, 'a post code of zeros is none');
  const { city, country, countryCode, region } = abroad?.registry.address ?? {};
  assert.deepEqual([city, country, countryCode, region], ['DOVER', 'ESTADOS UNIDOS', 'US', undefined]);
});

test('phones of zeros are left out', async () => {
  const { entities } = await importTexts(br, {
    Empresas0: csv(company('10000001')),
    Estabelecimentos0: csv(establishment('10000001', '0001', { 22: '0', 23: '0', 24: '34542378', 25: '0', 26: '0' })),
  });
  assert.deepEqual(entities[0]?.registry.contacts, { phones: ['34542378'], emails: ['a@b.example'] });
});

test('partners of every kind; codes that the published tables lack; an activity that was not stated', async () => {
  const partner = (kind: string, name: string, number: string, role: string) => [
    '10000001',
    kind,
    name,
    number,
    role,
    '20040712',
    '249',
    '***000000**',
    '',
    '00',
    '0',
  ];
  const { result, entities } = await importTexts(br, {
    ...CODES,
    Empresas0: csv(company('10000001').map((cell, index) => (index === 3 ? '36' : cell))),
    Estabelecimentos0: csv(establishment('10000001', '0001', { 7: '32', 11: '8888888', 12: '' })),
    Socios0: csv(
      partner('3', 'RIANE S.A.', '', '37'),
      partner('2', '', '***220050**', '13'),
      partner('2', 'RUI', '', '99'),
      partner('2', '', '', '22'),
    ),
  });
  const [{ registry, activities } = {} as never] = entities;
  const parties = registry.parties as Record<string, unknown>[];
  assert.deepEqual(
    parties.map(({ role, name, kind, foreign, roleLabel }) => [role, name, kind, foreign, roleLabel]),
    [
      ['partner', 'RIANE S.A.', 'organisation', true, '37'],
      ['liquidator', '***220050**', 'person', undefined, '13'],
      ['other', 'RUI', 'person', undefined, '99'],
    ],
  );
  assert.equal(registry.responsibleQualification.label, 'Gerente-Delegado');
  assert.equal(registry.status.reason, 'DECURSO DE PRAZO DE INTERRUPCAO TEMPORARIA');
  assert.deepEqual([activities, registry.activities, result.unreadable], [[], undefined, 0]);
});
