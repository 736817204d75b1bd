/** Invented legal units and their establishments, two tables in one zip. Some establishments are not seats. */

import { listColumns } from '../../src/registers/contract.ts';
import { isSiren, isSiret } from '../../src/registers/fr/register.ts';
import { HIDDEN } from '../../src/registers/fr/seat.ts';
import {
  type Chance,
  completeNumber,
  createChance,
  createCsvFiles,
  createSerials,
  pickByShare,
  type Shares,
} from '../chance.ts';
import { makeArchive, type SyntheticFile } from '../file.ts';

const CSV = { delimiter: ',', quote: '"', encoding: 'utf-8' } as const;

export function generateStock(rows: number, seed: number): SyntheticFile {
  const file = createCsvFiles({ dialect: CSV });
  return makeArchive('sirene_2026-11.zip', [
    file('StockUniteLegale_utf8.csv', UNIT_COLUMNS, () => generateUnits(rows, seed)),
    file('StockEtablissement_utf8.csv', ESTABLISHMENT_COLUMNS, () => generateEstablishments(rows, seed)),
  ]);
}

interface Unit {
  readonly siren: string;
  readonly nic: string;
}

/** Both tables draw the same units from the seed, so that they match. */
function* listUnits(rows: number, seed: number): Generator<Unit> {
  const chance = createChance(seed);
  const takeSerial = createSerials(chance, 8);
  for (let row = 0; row < rows; row++) {
    const siren = completeNumber(isSiren, takeSerial(), chance.is(0.001));
    yield { siren, nic: writeNic(siren, chance.between(1, 30)) };
  }
}

function writeNic(siren: string, serial: number): string {
  const body = String(serial).padStart(4, '0');
  return completeNumber(isSiret, siren + body).slice(9);
}

/** A row in the order of the header. Values are keyed by column, with or without the suffix that most columns share. */
/** The columns of 2019. Newer editions have more. */
const OLD_COLUMNS = (table: string) =>
  listColumns('fr', table).filter((column) => !/NAF25|^societeMission|^geo_|itude$/.test(column));
const UNIT_COLUMNS = OLD_COLUMNS('StockUniteLegale');
const ESTABLISHMENT_COLUMNS = OLD_COLUMNS('StockEtablissement');

function fill(columns: readonly string[], suffix: string, values: Readonly<Record<string, string>>): string[] {
  return columns.map(
    (column) => values[column] ?? (column.endsWith(suffix) ? values[column.slice(0, -suffix.length)] : '') ?? '',
  );
}

const FORMS: Shares<string> = [
  [0.55, '1000'],
  [0.72, '5710'],
  [0.85, '5499'],
  [0.92, '6540'],
  [0.98, '9220'],
  [1, '5599'],
];
const CODES: Shares<readonly [code: string, scheme: string]> = [
  [0.3, ['62.01Z', 'NAFRev2']],
  [0.6, ['68.20B', 'NAFRev2']],
  [0.8, ['56.10A', 'NAFRev2']],
  [0.97, ['43.39Z', 'NAFRev2']],
  [1, ['57.10', 'NAP']],
];
const WORDS = (
  'ALIZE AMANDIER ARDOISE AUBEPINE BELLEVUE BRUYERE CALANQUE CEVENNES CHENE CIGALE CLOCHER CORAIL DUNE ECLUSE ESTEREL FOUGERE GENET ' +
  'GLYCINE HETRE HIRONDELLE JASMIN LAVANDE LILAS LOIRE MARAIS MESANGE MIMOSA MOULIN OLIVIER ORMEAU PHARE PINEDE ROSEAU SEQUOIA TILLEUL VERGER'
).split(' ');
const TRADES =
  'BATIMENT CONSEIL CREATION DEVELOPPEMENT DISTRIBUTION ENERGIE FORMATION IMMOBILIER INVEST LOGISTIQUE SERVICES'.split(
    ' ',
  );
const FORENAMES = 'THIERRY MARIE JACQUES CAMILLE HELENE LOUIS CHLOE NATHALIE PIERRE SOPHIE'.split(' ');
const SURNAMES = 'BRETON CARON DUFOUR FABRE GARNIER LEROUX MERCIER NOEL PERRIN ROUSSEL VIDAL'.split(' ');
const PLACES = [
  ['75011', 'PARIS 11', '75111'],
  ['69003', 'LYON 3EME', '69383'],
  ['33000', 'BORDEAUX', '33063'],
  ['01000', 'BOURG-EN-BRESSE', '01053'],
  ['97400', 'SAINT-DENIS', '97411'],
];
const STREETS = ['REPUBLIQUE', 'DES LILAS', 'VICTOR HUGO', 'DU MOULIN', "DE L'EGLISE", 'JEAN JAURES'];

