import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The header of the real file, with its stray spaces. */
export const GB_HEADER =
  'CompanyName, CompanyNumber,RegAddress.CareOf,RegAddress.POBox,RegAddress.AddressLine1, RegAddress.AddressLine2,' +
  'RegAddress.PostTown,RegAddress.County,RegAddress.Country,RegAddress.PostCode,CompanyCategory,CompanyStatus,' +
  'CountryOfOrigin,DissolutionDate,IncorporationDate,Accounts.AccountRefDay,Accounts.AccountRefMonth,' +
  'Accounts.NextDueDate,Accounts.LastMadeUpDate,Accounts.AccountCategory,Returns.NextDueDate,Returns.LastMadeUpDate,' +
  'Mortgages.NumMortCharges,Mortgages.NumMortOutstanding,Mortgages.NumMortPartSatisfied,Mortgages.NumMortSatisfied,' +
  'SICCode.SicText_1,SICCode.SicText_2,SICCode.SicText_3,SICCode.SicText_4,LimitedPartnerships.NumGenPartners,' +
  'LimitedPartnerships.NumLimPartners,URI,' +
  Array.from({ length: 10 }, (_, index) => {
    const n = index + 1;
    return `${n === 2 ? ' ' : ''}PreviousName_${n}.CONDATE, PreviousName_${n}.CompanyName`;
  }).join(',') +
  ',ConfStmtNextDueDate, ConfStmtLastMadeUpDate';

export type GbRow = Readonly<Record<string, string>>;

export function company(number: string, name: string, more: GbRow = {}): GbRow {
  return {
    CompanyName: name,
    CompanyNumber: number,
    CompanyStatus: 'Active',
    CompanyCategory: 'Private Limited Company',
    IncorporationDate: '01/02/2003',
    ...more,
  };
}

/** Writes companies in the format of Companies House, or with another `header`. */
export function writeGb(folder: string, name: string, rows: readonly GbRow[], header = GB_HEADER): string {
  const columns = header.split(',');
  const lines = rows.map((row) => columns.map((column) => quote(row[column.trim()] ?? '')).join(','));
  const path = join(folder, name);
  writeFileSync(path, `${[header, ...lines].join('\r\n')}\r\n`);
  return path;
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
