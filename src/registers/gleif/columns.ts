import { MAX_ITEMS } from './entry.ts';

export const REQUIRED = ['LEI', 'Entity.LegalName', 'Entity.LegalJurisdiction', 'Entity.EntityStatus'];

const ADDRESS_LINES = [1, 2, 3].map((index) => `AdditionalAddressLine.${index}`);
const ADDRESS = [
  ...['xmllang', 'FirstAddressLine', 'AddressNumber', 'AddressNumberWithinBuilding', 'MailRouting'],
  ...ADDRESS_LINES,
  ...['City', 'Region', 'Country', 'PostalCode'],
];
const NAME = ['', 'xmllang', 'type'];
const EVENT = [
  ...['group_type', 'event_status', 'group_id', 'group_sequence_no', 'LegalEntityEventType'],
  ...['LegalEntityEventEffectiveDate', 'LegalEntityEventRecordedDate', 'ValidationDocuments', 'ValidationReference'],
  ...listNumbered('AffectedFields', ['AffectedField', 'field_xpath']),
];

/** The columns of the golden copy in its format 3.1. Those of other formats are kept in `sourceData`, like all. */
export const COLUMNS: readonly string[] = [
  ...REQUIRED,
  'Entity.LegalName.xmllang',
  ...listNumbered('Entity.OtherEntityNames.OtherEntityName', NAME),
  ...listNumbered('Entity.TransliteratedOtherEntityNames.TransliteratedOtherEntityName', NAME),
  ...listParts('Entity.LegalAddress', ADDRESS),
  ...listParts('Entity.HeadquartersAddress', ADDRESS),
  ...listNumbered('Entity.OtherAddresses.OtherAddress', [...ADDRESS, 'type']),
  ...listNumbered('Entity.TransliteratedOtherAddresses.TransliteratedOtherAddress', [...ADDRESS, 'type']),
  ...listParts('Entity.RegistrationAuthority', [
    ...['RegistrationAuthorityID', 'OtherRegistrationAuthorityID', 'RegistrationAuthorityEntityID'],
  ]),
  ...listParts('Entity', [
    ...['EntityCategory', 'EntitySubCategory', 'EntityCreationDate', 'EntityExpirationDate', 'EntityExpirationReason'],
  ]),
  ...listParts('Entity.LegalForm', ['EntityLegalFormCode', 'OtherLegalForm']),
  ...listParts('Entity.AssociatedEntity', [
    ...['type', 'AssociatedLEI', 'AssociatedEntityName', 'AssociatedEntityName.xmllang'],
  ]),
  ...listParts('Entity.SuccessorEntity', ['SuccessorLEI', 'SuccessorEntityName']),
  ...listNumbered('Entity.SuccessorEntity', [
    ...['SuccessorLEI', 'SuccessorEntityName', 'SuccessorEntityName.xmllang', 'SuccessorEntity.xmllang'],
  ]),
  ...listNumbered('Entity.LegalEntityEvents.LegalEntityEvent', EVENT),
  ...listParts('Registration', [
    ...['InitialRegistrationDate', 'LastUpdateDate', 'RegistrationStatus', 'NextRenewalDate'],
    ...['ManagingLOU', 'ValidationSources'],
  ]),
  ...listParts('Registration.ValidationAuthority', [
    ...['ValidationAuthorityID', 'OtherValidationAuthorityID', 'ValidationAuthorityEntityID'],
  ]),
  ...listNumbered('Registration.OtherValidationAuthorities.OtherValidationAuthority', [
    ...['ValidationAuthorityID', 'OtherValidationAuthorityID', 'ValidationAuthorityEntityID'],
  ]),
  'ConformityFlag',
];

function listParts(path: string, parts: readonly string[]): string[] {
  return parts.map((part) => (part === '' ? path : `${path}.${part}`));
}

function listNumbered(path: string, parts: readonly string[]): string[] {
  return Array.from({ length: MAX_ITEMS }, (_, index) => listParts(`${path}.${index + 1}`, parts)).flat();
}
