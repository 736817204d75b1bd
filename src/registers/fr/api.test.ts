import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MappedRecord, TreeSource } from '../contract.ts';
import { fr } from './register.ts';

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
