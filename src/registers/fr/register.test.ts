import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listSyntheticRows, mapRow, parseTable, type Row, toCell } from '../../../test/harness/mapping.ts';
import type { MappedRecord, TableSource, TreeSource } from '../contract.ts';
import { ESTABLISHMENT_COLUMNS, UNIT_COLUMNS } from './columns.ts';
import { isLuhn } from './map.ts';
import { fr } from './register.ts';

const [units, seats, api] = fr.sources as [TableSource<unknown>, TableSource<unknown>, TreeSource<unknown>];

/** Headers of 2019, as published; the units are invented. */
const UNITS = `siren,statutDiffusionUniteLegale,unitePurgeeUniteLegale,dateCreationUniteLegale,sigleUniteLegale,sexeUniteLegale,prenom1UniteLegale,prenom2UniteLegale,prenom3UniteLegale,prenom4UniteLegale,prenomUsuelUniteLegale,pseudonymeUniteLegale,identifiantAssociationUniteLegale,trancheEffectifsUniteLegale,anneeEffectifsUniteLegale,dateDernierTraitementUniteLegale,nombrePeriodesUniteLegale,categorieEntreprise,anneeCategorieEntreprise,dateDebut,etatAdministratifUniteLegale,nomUniteLegale,nomUsageUniteLegale,denominationUniteLegale,denominationUsuelle1UniteLegale,denominationUsuelle2UniteLegale,denominationUsuelle3UniteLegale,categorieJuridiqueUniteLegale,activitePrincipaleUniteLegale,nomenclatureActivitePrincipaleUniteLegale,nicSiegeUniteLegale,economieSocialeSolidaireUniteLegale,caractereEmployeurUniteLegale
000000018,O,,2000-09-26,HB,,,,,,,,W751000000,12,2017,2019-12-01T20:00:57,5,ETI,2017,2008-01-01,A,,,"HIBOU, BOIS",LE HIBOU,,,5710,16.10A,NAFRev2,00017,N,O
000000026,P,true,,,F,ANNE,MARIE,,,,,,,,,1,,,1984-12-25,C,NOEL,VIDAL,,,,,1000,57.10,NAP,00011,,N
`;
const SEAT_VALUES: Row = {
  siren: '000000018',
  nic: '00017',
  siret: '00000001800017',
  statutDiffusionEtablissement: 'O',
  dateCreationEtablissement: '2001-02-03',
  etablissementSiege: 'true',
  complementAdresseEtablissement: 'BATIMENT B',
  numeroVoieEtablissement: '5',
  indiceRepetitionEtablissement: 'B',
  typeVoieEtablissement: 'RUE',
  libelleVoieEtablissement: "DE L'EGLISE",
  codePostalEtablissement: '01000',
  libelleCommuneEtablissement: 'BOURG-EN-BRESSE',
  codeCommuneEtablissement: '01053',
  dateDebut: '2009-01-01',
  etatAdministratifEtablissement: 'A',
  enseigne1Etablissement: 'AU HIBOU',
  activitePrincipaleEtablissement: '16.10B',
  nomenclatureActivitePrincipaleEtablissement: 'NAFRev2',
  caractereEmployeurEtablissement: 'O',
  codePaysEtranger2Etablissement: '99109',
};

const [unit, person] = (await parseTable(units, UNITS)) as [Row, Row];

test('a legal unit with its seat', () => {
  const other = { ...SEAT_VALUES, nic: '00025', libelleCommuneEtablissement: 'LYON' };
  const { record, reports } = mapRow(units, unit, { rows: { StockEtablissement: [other, SEAT_VALUES] } });
  assert.deepEqual(reports, []);
  const nothing = { status: null, registeredAt: null, endedAt: null };
  assert.deepEqual(record, {
    number: '000000018',
    canonicalName: 'HIBOU, BOIS',
    status: 'active',
    legalForm: 'SAS, société par actions simplifiée',
    registeredAt: '2000-09-26',
    registrations: [
      {
        authority: 'INSEE',
        type: 'national',
        number: '000000018',
        status: 'A',
        registeredAt: '2000-09-26',
        endedAt: null,
      },
      { authority: 'INSEE', type: 'siret', number: '00000001800017', ...nothing },
      { authority: 'RNA', type: 'association', number: 'W751000000', ...nothing },
    ],
    activities: [{ type: 'unlicensed', code: '16.10A', label: null }],
    registry: {
      numberValid: true,
      legalFormCode: '5710',
      acronym: 'HB',
      usualNames: ['LE HIBOU'],
      stateSince: '2008-01-01',
      diffusion: 'O',
      mainActivity: { code: '16.10A', scheme: 'NAFRev2' },
      employees: { rangeCode: '12', year: 2017 },
      category: { code: 'ETI', year: 2017 },
      employer: true,
      socialEconomy: false,
      periods: 5,
      lastProcessedAt: '2019-12-01',
      seatSiret: '00000001800017',
      address: {
        street: "5 B RUE DE L'EGLISE",
        complement: 'BATIMENT B',
        postCode: '01000',
        city: 'BOURG-EN-BRESSE',
        cityCode: '01053',
      },
      seat: {
        state: 'A',
        stateSince: '2009-01-01',
        createdAt: '2001-02-03',
        signs: ['AU HIBOU'],
        activity: { code: '16.10B', scheme: 'NAFRev2' },
        employer: true,
        diffusion: 'O',
        secondAddress: { countryCode: '99109' },
      },
    },
  } satisfies MappedRecord);
});

