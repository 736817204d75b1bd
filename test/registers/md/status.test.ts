import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listDirectors } from '../../../src/registers/md/parties.ts';
import { CAEM_1, CAEM_2, LAYOUT_2017, map2026, mapRow, ROLES, UNLICENSED } from './fixture.ts';

describe('MD status', () => {
  it('is dissolved if there is a liquidation date, even an invalid one', () => {
    const record = map2026({ 'Data lichidării': '44927', [ROLES]: 'RUSU ANA [Lichidator]' });
    assert.equal(record.status, 'dissolved');
    assert.equal(record.registrations[0]?.endedAt, '2023-01-01');
    assert.equal(record.registry.endedAt, '2023-01-01');
    const unreadable = map2026({ 'Data lichidării': '?' });
    assert.deepEqual([unreadable.status, unreadable.registrations[0]?.endedAt], ['dissolved', null]);
    assert.equal(unreadable.reports.length, 1);
  });

  it('follows Statutul in the layout of 2017 and reports an unknown text', () => {
    const dissolved = mapRow({ ...LAYOUT_2017, Statutul: 'lichidată' });
    assert.deepEqual([dissolved.status, dissolved.registrations[0]?.status], ['dissolved', 'lichidată']);
    const unknown = mapRow({ ...LAYOUT_2017, Statutul: 'suspendată' });
    assert.deepEqual([unknown.status, unknown.reports], ['unknown', [['status', 'Statutul', 'suspendată']]]);
  });

  it('is inferred from the roles of the directors; statusInferredFrom names the role', () => {
    const byRole: Record<string, string> = {
      Administrator: 'active',
      'Direcţie de conducere': 'active',
      Comitet: 'active',
      Comisia: 'active',
      'Datele lipsesc': 'active',
      'Administrator fiduciar': 'active',
      'Administrator din oficiu': 'active',
      Lichidator: 'in_liquidation',
      'Administrator al procesului de insolvabilitate': 'insolvent',
      'Administrator al procedurii planului': 'insolvent',
      'Administrator provizoriu': 'insolvent',
    };
    for (const [role, status] of Object.entries(byRole)) {
      const record = map2026({ [ROLES]: `POPA ION [Administrator], RUSU ANA [${role}]` });
      assert.equal(record.status, status, role);
      assert.equal(record.registry.statusInferredFrom, status === 'active' ? undefined : role);
    }
    const roles = Object.keys(byRole).map((role) => listDirectors([{ name: 'RUSU ANA', role }])[0]?.role);
    assert.deepEqual(roles, [...Array(7).fill('director'), 'liquidator', ...Array(3).fill('insolvency_administrator')]);
    const both = 'POPA ION [Administrator al procesului de insolvabilitate], RUSU ANA [Lichidator]';
    assert.equal(map2026({ [ROLES]: both }).status, 'in_liquidation');
  });
});

describe('MD activities', () => {
  it('removes duplicates; the same code and label in another edition is another activity', () => {
    const { activities } = map2026({ 'Genuri de activitate nelicentiate': '55300, 55301, 55300, ' });
    const restaurant = { type: 'unlicensed', code: '553', label: 'Restaurante' };
    assert.deepEqual(activities, [
      { ...restaurant, ...CAEM_1, written: '55300' },
      { ...restaurant, ...CAEM_2, written: '55301' },
    ]);
  });

  it('keeps and reports an id that is not in any code sheet', () => {
    const { activities, reports } = map2026({
      'Genuri de activitate nelicentiate': '99999',
      'Genuri de activitate licentiate': '17, 500',
    });
    assert.deepEqual(activities, [
      { type: 'unlicensed', code: '99999', label: null, scheme: 'RSUD' },
      { type: 'licensed', code: '17', label: 'Activitatea de turism', scheme: 'RSUD' },
      { type: 'licensed', code: '500', label: null, scheme: 'RSUD' },
    ]);
    assert.deepEqual(reports, [
      ['activity', 'Genuri de activitate nelicentiate', '99999'],
      ['activity', 'Genuri de activitate licentiate', '500'],
    ]);
  });

  it('accepts a workbook without the licensed sheet: the id is the code, without a label', () => {
    const { activities, reports } = map2026(
      { 'Genuri de activitate licentiate': '17' },
      new Map([['unlicensed', UNLICENSED]]),
    );
    assert.deepEqual(activities[1], { type: 'licensed', code: '17', label: null, scheme: 'RSUD' });
    assert.deepEqual(reports, []);
  });
});
