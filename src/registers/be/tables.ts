import { splitWords } from '../parsing.ts';

export const AUTHORITY = 'FOD Economie / SPF Économie (KBO/BCE)';

/** The tables of an extract and their columns, in the order in which the files have them. */
export const TABLES = {
  enterprise: splitWords(
    'EnterpriseNumber Status JuridicalSituation TypeOfEnterprise JuridicalForm JuridicalFormCAC StartDate',
  ),
  establishment: splitWords('EstablishmentNumber StartDate EnterpriseNumber'),
  branch: splitWords('Id StartDate EnterpriseNumber'),
  denomination: splitWords('EntityNumber Language TypeOfDenomination Denomination'),
  address: splitWords(
    'EntityNumber TypeOfAddress CountryNL CountryFR Zipcode MunicipalityNL MunicipalityFR StreetNL StreetFR HouseNumber Box ' +
      'ExtraAddressInfo DateStrikingOff',
  ),
  contact: splitWords('EntityNumber EntityContact ContactType Value'),
  activity: splitWords('EntityNumber ActivityGroup NaceVersion NaceCode Classification'),
  code: splitWords('Category Code Language Description'),
  meta: splitWords('Variable Value'),
} as const;

export type TableName = keyof typeof TABLES;
