/** GLEIF: entities with an LEI in all countries. Each record has the country of its legal jurisdiction. */
import { CSV, defineRegister, type MapContext } from '../contract.ts';
import { UNTRIED } from '../fetch-plan.ts';
import type { Tree } from '../parsing.ts';
import { createTreeReader, MAX_ITEMS, readCsvEntry } from './entry.ts';
import { type LegalForms, LIST_COLUMNS, readLegalForms } from './legal-forms.ts';
import { LEVEL2_SOURCES } from './level2.ts';
import { isValidLei, mapEntity } from './map.ts';

type Context = MapContext<LegalForms>;

const REQUIRED = ['LEI', 'Entity.LegalName', 'Entity.LegalJurisdiction', 'Entity.EntityStatus'];

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
const COLUMNS: readonly string[] = [
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

const KEYS = ['LEI', 'Entity', 'Registration', 'Extension'];

/** XML files exist with and without the namespace prefix. */
const xmlSources = ['lei:', ''].map((prefix) => {
  const keys = KEYS.map((key) => prefix + key);
  const read = createTreeReader(prefix, '#text');
  return {
    name: `LEI-CDF (XML${prefix === '' ? ', no prefix' : ''})`,
    format: { type: 'xml', element: 'LEIRecord' },
    required: keys.slice(0, 3),
    keys: [...keys, '@xmlns:xsi', '@xmlns:lei', '@xmlns:gleif', '@xmlns'],
    map: (record: Tree, context: Context) => mapEntity(read(record), context),
  } as const;
});

const readJson = createTreeReader('', '$');

function locate(file: string): readonly (string | number)[] {
  return ['data', 0, file, 'full_file', 'csv', 'url'];
}

export const gleif = defineRegister<LegalForms>({
  id: 'gleif',
  country: null,
  name: 'Global LEI Index',
  nativeName: 'Global LEI Index',
  publisher: 'Global Legal Entity Identifier Foundation (GLEIF)',
  licence: 'CC0 1.0 (public domain)',
  attribution: 'CC0 1.0: none is required',
  sourceUrl: 'https://www.gleif.org/en/lei-data/gleif-concatenated-file/download-the-concatenated-file',
  companyPage: 'https://search.gleif.org/#/record/{number}',
  updates: 'daily',
  fetch: {
    kind: 'api',
    // The list of publications, newest first.
    requests: [{ url: 'https://goldencopy.gleif.org/api/v2/golden-copies/publishes' }],
    paths: [
      { keys: locate('lei2') },
      { keys: locate('rr'), parties: 'relationships' },
      { keys: locate('repex'), parties: 'exceptions' },
    ],
    size: { min: 200_000_000, max: 3_000_000_000 },
    origin: { readIn: 'public importers of the Golden Copy', ...UNTRIED },
  },
  files: [
    'gleif-goldencopy-lei2-golden-copy.xml.zip',
    'gleif-goldencopy-lei2-golden-copy.csv.zip',
    'gleif-goldencopy-lei2-golden-copy.json.zip',
    'gleif-goldencopy-rr-golden-copy.csv.zip',
    'gleif-goldencopy-repex-golden-copy.csv.zip',
  ],
  minimumRows: 2_000_000,
  links: true,
  numberColumns: ['LEI', 'lei:LEI'],
  letters: /\p{L}/u,
  sources: [
    ...xmlSources,
    {
      name: 'golden copy (JSON)',
      format: { type: 'json' },
      required: KEYS.slice(0, 3),
      map: (record: Tree, context: Context) => mapEntity(readJson(record), context),
    },
    {
      name: 'golden copy (CSV)',
      csv: CSV,
      columns: COLUMNS,
      required: REQUIRED,
      map: (cell, context) => mapEntity(readCsvEntry(cell), context),
    },
    {
      name: 'ELF codes',
      csv: CSV,
      columns: LIST_COLUMNS,
      required: ['ELF Code', 'Entity Legal Form name Local name'],
    },
    ...LEVEL2_SOURCES,
    {
      name: 'API (JSON)',
      format: { type: 'json' },
      required: ['attributes'],
      refusal:
        'this is an answer of the GLEIF API, not a complete file. Import the Level 1 file (LEI2), which has the entities',
    },
  ],
  numbers: [{ kind: 'LEI', form: /^[0-9A-Z]{18}\d{2}$/, check: isValidLei }],
  readCodes: (tables) => readLegalForms(tables.get('ELF codes') ?? []),
});
