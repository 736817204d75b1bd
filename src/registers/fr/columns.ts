import { splitWords } from '../parsing.ts';

/** The columns of StockUniteLegale in 2019. */
export const UNIT_COLUMNS = splitWords(
  'siren statutDiffusionUniteLegale unitePurgeeUniteLegale dateCreationUniteLegale sigleUniteLegale sexeUniteLegale ' +
    'prenom1UniteLegale prenom2UniteLegale prenom3UniteLegale prenom4UniteLegale prenomUsuelUniteLegale pseudonymeUniteLegale ' +
    'identifiantAssociationUniteLegale trancheEffectifsUniteLegale anneeEffectifsUniteLegale ' +
    'dateDernierTraitementUniteLegale nombrePeriodesUniteLegale categorieEntreprise anneeCategorieEntreprise dateDebut ' +
    'etatAdministratifUniteLegale nomUniteLegale nomUsageUniteLegale denominationUniteLegale ' +
    'denominationUsuelle1UniteLegale denominationUsuelle2UniteLegale denominationUsuelle3UniteLegale ' +
    'categorieJuridiqueUniteLegale activitePrincipaleUniteLegale nomenclatureActivitePrincipaleUniteLegale ' +
    'nicSiegeUniteLegale economieSocialeSolidaireUniteLegale caractereEmployeurUniteLegale',
);

/** Columns that the edition of 2026 adds. */
export const NEWER_COLUMNS = splitWords('societeMissionUniteLegale activitePrincipaleNAF25UniteLegale');

const listAddressColumns = (second: '' | '2') =>
  splitWords(
    'complementAdresse numeroVoie indiceRepetition typeVoie libelleVoie codePostal libelleCommune libelleCommuneEtranger ' +
      'distributionSpeciale codeCommune codeCedex libelleCedex codePaysEtranger libellePaysEtranger',
  ).map((name) => `${name}${second}Etablissement`);

export const ESTABLISHMENT_COLUMNS: readonly string[] = [
  ...splitWords(
    'siren nic siret statutDiffusionEtablissement dateCreationEtablissement trancheEffectifsEtablissement ' +
      'anneeEffectifsEtablissement activitePrincipaleRegistreMetiersEtablissement dateDernierTraitementEtablissement ' +
      'etablissementSiege nombrePeriodesEtablissement',
  ),
  ...listAddressColumns(''),
  ...listAddressColumns('2'),
  ...splitWords(
    'dateDebut etatAdministratifEtablissement enseigne1Etablissement enseigne2Etablissement enseigne3Etablissement ' +
      'denominationUsuelleEtablissement activitePrincipaleEtablissement nomenclatureActivitePrincipaleEtablissement ' +
      'caractereEmployeurEtablissement',
  ),
];

/** Columns that only the edition with coordinates has. */
export const GEO_COLUMNS = splitWords(
  'longitude latitude geo_score geo_type geo_adresse geo_id geo_ligne geo_l4 geo_l5',
);
