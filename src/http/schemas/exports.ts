import Type from 'typebox';
import { exportFormats } from '../../exports/manifest.ts';
import { nullable } from './schemas.ts';

/** The shapes and parameters of exports. */

const rows = Type.Integer({ minimum: 0, description: 'Number of companies.', examples: [812_340] });
const bytes = Type.Integer({ minimum: 0, description: 'Size in bytes.', examples: [61_250_118] });
const countryCode = Type.String({ description: 'Two-letter country code (ISO 3166-1 alpha-2).', examples: ['LV'] });
const url = (what: string, path: string) =>
  Type.String({
    format: 'uri',
    description: `Address of ${what}. It needs the same API key.`,
    examples: [`https://api.example.com/api/v1/exports/12/parquet/${path}`],
  });

const ExportedFile = Type.Object(
  {
    path: Type.String({
      description: 'Path within the generation, below the name of the format.',
      examples: ['parquet/entities/country=LV/part-0000.parquet'],
    }),
    url: url('the file', 'entities/country=LV/part-0000.parquet'),
    country: countryCode,
    rows,
    bytes,
    sha256: Type.String({
      description: 'SHA-256 of the file, 64 hexadecimal digits. It is also its `ETag`.',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
  },
  { $id: 'ExportedFile', description: 'One file of an export.' },
);

const ExportedRegister = Type.Object(
  {
    register: Type.String({ description: 'Identifier of the register.', examples: ['lv'] }),
    publisher: Type.String({
      description: 'Publisher of the register.',
      examples: ['Latvijas Republikas Uzņēmumu reģistrs'],
    }),
    licence: Type.String({ description: 'Licence of the data.', examples: ['CC0 1.0'] }),
    licenceKnown: Type.Boolean({ description: 'Whether the publisher states a licence.', examples: [true] }),
    attribution: nullable(
      Type.String({ description: 'The text that the publisher wants you to show. `null` if it asks for none.' }),
    ),
    synthetic: Type.Boolean({
      description: 'Whether all its companies are invented, as in the demo.',
      examples: [false],
    }),
    asOf: nullable(
      Type.String({
        format: 'date',
        description: 'The day that the data describes, according to its publisher. `null` if unknown.',
        examples: ['2026-09-01'],
      }),
    ),
    rows,
  },
  { $id: 'ExportedRegister', description: 'A register whose companies are in an export, and its licence.' },
);

const Export = Type.Object(
  {
    generation: Type.Integer({
      minimum: 1,
      description: 'Number of the import that published this data. All files of an export are from that moment.',
      examples: [12],
    }),
    dataVersion: nullable(
      Type.String({
        description:
          'The snapshot of the data. It is also a cursor: `/changes` with it has what has changed since. Null for exports that an ' +
          'earlier release made.',
        examples: ['0.1.0.12-mgx1k2j0'],
      }),
    ),
    createdAt: Type.String({
      format: 'date-time',
      description: 'When the export was made.',
      examples: ['2026-09-01T03:20:00.000Z'],
    }),
    format: Type.Enum([...exportFormats], { description: 'Format of its files.', examples: ['parquet'] }),
    rows,
    bytes: { ...bytes, description: 'Size of all its files in bytes.' },
    countries: Type.Array(countryCode, { description: 'Countries that it has companies of, sorted.' }),
    manifestUrl: url('the manifest, which also describes the columns', 'manifest.json'),
    licencesUrl: url('the licences of the data as a document', 'LICENCES.md'),
    registers: Type.Array(ExportedRegister, { description: 'The registers in it, with their licences.' }),
    leftOut: Type.Array(Type.String(), {
      description: 'Registers that were left out because their licence is not known.',
      examples: [['md']],
    }),
    files: Type.Array(ExportedFile, { description: 'Its files, sorted by path.' }),
  },
  { $id: 'Export', description: 'All companies of one generation of the data in one format.' },
);

export const ExportList = Type.Object(
  { data: Type.Array(Export, { description: 'The newest generation first.' }) },
  { $id: 'ExportList' },
);

const path = Type.String({
  description: 'The `path` of a file, or `<format>/manifest.json` or `<format>/LICENCES.md`. It contains slashes.',
  examples: ['parquet/entities/country=LV/part-0000.parquet'],
});

/** `*` is the rest of the path; the contract calls it `path`. */
export const ExportFileParameters = Type.Object({
  generation: Type.String({ description: 'The `generation` of an export, or `latest`.', examples: ['12'] }),
  '*': path,
});

export const FileHeaders = Type.Object({
  Range: Type.Optional(
    Type.String({
      description: 'One range of bytes, such as `bytes=0-1023`. Several ranges are answered with the whole file.',
    }),
  ),
  'If-Range': Type.Optional(
    Type.String({ description: 'The `ETag` of the file. `Range` is ignored if it is not that of the current file.' }),
  ),
  'If-None-Match': Type.Optional(
    Type.String({ description: 'The `ETag` of a file that you have. The response is `304` without a body.' }),
  ),
});
