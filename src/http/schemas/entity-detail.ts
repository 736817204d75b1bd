import Type from 'typebox';
import { relationMeanings } from '../../records/relation.ts';
import { REGISTRY_DESCRIPTION, RegistryFields } from '../../registers/vocabulary.ts';
import { registrationTypes } from '../../registers/vocabulary-values.ts';
import { listMeanings, nullable, summaryFields } from './schemas.ts';

/** The shape of a full record. `schemas.ts` has the shapes that other replies share. */

const Registration = Type.Object(
  {
    authority: Type.String({ description: 'Authority that issued the number.', examples: ['Companies House'] }),
    type: Type.String({
      description: `Kind of number: ${listMeanings(registrationTypes)}. New kinds may be added.`,
      examples: ['national'],
    }),
    number: Type.String({
      description: 'The number exactly as published, including leading zeros.',
      examples: ['00445790'],
    }),
    numberValid: Type.Optional(
      Type.Boolean({ description: 'Whether the check digits are correct. Missing if they are not checked.' }),
    ),
    status: nullable(Type.String({ description: 'Status in the words of the source.', examples: ['Active'] })),
    statusCode: Type.Optional(
      Type.String({ description: 'Status as a code of the source. Missing if the source has no code.' }),
    ),
    registeredAt: nullable(
      Type.String({ format: 'date', description: 'First day of the registration.', examples: ['2003-02-01'] }),
    ),
    endedAt: nullable(Type.String({ format: 'date', description: 'Last day of the registration.' })),
  },
  { $id: 'Registration', description: 'A number that an authority has assigned to the company.' },
);

const hash = Type.String({
  description: 'SHA-256 hash of the file: `sha256:` followed by hexadecimal digits.',
  examples: ['sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
});

const RowRange = Type.Object(
  {
    first: Type.Integer({ minimum: 0, description: 'First row.', examples: [2] }),
    last: Type.Integer({ minimum: 0, description: 'Last row; the same as `first` for a single row.', examples: [2] }),
  },
  { $id: 'RowRange', description: 'Consecutive rows of a file.' },
);

const ProvenanceFile = Type.Object(
  {
    file: Type.String({
      description: 'Name of the imported file.',
      examples: ['BasicCompanyDataAsOneFile-2026-09-01.zip'],
    }),
    hash,
    url: nullable(
      Type.String({
        format: 'uri',
        description: 'The address that the file was downloaded from. Null if a person downloaded it.',
      }),
    ),
    entry: nullable(
      Type.String({
        description: 'Name of the archive entry or sheet. Null if the file is neither an archive nor a workbook.',
        examples: ['BasicCompanyDataAsOneFile-2026-09-01.csv'],
      }),
    ),
    table: Type.String({ description: 'Name of the table in the register.', examples: ['companies'] }),
    rows: Type.Array(RowRange, {
      description: 'The rows that the record was read from. Empty for a code table, which all records share.',
    }),
  },
  { $id: 'ProvenanceFile', description: 'A file, or a part of one, that the record was read from.' },
);

const Provenance = Type.Object(
  {
    register: Type.String({ description: 'Identifier of the register in this API.', examples: ['gb'] }),
    publisher: Type.String({ description: 'Publisher of the register.', examples: ['Companies House'] }),
    file: Type.String({
      description: 'Name of the imported file.',
      examples: ['BasicCompanyDataAsOneFile-2026-09-01.zip'],
    }),
    hash,
    row: Type.Integer({ minimum: 0, description: 'Position of the record in the file.', examples: [2] }),
    asOf: nullable(
      Type.String({
        format: 'date',
        description: 'Publisher’s date of the data, from the file or its name. Null if neither has a date.',
        examples: ['2026-09-01'],
      }),
    ),
    importedAt: Type.String({
      format: 'date-time',
      description: 'Time of the import.',
      examples: ['2026-09-01T00:00:00.000Z'],
    }),
    sourceUrl: Type.String({
      format: 'uri',
      description:
        'The address that the main file was downloaded from, or the page where the publisher offers it if a person downloaded it.',
      examples: ['https://download.companieshouse.gov.uk/en_output.html'],
    }),
    licence: Type.String({
      description: 'Licence under which the publisher offers the data.',
      examples: ['CC BY 4.0'],
    }),
    synthetic: nullable(
      Type.Boolean({
        description: 'Whether the company is invented: the file is generated sample data.',
        examples: [false],
      }),
    ),
    files: nullable(
      Type.Array(ProvenanceFile, {
        description:
          'All files that the record was read from: the main one first, then those with further rows of the company, then code ' +
          'tables. Null if the record was imported by an earlier release that did not store them.',
      }),
    ),
  },
  {
    $id: 'Provenance',
    description:
      'The files that the current content of the record comes from. `file`, `hash` and `row` name the main one.',
  },
);

/** The example of a record: the fields of the company in the other examples. */
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

const RelatedEntity = Type.Object(
  {
    ...summaryFields,
    relation: nullable(
      Type.String({
        description: `How the two records are related: ${listMeanings(relationMeanings)}. New values may be added.`,
        examples: ['same_company'],
      }),
    ),
  },
  { $id: 'RelatedEntity', description: 'Another record that is related to this one.' },
);

export const EntityDetail = Type.Object(
  {
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
        description: 'Every field of the source, with its name and value exactly as published.',
        examples: [SOURCE_DATA],
      },
    ),
    registrations: Type.Array(Registration),
    related: nullable(
      Type.Array(RelatedEntity, {
        description: 'The same company in other registers, such as its LEI record. Empty if no other record is known.',
        examples: [[]],
      }),
    ),
    provenance: nullable(Provenance),
  },
  { $id: 'EntityDetail', description: 'The full record of a company.' },
);
