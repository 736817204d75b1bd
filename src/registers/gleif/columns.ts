export const REQUIRED = ['LEI', 'Entity.LegalName', 'Entity.LegalJurisdiction', 'Entity.EntityStatus'];

/** The columns that the mapping reads. The golden copy has many more; they are kept in `sourceData`. */
export const COLUMNS: readonly string[] = listColumns();

function listColumns(): string[] {
  const numbered = (path: string) =>
    [1, 2, 3, 4, 5].flatMap((index) => ['', '.xmllang', '.type'].map((ending) => `${path}.${index}${ending}`));
  const address = ['LegalAddress', 'HeadquartersAddress'].flatMap((name) => [
    ...['xmllang', 'FirstAddressLine', 'City', 'Region', 'PostalCode', 'Country'].map(
      (part) => `Entity.${name}.${part}`,
    ),
    ...numbered(`Entity.${name}.AdditionalAddressLine`),
  ]);
  const registration = ['InitialRegistrationDate', 'LastUpdateDate', 'RegistrationStatus', 'NextRenewalDate'];
  return [
    ...REQUIRED,
    'Entity.LegalName.xmllang',
    ...numbered('Entity.OtherEntityNames.OtherEntityName'),
    ...numbered('Entity.TransliteratedOtherEntityNames.TransliteratedOtherEntityName'),
    ...address,
    ...['RegistrationAuthorityID', 'OtherRegistrationAuthorityID', 'RegistrationAuthorityEntityID'].map(
      (name) => `Entity.RegistrationAuthority.${name}`,
    ),
    ...[
      'EntityCategory',
      'EntitySubCategory',
      'EntityCreationDate',
      'EntityExpirationDate',
      'EntityExpirationReason',
    ].map((name) => `Entity.${name}`),
    'Entity.LegalForm.EntityLegalFormCode',
    'Entity.LegalForm.OtherLegalForm',
    'Entity.SuccessorEntity.SuccessorLEI',
    'Entity.SuccessorEntity.SuccessorEntityName',
    ...[...registration, 'ManagingLOU', 'ValidationSources'].map((name) => `Registration.${name}`),
    ...['ValidationAuthorityID', 'ValidationAuthorityEntityID'].map(
      (name) => `Registration.ValidationAuthority.${name}`,
    ),
  ];
}
