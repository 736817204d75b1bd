import type { SummaryName } from '../base/entity-summary.ts';

/** Descriptions of the fields of a summary, for the documentation of columns. */
export const summaryDescriptions: Readonly<Record<SummaryName, string>> = {
  id: 'Id of the entity, a UUID. The same in every export and on every installation.',
  countryCode: 'Two-letter country code (ISO 3166-1 alpha-2).',
  register: 'Id of the register.',
  registrationNumber: 'The first registration number, as written, with leading zeros.',
  canonicalName: 'Registered name.',
  status: 'Normalized status. `delisted`: no longer in the files of the register.',
  legalForm: 'Legal form.',
  city: 'City of the registered address.',
  registeredAt: 'Day of registration.',
  updatedAt: 'When the record last changed here.',
  jurisdiction: 'Under whose law the company was formed: a state (ISO 3166-2) or a country (ISO 3166-1 alpha-2).',
  isic: 'ISIC Rev. 4 code of the main activity, as deep as it is certain.',
  elf: 'Code of the legal form in the list of entity legal forms (ELF, ISO 20275).',
  legalFormClass: 'Class of the legal form, the same in all countries.',
};
