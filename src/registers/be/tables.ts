export const AUTHORITY = 'FOD Economie / SPF Économie (KBO/BCE)';

const list = (text: string): readonly string[] => text.split(' ');

/** The tables of an extract and their columns, in the order of the files. */
export const TABLES = {
  enterprise: list(
    'EnterpriseNumber Status JuridicalSituation TypeOfEnterprise JuridicalForm JuridicalFormCAC StartDate',
  ),
  establishment: list('EstablishmentNumber StartDate EnterpriseNumber'),
  branch: list('Id StartDate EnterpriseNumber'),
  denomination: list('EntityNumber Language TypeOfDenomination Denomination'),
  address: list(
    'EntityNumber TypeOfAddress CountryNL CountryFR Zipcode MunicipalityNL MunicipalityFR StreetNL StreetFR HouseNumber Box ' +
      'ExtraAddressInfo DateStrikingOff',
  ),
  contact: list('EntityNumber EntityContact ContactType Value'),
  activity: list('EntityNumber ActivityGroup NaceVersion NaceCode Classification'),
  code: list('Category Code Language Description'),
  meta: list('Variable Value'),
} as const;

export type TableName = keyof typeof TABLES;