function* generateUnits(rows: number, seed: number): Generator<readonly string[]> {
  const chance = createChance(seed + 1);
  for (const unit of listUnits(rows, seed)) yield fill(UNIT_COLUMNS, 'UniteLegale', generateUnit(chance, unit));
}

/** The names of a person who asked not to be disclosed. */
const HIDDEN_NAMES = { sexe: HIDDEN, prenom1: HIDDEN, prenomUsuel: HIDDEN, nom: HIDDEN };

function generateUnit(chance: Chance, { siren, nic }: Unit): Record<string, string> {
  const form = pickByShare(chance, FORMS);
  const [code, scheme] = pickByShare(chance, CODES);
  const isClosed = chance.is(0.4);
  const isPurged = isClosed && chance.is(0.05);
  const forename = chance.pick(FORENAMES);
  const names: Record<string, string> =
    form === '1000'
      ? { sexe: chance.pick(['M', 'F']), prenom1: forename, prenomUsuel: forename, nom: chance.pick(SURNAMES) }
      : {
          denomination: `${chance.pick(WORDS)} ${chance.pick(TRADES)}${chance.is(0.01) ? ', FILS' : ''} ${chance.between(1, 999)}`,
        };
  const year = chance.between(1950, 2015);
  const statutDiffusion = chance.is(0.95) ? 'O' : 'P';
  return {
    siren,
    statutDiffusion,
    unitePurgee: isPurged ? 'true' : '',
    dateCreation: isPurged ? '' : chance.date(year, year + 9),
    ...(form === '1000' && statutDiffusion === 'P' ? HIDDEN_NAMES : names),
    ...(form === '9220' && chance.is(0.5)
      ? { identifiantAssociation: `W${chance.between(100_000_000, 999_999_999)}` }
      : {}),
    trancheEffectifs: chance.is(0.6) ? 'NN' : chance.pick(['00', '01', '11', '12']),
    anneeEffectifs: chance.is(0.4) ? '2023' : '',
    dateDernierTraitement: `${chance.date(2018, 2025)}T14:17:15`,
    nombrePeriodes: String(chance.between(1, 8)),
    categorieEntreprise: chance.is(0.5) ? 'PME' : '',
    anneeCategorieEntreprise: chance.is(0.5) ? '2022' : '',
    dateDebut: chance.date(2016, 2025),
    etatAdministratif: isClosed ? 'C' : 'A',
    categorieJuridique: form,
    activitePrincipale: code,
    nomenclatureActivitePrincipale: scheme,
    nicSiege: nic,
    economieSocialeSolidaire: chance.is(0.1) ? 'N' : '',
    caractereEmployeur: chance.is(0.8) ? 'N' : 'O',
  };
}

function* generateEstablishments(rows: number, seed: number): Generator<readonly string[]> {
  const chance = createChance(seed + 2);
  for (const { siren, nic } of listUnits(rows, seed)) {
    if (chance.is(0.15)) yield writeEstablishment(chance, siren, writeNic(siren, 9_999), 'false');
    yield writeEstablishment(chance, siren, nic, 'true');
  }
}

function writeEstablishment(chance: Chance, siren: string, nic: string, isSeat: string): string[] {
  const [postCode = '', city = '', cityCode = ''] = chance.pick(PLACES);
  const [code, scheme] = pickByShare(chance, CODES);
  return fill(ESTABLISHMENT_COLUMNS, 'Etablissement', {
    siren,
    nic,
    siret: siren + nic,
    statutDiffusion: 'O',
    dateCreation: chance.date(1990, 2025),
    dateDernierTraitement: `${chance.date(2018, 2025)}T09:00:00`,
    etablissementSiege: isSeat,
    nombrePeriodes: String(chance.between(1, 8)),
    complementAdresse: chance.is(0.1) ? 'BATIMENT B' : '',
    numeroVoie: String(chance.between(1, 200)),
    indiceRepetition: chance.is(0.05) ? 'B' : '',
    typeVoie: chance.pick(['RUE', 'AV', 'CHE']),
    libelleVoie: chance.pick(STREETS),
    codePostal: postCode,
    libelleCommune: city,
    codeCommune: cityCode,
    dateDebut: chance.date(2016, 2025),
    etatAdministratif: chance.is(0.7) ? 'A' : 'F',
    enseigne1: chance.is(0.1) ? `CHEZ ${chance.pick(FORENAMES)}` : '',
    activitePrincipale: code,
    nomenclatureActivitePrincipale: scheme,
    caractereEmployeur: 'N',
  });
}
