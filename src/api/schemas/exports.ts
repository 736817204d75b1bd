import Type from 'typebox';
import { exportFormats } from '../../base/export-formats.ts';
import { address, component, count, day, flag, instant, nullable, text } from '../fields.ts';

/** The shapes and parameters of exports. */

const rows = count('Number of companies, or of parties.', 812_340);
const bytes = count('Size in bytes.', 61_250_118);
const countryCode = text(
  'Two-letter country code (ISO 3166-1 alpha-2). `ZZ`: parties of a register that spans countries.',
  'LV',
);
const url = (what: string, path: string) =>
  address(
    `Address of ${what}. It needs the same API key.`,
    `https://api.example.com/api/v1/exports/12/parquet/${path}`,
  );

const ExportedFile = component('ExportedFile', 'One file of an export.', {
  path: text(
    'Path within the generation, below the name of the format.',
    'parquet/entities/country=LV/part-0000.parquet',
  ),
  url: url('the file', 'entities/country=LV/part-0000.parquet'),
  country: countryCode,
  rows,
  bytes,
  sha256: text(
    'SHA-256 of the file, 64 hexadecimal digits. It is also its `ETag`.',
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ),
});

const ExportedRegister = component(
  'ExportedRegister',
  'A register whose companies are in an export, and its licence.',
  {
    register: text('Identifier of the register.', 'lv'),
    publisher: text('Publisher of the register.', 'Latvijas Republikas Uzņēmumu reģistrs'),
    licence: text('Licence of the data.', 'CC0 1.0'),
    licenceKnown: flag('Whether the publisher states a licence.', true),
    attribution: nullable(text('The text that the publisher wants you to show. `null` if it asks for none.')),
    synthetic: flag('Whether all its companies are invented, as in the demo.', false),
    asOf: nullable(
      day('The day that the data describes, according to its publisher. `null` if unknown.', '2026-09-01'),
    ),
    rows,
  },
);

const Export = component('Export', 'All companies, or all parties, of one generation of the data in one format.', {
  generation: Type.Integer({
    minimum: 1,
    description: 'Number of the import that published this data. All files of an export are from that moment.',
    examples: [12],
  }),
  dataVersion: nullable(
    text(
      'The snapshot of the data. It is also a cursor: `/changes` with it has what has changed since.',
      '0.1.0.12-mgx1k2j0',
    ),
  ),
  createdAt: instant('When the export was made.', '2026-09-01T03:20:00.000Z'),
  format: Type.Enum([...exportFormats], {
    description:
      'Format of its files. Those of parties, such as `parties-parquet` and `bods`, have who owns and manages companies. New formats may be added.',
    examples: ['parquet'],
  }),
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
});

export const ExportList = Type.Object(
  { data: Type.Array(Export, { description: 'The newest generation first.' }) },
  { $id: 'ExportList' },
);

const path = text(
  'The `path` of a file, or `<format>/manifest.json` or `<format>/LICENCES.md`. It contains slashes.',
  'parquet/entities/country=LV/part-0000.parquet',
);

/** `*` is the rest of the path; the contract calls it `path`. */
export const ExportFileParameters = Type.Object({
  generation: text('The `generation` of an export, or `latest`.', '12'),
  '*': path,
});

export const FileHeaders = Type.Object({
  Range: Type.Optional(
    text('One range of bytes, such as `bytes=0-1023`. Several ranges are answered with the whole file.'),
  ),
  'If-Range': Type.Optional(text('The `ETag` of the file. `Range` is ignored if it is not that of the current file.')),
  'If-None-Match': Type.Optional(text('The `ETag` of a file that you have. The response is `304` without a body.')),
});
