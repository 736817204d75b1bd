import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, MappedRecord, TreeSource } from '../../../src/registers/contract.ts';
import { fr } from '../../../src/registers/fr/register.ts';

const api = fr.sources.find(({ kind }) => kind === 'tree') as TreeSource<unknown>;

test('a record of the API is mapped from the period without an end date', () => {
  const answer = {
    siren: '026280206',
    statutDiffusionUniteLegale: 'O',
    dateCreationUniteLegale: '1962-01-01',
    sigleUniteLegale: null,
    nombrePeriodesUniteLegale: 2,
    periodesUniteLegale: [
      { dateFin: '2007-12-31', denominationUniteLegale: 'ANCIEN', etatAdministratifUniteLegale: 'C' },
      {
        dateFin: null,
        dateDebut: '2008-01-01',
        denominationUniteLegale: 'NOUVEAU',
        etatAdministratifUniteLegale: 'A',
        categorieJuridiqueUniteLegale: '5710',
        nicSiegeUniteLegale: '00017',
      },
    ],
  };
  const record = api.map(answer, { codes: null, report: assert.fail, reportUnknown: assert.fail }) as MappedRecord;
  assert.deepEqual([record.canonicalName, record.status, record.registry.periods], ['NOUVEAU', 'active', 2]);
  assert.equal(record.registrations[1]?.number, '02628020600017');
});

test('a record of the API has its previous names, and the day on which it ended', () => {
  const period = (dateDebut: string | null, dateFin: string | null, name: string | null, state: string) => ({
    dateDebut,
    dateFin,
    denominationUniteLegale: name,
    etatAdministratifUniteLegale: state,
  });
  const mapPeriods = (...periodesUniteLegale: Json[]) => {
    const record = { siren: '026280206', periodesUniteLegale };
    return api.map(record, { codes: null, report: assert.fail, reportUnknown: assert.fail }) as MappedRecord;
  };
  const ended = mapPeriods(
    period('2019-03-02', null, 'ROSEAUX SAS', 'C'),
    period('2019-01-01', '2019-03-01', 'ROSEAUX SAS', 'C'),
    period('2008-01-01', '2018-12-31', 'ROSEAUX SAS', 'A'),
    period('2004-12-25', '2007-12-31', 'ETANG FRERES', 'A'),
    period('2002-01-01', '2004-12-24', 'ETANG FRERES', 'A'),
    period('2001-01-01', '2001-12-31', '[ND]', 'C'),
    period(null, '2000-12-31', 'ETANG PERE ET FILS', 'A'),
  );
  assert.deepEqual(
    [ended.canonicalName, ended.status, ended.registry.endedAt, ended.registrations[0]?.endedAt],
    ['ROSEAUX SAS', 'dissolved', '2019-01-01', '2019-01-01'],
  );
  assert.deepEqual(ended.registry.previousNames, [
    { name: 'ETANG FRERES', from: '2002-01-01', until: '2007-12-31' },
    { name: 'ETANG PERE ET FILS', until: '2000-12-31' },
  ]);
  const alive = mapPeriods(period('2008-01-01', null, 'A', 'A'), period('2000-01-01', '2007-12-31', 'A', 'C'));
  assert.deepEqual([alive.registry.endedAt, alive.registry.previousNames], [undefined, undefined]);
  assert.equal(alive.registrations[0]?.endedAt, null);
});