test('a person, a purged unit, a unit that lost its name', () => {
  const { record, reports } = mapRow(units, person);
  assert.deepEqual(reports, []);
  assert.deepEqual(
    [record.canonicalName, record.status, record.legalForm],
    ['ANNE VIDAL', 'dissolved', 'Entrepreneur individuel'],
  );
  assert.deepEqual(record.registry.person, {
    firstNames: ['ANNE', 'MARIE'],
    surname: 'NOEL',
    usageName: 'VIDAL',
    sex: 'F',
  });
  assert.deepEqual([record.registry.purged, record.registry.diffusion, record.registeredAt], [true, 'P', null]);
  const bare = { siren: '000000026', etatAdministratifUniteLegale: 'C' };
  const nameless = mapRow(units, bare).record;
  assert.deepEqual(
    [nameless.canonicalName, nameless.registry.nameMissing, nameless.legalForm],
    ['000000026', true, null],
  );
  assert.deepEqual(mapRow(units, { siren: ' ' }).result, { rejected: 'no SIREN' });
});

test('later editions: mission companies and NAF 2025; what may not be shown is no activity', () => {
  const more = { ...unit, societeMissionUniteLegale: 'true', activitePrincipaleNAF25UniteLegale: '16.11Y' };
  const { record } = mapRow(units, more);
  assert.deepEqual([record.registry.missionCompany, record.registry.naf2025], [true, '16.11Y']);
  assert.deepEqual(
    record.activities.map(({ code }) => code),
    ['16.10A', '16.11Y'],
  );
  const hidden = mapRow(units, { ...unit, activitePrincipaleUniteLegale: '[ND]' }).record;
  assert.deepEqual(hidden.activities, []);
});

test('what cannot be read is reported; an unknown form stays its code', () => {
  const { record, reports } = mapRow(units, {
    ...unit,
    etatAdministratifUniteLegale: 'X',
    dateCreationUniteLegale: '2000-02-30',
    anneeEffectifsUniteLegale: 'x',
    categorieJuridiqueUniteLegale: '5711',
  });
  assert.deepEqual([record.status, record.legalForm], ['unknown', '5711']);
  assert.deepEqual(reports.map(([column]) => column).sort(), [
    'anneeEffectifsUniteLegale',
    'dateCreationUniteLegale',
    'etatAdministratifUniteLegale',
  ]);
});

test('SIREN and SIRET: Luhn', () => {
  for (const siren of ['000325175', '001807254', '026280206', '005880034']) assert.equal(isLuhn(siren, 9), true, siren);
  assert.equal(isLuhn('000325176', 9), false);
  assert.equal(isLuhn('00588003400011', 14), true);
  assert.equal(isLuhn('32517', 9), false);
});

test('only seats are joined', () => {
  const keep = seats.joins?.keep;
  assert.equal(keep?.(toCell(SEAT_VALUES)), true);
  assert.equal(keep?.(toCell({ ...SEAT_VALUES, etablissementSiege: 'false' })), false);
});

test('an answer of the API: the period without an end is the present', () => {
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
  const record = api.map(answer, { codes: null, report: assert.fail }) as MappedRecord;
  assert.deepEqual([record.canonicalName, record.status, record.registry.periods], ['NOUVEAU', 'active', 2]);
  assert.equal(record.registry.seatSiret, '02628020600017');
});

test('the generated files have the real headers and belong together', () => {
  const file = fr.generate(2_000, 5);
  assert.equal(UNIT_COLUMNS.join(','), UNITS.split('\n')[0]);
  assert.equal(ESTABLISHMENT_COLUMNS.length, 48);
  const rows = listSyntheticRows(file, 'StockUniteLegale_utf8.csv');
  const sirens = new Set(rows.map(({ siren = '' }) => siren));
  assert.equal(sirens.size, rows.length);
  const establishments = listSyntheticRows(file, 'StockEtablissement_utf8.csv');
  assert.ok(establishments.every(({ siren = '' }) => sirens.has(siren)));
  assert.equal(establishments.filter(({ etablissementSiege }) => etablissementSiege === 'true').length, rows.length);
  for (const row of rows) assert.deepEqual(mapRow(units, row).reports, []);
  assert.ok(rows.filter(({ siren = '' }) => isLuhn(siren, 9)).length > rows.length * 0.99);
});
