import { createHash } from 'node:crypto';
import type { OfferedExport } from '../exports/offered.ts';
import { ExportList } from './schemas/exports.ts';
import { type DataContent, dataOperation } from './serving/data-operation.ts';

/** The list of exports. It is rendered again when the exports have changed. */
export const exports = dataOperation({
  url: '/api/v1/exports',
  operationId: 'listExports',
  summary: 'List exports',
  description:
    'Returns the exports that this service offers: all companies of one generation of the data as files, made after updates. ' +
    'Needs a paid plan. See [working with exports](/docs/exports).',
  success: { description: 'All exports.', schema: ExportList },
  codes: ['plan_required'],
  plan: 'paid',
  answer({ exports, publicUrl }) {
    let latest: { readonly offered: readonly OfferedExport[]; readonly reply: DataContent } | undefined;
    return async () => {
      const offered = await exports.list();
      if (latest?.offered !== offered) latest = { offered, reply: render(offered, publicUrl()) };
      return latest.reply;
    };
  },
});

function render(offered: readonly OfferedExport[], publicUrl: string): DataContent {
  const body = JSON.stringify({ data: offered.map((each) => describe(each, publicUrl)) });
  return { version: `exports-${createHash('sha256').update(body).digest('hex').slice(0, 16)}`, body };
}

function describe({ generation, format, manifest }: OfferedExport, publicUrl: string) {
  const base = `${publicUrl}/api/v1/exports/${generation}`;
  const { dataVersion, createdAt, rows, registers, leftOut } = manifest;
  const files = manifest.files
    .map(({ path, country, rows, bytes, sha256 }) => ({ path: `${format}/${path}`, country, rows, bytes, sha256 }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  return {
    ...{ generation, dataVersion, createdAt, format, rows },
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    countries: [...new Set(files.map(({ country }) => country))].sort(),
    manifestUrl: `${base}/${format}/manifest.json`,
    licencesUrl: `${base}/${format}/LICENCES.md`,
    // Field by field: a manifest may have more fields than the contract.
    registers: registers.map(({ register, publisher, licence, licenceKnown, attribution, synthetic, asOf, rows }) => {
      return { register, publisher, licence, licenceKnown, attribution, synthetic: synthetic === true, asOf, rows };
    }),
    leftOut,
    files: files.map(({ path, ...file }) => ({ path, url: `${base}/${path}`, ...file })),
  };
}
