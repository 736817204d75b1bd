import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listSyntheticRows, mapRow, parseTable, type Row, toCell } from '../../../test/harness/mapping.ts';
import { importTexts } from '../../../test/harness/register-files.ts';
import type { MappedRecord, TableSource, TreeSource } from '../contract.ts';
import { isLuhn } from './number.ts';
import { fr } from './register.ts';

const [units, seats, api] = fr.sources as [TableSource<unknown>, TableSource<unknown>, TreeSource<unknown>];

/** The published headers of 2019; the units are invented. */
const UNITS = `siren,statutDiffusionUniteLegale,unitePurgeeUniteLegale,dateCreationUniteLegale,sigleUniteLegale,sexeUniteLegale,prenom1UniteLegale,prenom2UniteLegale,prenom3UniteLegale,prenom4UniteLegale,prenomUsuelUniteLegale,pseudonymeUniteLegale,identifiantAssociationUniteLegale,trancheEffectifsUniteLegale,anneeEffectifsUniteLegale,dateDernierTraitementUniteLegale,nombrePeriodesUniteLegale,categorieEntreprise,anneeCategorieEntreprise,dateDebut,etatAdministratifUniteLegale,nomUniteLegale,nomUsageUniteLegale,denominationUniteLegale,denominationUsuelle1UniteLegale,denominationUsuelle2UniteLegale,denominationUsuelle3UniteLegale,categorieJuridiqueUniteLegale,activitePrincipaleUniteLegale,nomenclatureActivitePrincipaleUniteLegale,nicSiegeUniteLegale,economieSocialeSolidaireUniteLegale,caractereEmployeurUniteLegale
000000018,O,,2000-09-26,HB,,,,,,,,W751000000,12,2017,2019-12-01T20:00:57,5,ETI,2017,2008-01-01,A,,,"HIBOU, BOIS",LE HIBOU,,,5710,16.10A,NAFRev2,00010,N,O
000000026,P,true,,,F,ANNE,MARIE,,,,,,,,,1,,,1984-12-25,C,NOEL,VIDAL,,,,,1000,57.10,NAP,00011,,N
`;
const UNITS_HEADER = UNITS.slice(0, UNITS.indexOf('\n'));
const SEATS_HEADER =
  'siren,nic,siret,statutDiffusionEtablissement,dateCreationEtablissement,trancheEffectifsEtablissement,anneeEffectifsEtablissement,activitePrincipaleRegistreMetiersEtablissement,dateDernierTraitementEtablissement,etablissementSiege,nombrePeriodesEtablissement,complementAdresseEtablissement,numeroVoieEtablissement,indiceRepetitionEtablissement,typeVoieEtablissement,libelleVoieEtablissement,codePostalEtablissement,libelleCommuneEtablissement,libelleCommuneEtrangerEtablissement,distributionSpecialeEtablissement,codeCommuneEtablissement,codeCedexEtablissement,libelleCedexEtablissement,codePaysEtrangerEtablissement,libellePaysEtrangerEtablissement,complementAdresse2Etablissement,numeroVoie2Etablissement,indiceRepetition2Etablissement,typeVoie2Etablissement,libelleVoie2Etablissement,codePostal2Etablissement,libelleCommune2Etablissement,libelleCommuneEtranger2Etablissement,distributionSpeciale2Etablissement,codeCommune2Etablissement,codeCedex2Etablissement,libelleCedex2Etablissement,codePaysEtranger2Etablissement,libellePaysEtranger2Etablissement,dateDebut,etatAdministratifEtablissement,enseigne1Etablissement,enseigne2Etablissement,enseigne3Etablissement,denominationUsuelleEtablissement,activitePrincipaleEtablissement,nomenclatureActivitePrincipaleEtablissement,caractereEmployeurEtablissement';
