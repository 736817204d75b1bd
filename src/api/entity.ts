import Type from 'typebox';
import { fail } from '../base/errors.ts';
import { REGISTRY_DESCRIPTION, RegistryFields, registrationTypes } from '../registers/vocabulary.ts';
import { relationMeanings } from '../registry/records/records.ts';
import {
  address,
  component,
  count,
  flag,
  idOf,
  instant,
  listMeanings,
  listOf,
  nullable,
  orNull,
  replyOf,
  text,
} from './fields.ts';
import { dataOperation } from './serving/data-operation.ts';
import { summaryFields } from './summary.ts';

const Registration = component('Registration', 'A number that an authority has assigned to the company.', {
  authority: text('Authority that issued the number.', 'Companies House'),
  type: text(`Kind of number: ${listMeanings(registrationTypes)}. New kinds may be added.`, 'national'),
  number: text('The number exactly as published, including leading zeros.', '00445790'),
  numberValid: Type.Optional(flag('Whether the check digits are correct. Missing if they are not checked.')),
  status: orNull.text('Status in the words of the source.', 'Active'),
  statusCode: Type.Optional(text('Status as a code of the source. Missing if the source has no code.')),
  registeredAt: orNull.day('First day of the registration.', '2003-02-01'),
  endedAt: orNull.day('Last day of the registration.'),
});

export const hash = text(
  'SHA-256 hash of the file: `sha256:` followed by hexadecimal digits.',
  'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
);

const RowRange = component('RowRange', 'Consecutive rows of a file.', {
  first: count('First row.', 2),
  last: count('Last row; the same as `first` for a single row.', 2),
});

const ProvenanceFile = component('ProvenanceFile', 'A file, or a part of one, that the record was read from.', {
  file: text('Name of the imported file.', 'BasicCompanyDataAsOneFile-2026-09-01.zip'),
  hash,
  url: orNull.address('The address that the file was downloaded from. Null if a person downloaded it.'),
  entry: orNull.text(
    'Name of the archive entry or sheet. Null if the file is neither an archive nor a workbook.',
    'BasicCompanyDataAsOneFile-2026-09-01.csv',
  ),
  table: text('Name of the table in the register.', 'companies'),
  rows: listOf(RowRange, 'The rows that the record was read from. Empty for a code table, which all records share.'),
});

const Provenance = component(
  'Provenance',
  'The files that the current content of the record comes from. `file`, `hash` and `row` name the main one.',
  {
    register: text('Identifier of the register in this API.', 'gb'),
    publisher: text('Publisher of the register.', 'Companies House'),
    file: text('Name of the imported file.', 'BasicCompanyDataAsOneFile-2026-09-01.zip'),
    hash,
    row: count('Position of the record in the file.', 2),
    asOf: orNull.day(
      'Publisher’s date of the data, from the file or its name. Null if neither has a date.',
      '2026-09-01',
    ),
    importedAt: instant('Time of the import.', '2026-09-01T00:00:00.000Z'),
    sourceUrl: address(
      'The address that the main file was downloaded from, or the page where the publisher offers it if a person downloaded it.',
      'https://download.companieshouse.gov.uk/en_output.html',
    ),
    licence: text('Licence under which the publisher offers the data.', 'CC BY 4.0'),
    synthetic: orNull.flag('Whether the company is invented: the file is generated sample data.', false),
    files: orNull.listOf(
      ProvenanceFile,
      'All files that the record was read from: the main one first, then those with further rows of the company, then code ' +
        'tables.',
    ),
  },
);

const REGISTRY = {
  legalForm: { label: 'Private Limited Company' },
  activities: [
    {
      type: 'unlicensed',
      code: '62012',
      label: 'Business and domestic software development',
      scheme: 'UK SIC',
      edition: '2007',
    },
  ],
  address: { text: '1 High Street, London, EC1A 1AA', lines: ['1 High Street'], city: 'London', postCode: 'EC1A 1AA' },
  status: { label: 'Active' },
  accounts: { nextDue: '2027-05-31', category: 'MICRO ENTITY' },
};
const SOURCE_DATA = {
  CompanyName: 'ALPHA LTD',
  ' CompanyNumber': '00445790',
  CompanyStatus: 'Active',
  IncorporationDate: '01/02/2003',
};

const RelatedEntity = component('RelatedEntity', 'Another record that is related to this one.', {
  ...summaryFields,
  relation: orNull.text(
    `How the two records are related: ${listMeanings(relationMeanings)}. New values may be added.`,
    'same_company',
  ),
});

const EntityDetail = component('EntityDetail', 'The full record of a company.', {
  ...summaryFields,
  registry: Type.Object(RegistryFields.properties, {
    additionalProperties: true,
    description: REGISTRY_DESCRIPTION,
    examples: [REGISTRY],
  }),
  sourceData: Type.Object(
    {},
    {
      additionalProperties: true,
      description:
        'Every field of the source, with its name and value exactly as published. Values about natural persons that are not stored say ' +
        '`withheld` and the reason.',
      examples: [SOURCE_DATA],
    },
  ),
  registrations: Type.Array(Registration),
  related: orNull.listOf(
    RelatedEntity,
    'The same company in other registers, such as its LEI record. Empty if no other record is known.',
    [],
  ),
  partyCounts: orNull.object(
    'How many parties in force `/parties` names. Natural persons count only if they are named there. `null` if no files of parties ' +
      'of this register are imported, or if they are switched off.',
    {
      owners: count('Owners, parents and others who control the company.', 2),
      others: count('Officers, managers, auditors and others.', 5),
    },
  ),
  provenance: nullable(Provenance),
});

export const EntityParameters = idOf(
  'a search result',
  'The `id` of a search result. Case is ignored.',
  'd5563039-853c-5a0c-a623-fa282b839bef',
);

export const entity = dataOperation({
  url: '/api/v1/entities/:id',
  operationId: 'getEntity',
  summary: 'Retrieve a company',
  description:
    'Returns the full record: normalized fields, typed national fields, every field of the source exactly as published, ' +
    'registrations, and the file that the record comes from.',
  params: EntityParameters,
  success: { description: 'The record.', schema: replyOf('EntityReply', EntityDetail) },
  codes: ['entity_not_found'],
  // No `version`: the record has to be looked up anyway, because a 304 must not hide that it does not exist.
  answer:
    ({ registry }) =>
    async ({ id }) => {
      const entity = await registry.findEntity(id.toLowerCase());
      if (entity === undefined) throw fail('entity_not_found');
      return { version: entity.version, body: entity.content };
    },
});
