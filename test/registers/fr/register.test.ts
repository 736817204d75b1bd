import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MappedRecord, TableSource } from '../../../src/registers/contract.ts';
import { isLuhn } from '../../../src/registers/fr/number.ts';
import { fr } from '../../../src/registers/fr/register.ts';
import { generateFile } from '../../../synthetic/generators.ts';
import { listSyntheticRows, mapRow, parseTable, type Row, toCell } from '../../harness/mapping.ts';
import { importTexts } from '../../harness/register-files.ts';

const [units, seats] = fr.sources as [TableSource<unknown>, TableSource<unknown>];

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
    legalForm: {
      code: '5710',
      label: 'SAS, société par actions simplifiée',
      scheme: 'INSEE catégories juridiques',
    },
    registeredAt: '2000-09-26',
    registrations: [
      {
        authority: 'INSEE',
        type: 'national',
        number: '000000018',
        numberValid: true,
        status: 'Active',
        statusCode: 'A',
        registeredAt: '2000-09-26',
        endedAt: null,
      },
      { authority: 'INSEE', type: 'branch', number: '00000001800010', numberValid: true, ...noDetails },
      { authority: 'RNA', type: 'association', number: 'W751000000', ...noDetails },
    ],
    activities: [{ type: 'unlicensed', code: '16.10A', label: null, scheme: 'NAF', edition: 'Rev2', main: true }],
    registry: {
      status: { code: 'A', label: 'Active' },
      otherNames: [
        { name: 'HB', type: 'short' },
        { name: 'LE HIBOU', type: 'trading' },
      ],
      stateSince: '2008-01-01',
      diffusion: 'O',
      employees: { from: 20, to: 49, code: '12', year: 2017 },
      size: { code: 'ETI', label: 'Entreprise de taille intermédiaire', year: 2017 },
      employer: true,
      socialEconomy: false,
      periods: 5,
      lastProcessedAt: '2019-12-01',
      address: {
        text: "BATIMENT B, 5 B RUE DE L'EGLISE, 01000 BOURG-EN-BRESSE",
        building: 'BATIMENT B',
        number: '5 B',
        street: "RUE DE L'EGLISE",
        postCode: '01000',
        city: 'BOURG-EN-BRESSE',
        countryCode: 'FR',
        cityCode: '01053',
      },
      establishments: [
        {
          isSeat: true,
          number: '00000001800010',
          from: '2001-02-03',
          status: { code: 'A', label: 'Actif', since: '2009-01-01' },
          signs: ['AU HIBOU'],
          activities: [{ code: '16.10B', scheme: 'NAF', edition: 'Rev2' }],
          employer: true,
          diffusion: 'O',
        },
      ],
    },
  } satisfies MappedRecord);
});

test('a person, a purged unit, and units without a name or a number are mapped', () => {
  const { record, reports } = mapRow(units, person);
  assert.deepEqual(reports, []);
  assert.deepEqual(
    [record.canonicalName, record.status, record.legalForm],
    [
      'ANNE VIDAL',
      'dissolved',
      { code: '1000', label: 'Entrepreneur individuel', scheme: 'INSEE catégories juridiques' },
    ],
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
  assert.equal(record.registry.missionCompany, true);
  assert.deepEqual(
    record.activities.map(({ code, edition, main }) => [code, edition, main]),
    [
      ['16.10A', 'Rev2', true],
      ['16.11Y', '2025', true],
    ],
  );
});

test('the activities of the seat are listed with their editions', () => {
  const seat = { ...SEAT_VALUES, activitePrincipaleNAF25Etablissement: '16.12Y' };
  const { registry } = mapRow(units, unit, { rows: { StockEtablissement: [seat] } }).record;
  const [found] = registry.establishments as Row[];
  assert.deepEqual(found?.activities, [
    { code: '16.10B', scheme: 'NAF', edition: 'Rev2' },
    { code: '16.12Y', scheme: 'NAF', edition: '2025' },
  ]);
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
        numberValid: true,
        status: null,
        registeredAt: null,
        endedAt: null,
      },
    ],
    activities: [],
    registry: { nameMissing: true, diffusion: 'P', establishments: [{ isSeat: true }] },
  } satisfies MappedRecord);
  const masked = mapRow(units, { ...unit, denominationUniteLegale: ' [ND] ' }).record;
  assert.equal(masked.canonicalName, 'LE HIBOU', 'the next name that is not hidden');
});

