const PREVIOUS = Array.from({ length: 10 }, (_, index) => `PreviousName_${index + 1}`);

/** The header since 2018, with the leading spaces that some of the published names have. */
export const HEADER: readonly string[] = [
  ...['CompanyName', ' CompanyNumber', 'RegAddress.CareOf', 'RegAddress.POBox', 'RegAddress.AddressLine1'],
  ...[' RegAddress.AddressLine2', 'RegAddress.PostTown', 'RegAddress.County', 'RegAddress.Country'],
  ...['RegAddress.PostCode', 'CompanyCategory', 'CompanyStatus', 'CountryOfOrigin', 'DissolutionDate'],
  ...['IncorporationDate', 'Accounts.AccountRefDay', 'Accounts.AccountRefMonth', 'Accounts.NextDueDate'],
  ...['Accounts.LastMadeUpDate', 'Accounts.AccountCategory', 'Returns.NextDueDate', 'Returns.LastMadeUpDate'],
  ...['Mortgages.NumMortCharges', 'Mortgages.NumMortOutstanding', 'Mortgages.NumMortPartSatisfied'],
  ...['Mortgages.NumMortSatisfied', 'SICCode.SicText_1', 'SICCode.SicText_2', 'SICCode.SicText_3'],
  ...['SICCode.SicText_4', 'LimitedPartnerships.NumGenPartners', 'LimitedPartnerships.NumLimPartners', 'URI'],
  ...PREVIOUS.flatMap((previous, index) => [
    `${index === 1 ? ' ' : ''}${previous}.CONDATE`,
    ` ${previous}.CompanyName`,
  ]),
  'ConfStmtNextDueDate',
  ' ConfStmtLastMadeUpDate',
];

export const COLUMNS: readonly string[] = HEADER.map((name) => name.trim());

export const SIC_COLUMNS: readonly string[] = COLUMNS.filter((name) => name.startsWith('SICCode.'));

export const PREVIOUS_NAME_COLUMNS: readonly { readonly name: string; readonly until: string }[] = PREVIOUS.map(
  (previous) => ({ name: `${previous}.CompanyName`, until: `${previous}.CONDATE` }),
);