const SEAT_VALUES: Row = {
  siren: '000000018',
  nic: '00010',
  siret: '00000001800010',
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

test('a legal unit and its seat become one record', () => {
  const other = { ...SEAT_VALUES, nic: '00025', libelleCommuneEtablissement: 'LYON' };
  const { record, reports } = mapRow(units, unit, { rows: { StockEtablissement: [other, SEAT_VALUES] } });
  assert.deepEqual(reports, []);
  const noDetails = { status: null, registeredAt: null, endedAt: null };
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
      { authority: 'INSEE', type: 'siret', number: '00000001800010', ...noDetails },
      { authority: 'RNA', type: 'association', number: 'W751000000', ...noDetails },
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
      seatSiret: '00000001800010',
      seatSiretValid: true,
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

test('a person, a purged unit, and units without a name or a number are mapped', () => {
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
  const numberless = mapRow(units, {
    siren: ' ',
    denominationUniteLegale: 'SANS NUMERO',
    nicSiegeUniteLegale: '00011',
  }).record;
  assert.deepEqual([numberless.number, numberless.registrations, numberless.canonicalName], [null, [], 'SANS NUMERO']);
  assert.deepEqual(mapRow(units, { siren: ' ' }).result, { rejected: 'neither SIREN nor name' });
});

test('the columns of later editions are read: mission companies and NAF 2025', () => {
  const more = { ...unit, societeMissionUniteLegale: 'true', activitePrincipaleNAF25UniteLegale: '16.11Y' };
  const { record } = mapRow(units, more);
  assert.deepEqual([record.registry.missionCompany, record.registry.naf2025], [true, '16.11Y']);
  assert.deepEqual(
    record.activities.map(({ code }) => code),
    ['16.10A', '16.11Y'],
  );
});

test('hidden values read as empty and are not reported', () => {
  const keep = ['siren', 'nic', 'etablissementSiege', 'statutDiffusionUniteLegale'];
  const hide = (row: Row): Row =>
    Object.fromEntries(Object.entries(row).map(([column, value]) => [column, keep.includes(column) ? value : '[ND]']));
  const { record, reports } = mapRow(units, hide(person), { rows: { StockEtablissement: [hide(SEAT_VALUES)] } });
  assert.deepEqual(reports, []);
  assert.deepEqual(record, {
    number: '000000026',
    canonicalName: '000000026',
    status: 'unknown',
    legalForm: null,
    registeredAt: null,
    registrations: [
      {
        authority: 'INSEE',
        type: 'national',
        number: '000000026',
        status: null,
        registeredAt: null,
        endedAt: null,
      },
    ],
    activities: [],
    registry: { numberValid: true, nameMissing: true, diffusion: 'P' },
  } satisfies MappedRecord);
  const masked = mapRow(units, { ...unit, denominationUniteLegale: ' [ND] ' }).record;
  assert.equal(masked.canonicalName, 'LE HIBOU', 'the next name that is not hidden');
});

test('unreadable values are reported, and an unknown legal form stays a code', () => {
  const { record, reports } = mapRow(units, {
    ...unit,
    etatAdministratifUniteLegale: 'X',
    dateCreationUniteLegale: '2000-02-30',
    anneeEffectifsUniteLegale: 'x',
    categorieJuridiqueUniteLegale: '5711',
  });
  assert.deepEqual([record.status, record.legalForm], ['unknown', '5711']);
  assert.deepEqual(reports.map(([first, second]) => (first === 'status' ? second : first)).sort(), [
    'anneeEffectifsUniteLegale',
    'dateCreationUniteLegale',
    'etatAdministratifUniteLegale',
  ]);
});

test('check digits of SIREN and SIRET are verified', () => {
  for (const siren of ['000325175', '001807254', '026280206', '005880034']) assert.equal(isLuhn(siren, 9), true, siren);
  assert.equal(isLuhn('000325176', 9), false);
  assert.equal(isLuhn('00588003400011', 14), true);
  assert.equal(isLuhn('32517', 9), false);
  assert.equal(isLuhn('00032517H', 9), false, 'a letter that would pass the sum');
  // 5 doubled counts as 1, and 9 doubled as 9. 000000190 sums to 10 without its check digit, which is therefore 0.
  for (const siren of ['000000059', '000000190', '000000000']) assert.equal(isLuhn(siren, 9), true, siren);
  const validOf = (nicSiegeUniteLegale: string) =>
    mapRow(units, { ...unit, nicSiegeUniteLegale }).record.registry.seatSiretValid;
  assert.deepEqual(['00010', '00011', 'X', ''].map(validOf), [true, false, false, undefined]);
});

const UNITS_FILE = 'StockUniteLegale_utf8.csv';
const SEATS_FILE = 'StockEtablissement_utf8.csv';

test('a header in lower case and the columns of the edition with coordinates are accepted', async () => {
  const header = `${SEATS_HEADER},longitude,latitude,geo_score,geo_type,geo_adresse,geo_id,geo_ligne,geo_l4,geo_l5`;
  const values = { ...SEAT_VALUES, longitude: '5.225', geo_type: 'housenumber', geo_l5: '01000 BOURG-EN-BRESSE' };
  const line = header.split(',').map((column) => values[column as keyof typeof values] ?? '');
  const { result, entities } = await importTexts(fr, {
    [UNITS_FILE]: UNITS.replace(UNITS_HEADER, UNITS_HEADER.toLowerCase()),
    [SEATS_FILE]: `${header.toLowerCase()}\n${line.join(',')}\n`,
  });
  assert.deepEqual([result.counts.added, result.unreadable, result.unknownColumns], [2, 0, []]);
  const [first] = entities;
  assert.deepEqual(
    [first?.canonicalName, first?.registeredAt, first?.registry.address.city, first?.registry.seat.state],
    ['HIBOU, BOIS', '2000-09-26', 'BOURG-EN-BRESSE', 'A'],
  );
  assert.equal(first?.sourceData.StockUniteLegale.denominationunitelegale, 'HIBOU, BOIS');
  assert.equal(first?.sourceData.StockEtablissement[0].geo_l5, '01000 BOURG-EN-BRESSE');
});

test('historic files are refused, alone or with the current ones', async () => {
  const historicUnits =
    'siren,dateFin,dateDebut,etatAdministratifUniteLegale,changementEtatAdministratifUniteLegale,nomUniteLegale,denominationUniteLegale,categorieJuridiqueUniteLegale,nicSiegeUniteLegale\n' +
    '000000018,,2008-01-01,A,false,,HIBOU,5710,00010\n';
  const historicSeats =
    'siren,nic,siret,dateFin,dateDebut,etatAdministratifEtablissement,changementEtatAdministratifEtablissement,enseigne1Etablissement\n' +
    '000000018,00010,00000001800010,,2008-01-01,A,false,\n';
  await assert.rejects(
    importTexts(fr, { 'StockUniteLegaleHistorique_utf8.csv': historicUnits }),
    /StockUniteLegaleHistorique_utf8\.csv lacks the column "dateCreationUniteLegale"/,
  );
  await assert.rejects(
    importTexts(fr, { [UNITS_FILE]: UNITS, 'StockEtablissementHistorique_utf8.csv': historicSeats }),
    /StockEtablissementHistorique_utf8\.csv lacks the column "etablissementSiege"/,
  );
});

test('only seats are joined', () => {
  const keep = seats.joins?.keep;
  assert.equal(keep?.(toCell(SEAT_VALUES)), true);
  assert.equal(keep?.(toCell({ ...SEAT_VALUES, etablissementSiege: 'false' })), false);
});

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
  assert.equal(record.registry.seatSiret, '02628020600017');
});

test('the generated files have the published headers and match', () => {
  const file = fr.generate(2_000, 5);
  const rows = listSyntheticRows(file, UNITS_FILE);
  const sirens = new Set(rows.map(({ siren = '' }) => siren));
  assert.equal(sirens.size, rows.length);
  const establishments = listSyntheticRows(file, SEATS_FILE);
  assert.equal(Object.keys(rows[0] ?? {}).join(','), UNITS_HEADER);
  assert.equal(Object.keys(establishments[0] ?? {}).join(','), SEATS_HEADER);
  assert.ok(establishments.every(({ siren = '' }) => sirens.has(siren)));
  assert.equal(establishments.filter(({ etablissementSiege }) => etablissementSiege === 'true').length, rows.length);
  const mapped = rows.map((row) => mapRow(units, row));
  assert.ok(mapped.every(({ reports }) => reports.length === 0));
  const count = (has: (record: MappedRecord) => boolean) => mapped.filter(({ record }) => has(record)).length;
  assert.ok(count(({ registry }) => registry.numberValid === true) > rows.length * 0.99);
  assert.equal(
    count(({ registry }) => registry.seatSiretValid === true),
    rows.length,
  );
  assert.ok(count(({ canonicalName, number }) => canonicalName === number) > 0, 'persons with hidden names');
});
