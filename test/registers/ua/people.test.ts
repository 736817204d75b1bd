import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listParties } from '../../../src/registers/ua/people.ts';
import type { PartyOf } from '../../../src/registers/vocabulary.ts';

test('name, position, day and notes of a signer are separate, in any order', () => {
  const head = { role: 'director', roleLabel: 'керівник', kind: 'person', name: 'ЛИС ОЛЕНА ІВАНІВНА' };
  const signer = { role: 'representative', roleLabel: 'підписант', kind: 'person', name: 'ЛИС ОЛЕНА ІВАНІВНА' };
  const cases: readonly (readonly [string, unknown])[] = [
    ['ЛИС ОЛЕНА ІВАНІВНА - керівник', head],
    ['ЛИС ОЛЕНА ІВАНІВНА; 21.10.2013 - керівник', { ...head, from: '2013-10-21' }],
    ['ЛИС ОЛЕНА ІВАНІВНА, 21.10.2013 - керівник', { ...head, from: '2013-10-21' }],
    ['ЛИС ОЛЕНА ІВАНІВНА - керівник, 21.10.2013', { ...head, from: '2013-10-21' }],
    [
      'ЛИС ОЛЕНА ІВАНІВНА; 21.10.2013 (згідно статуту) - керівник',
      { ...head, from: '2013-10-21', details: 'згідно статуту' },
    ],
    [
      'ЛИС ОЛЕНА ІВАНІВНА (Повноваження: підписувати договори (крім кредитних);\nвідкривати рахунки) - підписант',
      { ...signer, details: 'Повноваження: підписувати договори (крім кредитних); відкривати рахунки' },
    ],
    [
      'ЛИС ОЛЕНА ІВАНІВНА - підписант (Повноваження: усі); 01.02.2020; 03.04.2021',
      { ...signer, from: '2020-02-01', details: '03.04.2021, Повноваження: усі' },
    ],
    ['ЛИС ОЛЕНА ІВАНІВНА; 31.02.2020 - керівник', { ...head, details: '31.02.2020' }],
    ['ЛИС-БОБЕР ОЛЕНА; 21.10.2013', { role: 'representative', name: 'ЛИС-БОБЕР ОЛЕНА', from: '2013-10-21' }],
    ['ЛИС ОЛЕНА (без дужки - керівник', { role: 'director', roleLabel: 'керівник', name: 'ЛИС ОЛЕНА (без дужки' }],
  ];
  const read = (item: string): readonly PartyOf[] => listParties({ SIGNERS: { SIGNER: [item] } });
  assert.deepEqual(
    cases.map(([item]) => [item, read(item)]),
    cases.map(([item, party]) => [item, [party]]),
  );
});

test('a signer of the complete layout is an object', () => {
  assert.deepEqual(listParties({ SIGNERS: { SIGNER: { NAME: 'ЛИС ОЛЕНА', ROLE: 'керівник' } } }), [
    { role: 'representative', name: 'ЛИС ОЛЕНА', details: { ROLE: 'керівник' } },
  ]);
});