test('unreadable values are reported, and unknown codes are counted', () => {
  const { record, reports } = mapRow(units, {
    ...unit,
    etatAdministratifUniteLegale: 'X',
    dateCreationUniteLegale: '2000-02-30',
    anneeEffectifsUniteLegale: 'x',
    categorieJuridiqueUniteLegale: '5711',
    nomenclatureActivitePrincipaleUniteLegale: 'NAFRev9',
  });
  const scheme = 'INSEE catégories juridiques';
  assert.deepEqual([record.status, record.legalForm], ['unknown', { code: '5711', scheme }]);
  assert.deepEqual([record.registrations[0]?.status, record.registrations[0]?.statusCode], [null, 'X']);
  assert.equal(record.activities[0]?.scheme, 'NAFRev9');
  assert.deepEqual(reports.sort(), [
    ['activity', 'nomenclatureActivitePrincipaleUniteLegale', 'NAFRev9'],
    ['anneeEffectifsUniteLegale', 'x', 'not a whole number'],
    ['dateCreationUniteLegale', '2000-02-30', 'not a date'],
    ['legalForm', 'categorieJuridiqueUniteLegale', '5711'],
    ['status', 'etatAdministratifUniteLegale', 'X'],
  ]);
});

test('1900-01-01 is a placeholder for an unknown day of creation', () => {
  const { record, reports } = mapRow(units, { ...unit, dateCreationUniteLegale: '1900-01-01' });
  assert.deepEqual([record.registeredAt, record.registrations[0]?.registeredAt], [null, null]);
  assert.deepEqual(reports, [['date', 'dateCreationUniteLegale', '1900-01-01']]);
});

test('check digits of SIREN and SIRET are verified', () => {
  for (const siren of ['000325175', '001807254', '026280206', '005880034']) assert.equal(isLuhn(siren, 9), true, siren);
  assert.equal(isLuhn('000325176', 9), false);
  assert.equal(isLuhn('00588003400011', 14), true);
  for (const siren of ['32517', '00032517H'])
    assert.equal(isLuhn(siren, 9), false, 'too short; a letter that would pass');
  // 5 doubled counts as 1, and 9 doubled as 9.
  for (const siren of ['000000059', '000000190', '000000000']) assert.equal(isLuhn(siren, 9), true, siren);
  const validOf = (nicSiegeUniteLegale: string) =>
    mapRow(units, { ...unit, nicSiegeUniteLegale }).record.registrations.find(({ type }) => type === 'branch')
      ?.numberValid;
  assert.deepEqual(['00010', '00011', 'X', ''].map(validOf), [true, false, false, undefined]);
});

const [UNITS_FILE, SEATS_FILE] = ['StockUniteLegale_utf8.csv', 'StockEtablissement_utf8.csv'];

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
    [
      first?.canonicalName,
      first?.registeredAt,
      first?.registry.address.city,
      first?.registry.establishments[0].status.code,
    ],
    ['HIBOU, BOIS', '2000-09-26', 'BOURG-EN-BRESSE', 'A'],
  );
  assert.equal(first?.sourceData.StockUniteLegale.denominationunitelegale, 'HIBOU, BOIS');
  assert.equal(first?.sourceData.StockEtablissement[0].geo_l5, '01000 BOURG-EN-BRESSE');
});

test('only seats are joined', () => {
  const keep = seats.joins?.keep;
  assert.equal(keep?.(toCell(SEAT_VALUES)), true);
  assert.equal(keep?.(toCell({ ...SEAT_VALUES, etablissementSiege: 'false' })), false);
});

test('the generated files have the published headers and match', () => {
  const file = generateFile(fr, 2_000, 5);
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
  assert.ok(count(({ registrations }) => registrations[0]?.numberValid === true) > rows.length * 0.99);
  assert.equal(
    count(({ registrations }) => registrations[1]?.numberValid === true),
    rows.length,
  );
  assert.ok(count(({ canonicalName, number }) => canonicalName === number) > 0, 'persons with hidden names');
});
