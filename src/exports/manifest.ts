import { type ExportFormat, exportFormats, isPartyFormat } from '../base/export-formats.ts';
import type { SelectedSet } from '../registry/parties/bulk/bulk.ts';
/**
 * The manifest of an export: what was exported, from which generation, and the hash of every file. The manifest is written last, so a folder with a
 * manifest is complete.
 */
export const MANIFEST = 'manifest.json';
export const LICENCES = 'LICENCES.md';

export interface ExportFile {
  /** Relative to the manifest, such as `entities/country=GB/part-0000.parquet` or `parties/register=gleif/part-0000.csv`. */
  readonly path: string;
  /** `ZZ` for parties of a register that spans countries. */
  readonly country: string;
  readonly rows: number;
  readonly bytes: number;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
}

interface ExportedRegister {
  readonly register: string;
  readonly publisher: string;
  readonly licence: string;
  readonly licenceKnown: boolean;
  readonly attribution: string | null;
  /** True if all companies of the register are invented. Then no publisher's licence applies. */
  readonly synthetic: boolean;
  /** The day that the data describes; null if the files do not contain it. */
  readonly asOf: string | null;
  readonly rows: number;
}

export interface ExportColumn {
  readonly name: string;
  readonly type: string;
  readonly description: string;
}

export interface Manifest {
  readonly manifestVersion: 1;
  readonly format: ExportFormat;
  readonly generation: number;
  /** The snapshot of the data, which is also a cursor of the change feed. */
  readonly dataVersion: string;
  readonly createdAt: string;
  /** The version of Firmament that wrote the export. */
  readonly program: string;
  readonly rows: number;
  /** Null if all countries were exported. */
  readonly countries: readonly string[] | null;
  readonly rowsPerFile: number;
  /** The exported sets of an export of parties. */
  readonly sets?: readonly SelectedSet[];
  readonly includesUnknownLicences: boolean;
  /** Registers that were left out because their licence is unknown. */
  readonly leftOut: readonly string[];
  readonly registers: readonly ExportedRegister[];
  readonly schema: readonly ExportColumn[];
  readonly files: readonly ExportFile[];
}

/** Reads the text of a manifest. Throws if it is not a manifest of this version. */
export function parseManifest(text: string): Manifest {
  const manifest = JSON.parse(text) as Manifest;
  if (manifest.manifestVersion === 1 && exportFormats.includes(manifest.format)) return manifest;
  throw new Error('this is not the manifest of an export, or it was written by a newer release');
}

/** LICENCES.md: who published the data, and under which terms. */
export function writeLicences({ format, registers, leftOut, generation, createdAt }: Manifest): string {
  const what = isPartyFormat(format) ? 'Parties' : 'Entities';
  const sections = registers.map(
    ({ register, publisher, licence, licenceKnown, attribution, asOf, rows }) => `## ${register}

- Publisher: ${publisher}
- Licence: ${licenceKnown ? licence : '**unknown**: ask the publisher before you pass this data on'}
- Attribution: ${attribution ?? 'none is required'}
- Data as of: ${asOf ?? 'not stated'}
- ${what}: ${rows}
`,
  );
  const missing =
    leftOut.length === 0
      ? ''
      : `\nNot in this export, because their licence is unknown: ${leftOut.join(', ')}. \`--include-unknown-licences\` includes them.\n`;
  return `# Licences

Generation ${generation}, exported ${createdAt}. The data of each register is under the terms of its publisher. Records with
\`provenance.synthetic\` are invented companies, and under no such terms.
${missing}
${sections.join('\n')}`;
}
