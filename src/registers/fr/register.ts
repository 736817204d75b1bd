/** France: Sirene, the legal units that INSEE registers, joined with the establishments that are their seats. */
import { defineRegister, refuseTable } from '../contract.ts';
import { UNTRIED } from '../fetch-plan.ts';
import { ESTABLISHMENT_COLUMNS, GEO_COLUMNS, NEWER_COLUMNS, UNIT_COLUMNS } from './columns.ts';
import { AUTHORITY, mapUnit, SEATS } from './map.ts';
import { checkNumber } from './number.ts';
import { mapApiUnit } from './periods.ts';

const CSV = { delimiter: ',', quote: '"', encoding: 'utf-8' } as const;

export const fr = defineRegister<null>({
  id: 'fr',
  country: 'FR',
  name: 'Sirene, legal units with their seat',
  nativeName: 'Sirene (Système national d’identification et du répertoire des entreprises)',
  publisher: AUTHORITY,
  licence: 'Licence Ouverte / Open Licence (Etalab)',
  attribution: 'INSEE, répertoire Sirene, Licence Ouverte',
  sourceUrl: 'https://www.data.gouv.fr/fr/datasets/base-sirene-des-entreprises-et-de-leurs-etablissements-siren-siret/',
  companyPage: 'https://annuaire-entreprises.data.gouv.fr/entreprise/{number}',
  updates: 'monthly',
  fetch: {
    kind: 'fixed',
    files: ['StockUniteLegale_utf8.zip', 'StockEtablissement_utf8.zip'].map((name) => ({
      url: `https://files.data.gouv.fr/insee-sirene/${name}`,
    })),
    size: { min: 1_200_000_000, max: 12_000_000_000 },
    origin: { readIn: 'public importers of the files of data.gouv.fr', ...UNTRIED },
  },
  files: ['StockUniteLegale_utf8.zip with StockEtablissement_utf8.zip'],
  minimumRows: 10_000_000,
  vatNumber: /^FR\d{2}(\d{9})$/,
  numberColumns: ['siren'],
  letters: /[àâæçéèêëîïôœùûüÿ]/iu,
  sources: [
    {
      kind: 'table',
      name: 'StockUniteLegale',
      csv: CSV,
      columns: [...UNIT_COLUMNS, ...NEWER_COLUMNS],
      required: ['siren', 'dateCreationUniteLegale', 'etatAdministratifUniteLegale', 'denominationUniteLegale'],
      // The header of an edition of 2018 is in lower case.
      match: 'folded',
      key: 'siren',
      map: mapUnit,
    },
    {
      kind: 'table',
      name: SEATS,
      csv: CSV,
      columns: [...ESTABLISHMENT_COLUMNS, 'activitePrincipaleNAF25Etablissement', ...GEO_COLUMNS],
      required: ['siren', 'nic', 'etablissementSiege', 'codePostalEtablissement'],
      match: 'folded',
      joins: { column: 'siren', keep: (cell) => cell('etablissementSiege').trim().toLowerCase() === 'true' },
    },
    {
      kind: 'tree',
      name: 'uniteLegale (API)',
      format: { type: 'json' },
      keys: [...UNIT_COLUMNS, ...NEWER_COLUMNS, 'score', 'periodesUniteLegale'],
      required: ['siren', 'periodesUniteLegale'],
      map: mapApiUnit,
    },
    refuseHistory('StockUniteLegaleHistorique', 'changementEtatAdministratifUniteLegale', 'StockUniteLegale_utf8.zip'),
    refuseHistory(
      'StockEtablissementHistorique',
      'changementEtatAdministratifEtablissement',
      'StockEtablissement_utf8.zip',
    ),
  ],
  checkNumber,
});

function refuseHistory(name: string, column: string, current: string) {
  const refusal = `this is the history of all changes (${name}). Import the current state, ${current}, instead`;
  return refuseTable(name, CSV, ['siren', 'dateFin', column], refusal);
}
