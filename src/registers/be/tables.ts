import { wordsOf } from '../vocabulary.ts';

export const AUTHORITY = 'FOD Economie / SPF Économie (KBO/BCE)';

/** The tables of an extract and their columns, in the order in which the files have them. */
export const TABLES = {
  enterprise: wordsOf(
    'EnterpriseNumber Status JuridicalSituation TypeOfEnterprise JuridicalForm JuridicalFormCAC StartDate',
  ),
  establishment: wordsOf('EstablishmentNumber StartDate EnterpriseNumber'),
  branch: wordsOf('Id StartDate EnterpriseNumber'),
  denomination: wordsOf('EntityNumber Language TypeOfDenomination Denomination'),
  address: wordsOf(
    'EntityNumber TypeOfAddress CountryNL CountryFR Zipcode MunicipalityNL MunicipalityFR StreetNL StreetFR HouseNumber Box ' +
      'ExtraAddressInfo DateStrikingOff',
  ),
  contact: wordsOf('EntityNumber EntityContact ContactType Value'),
  activity: wordsOf('EntityNumber ActivityGroup NaceVersion NaceCode Classification'),
  code: wordsOf('Category Code Language Description'),
  meta: wordsOf('Variable Value'),
} as const;

export type TableName = keyof typeof TABLES;
