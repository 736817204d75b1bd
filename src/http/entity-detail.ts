import Type from 'typebox';
import { RegistryFields } from '../registers/vocabulary.ts';
import { registrationTypes } from '../registers/vocabulary-values.ts';
import { EntitySummary, listMeanings, nullable, summaryFields } from './schemas.ts';

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
    registeredAt: nullable(Type.String({ format: 'date', description: 'First day of the registration.' })),
    endedAt: nullable(Type.String({ format: 'date', description: 'Last day of the registration.' })),
  },
  { $id: 'Registration', description: 'A number that an authority has assigned to the company.' },
);

const RowRange = Type.Object(
  {
    first: Type.Integer({ minimum: 0, description: 'First row.', examples: [20] }),
    last: Type.Integer({ minimum: 0, description: 'Last row; the same as `first` for a single row.', examples: [31] }),
  },
  { $id: 'RowRange', description: 'Consecutive rows of a file.' },
);

const ProvenanceFile = Type.Object(
  {
    file: Type.String({ description: 'Name of the imported file.', examples: ['KboOpenData_0152_2026_06_Full.zip'] }),
    hash: Type.String({ description: 'SHA-256 hash of the file: `sha256:` followed by hexadecimal digits.' }),
    entry: nullable(
      Type.String({
        description: 'Name of the archive entry or sheet. Null if the file is neither an archive nor a workbook.',
        examples: ['activity.csv'],
      }),
    ),
    table: Type.String({ description: 'Name of the table in the register.', examples: ['activity'] }),
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
    hash: Type.String({ description: 'SHA-256 hash of the file: `sha256:` followed by hexadecimal digits.' }),
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
    sourceUrl: Type.String({ format: 'uri', description: 'Where the publisher offers the official file.' }),
    licence: Type.String({ description: 'Licence under which the publisher offers the data.' }),
    synthetic: nullable(
      Type.Boolean({ description: 'Whether the company is invented: the file is generated sample data.' }),
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

export const EntityDetail = Type.Object(
  {
    ...summaryFields,
    registry: RegistryFields,
    sourceData: Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'Every field of the source, with its name and value exactly as published.',
      },
    ),
    registrations: Type.Array(Registration),
    related: nullable(
      Type.Array(EntitySummary, {
        description: 'The same company in other registers, such as its LEI record. Empty if no other record is known.',
      }),
    ),
    provenance: nullable(Provenance),
  },
  { $id: 'EntityDetail', description: 'The full record of a company.' },
);
