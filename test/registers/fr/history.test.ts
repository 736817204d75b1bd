import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fr } from '../../../src/registers/fr/register.ts';
import { importTexts } from '../../harness/register-files.ts';

test('historic files are refused by name', async () => {
  const historicUnits =
    'siren,dateFin,dateDebut,etatAdministratifUniteLegale,changementEtatAdministratifUniteLegale,nomUniteLegale,denominationUniteLegale,categorieJuridiqueUniteLegale,nicSiegeUniteLegale\n' +
    '000000018,,2008-01-01,A,false,,HIBOU,5710,00010\n';
  const historicSeats =
    'siren,nic,siret,dateFin,dateDebut,etatAdministratifEtablissement,changementEtatAdministratifEtablissement,enseigne1Etablissement\n' +
    '000000018,00010,00000001800010,,2008-01-01,A,false,\n';
  await assert.rejects(
    importTexts(fr, { 'StockUniteLegaleHistorique_utf8.csv': historicUnits }),
    /StockUniteLegaleHistorique_utf8\.csv: this is the history of all changes.*Import the current state, StockUniteLegale_utf8\.zip/,
  );
  await assert.rejects(
    importTexts(fr, { 'StockEtablissementHistorique_utf8.csv': historicSeats }),
    /StockEtablissementHistorique_utf8\.csv: this is the history of all changes.*Import the current state, StockEtablissement_utf8\.zip/,
  );
});
