import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ExportFormat } from '../../src/base/export-formats.ts';
import { LICENCES, MANIFEST, type Manifest } from '../../src/exports/folder.ts';

export interface WrittenExport {
  readonly generation?: number;
  readonly format?: ExportFormat;
  /** The content of the first part of each country. */
  readonly countries?: Readonly<Record<string, Buffer>>;
  /** Replaces parts of the manifest. */
  readonly manifest?: Partial<Manifest>;
}

/** Writes the folder of an export by hand, as `firmament export` would, with any content. Returns its manifest. */
export async function writeExport(folder: string, options: WrittenExport = {}): Promise<Manifest> {
  const { generation = 1, format = 'parquet', countries = { GB: Buffer.from('PAR1 a British file PAR1') } } = options;
  const place = join(folder, String(generation), format);
  const files = Object.entries(countries).map(([country, content]) => ({
    path: `entities/country=${country}/part-0000.${format}`,
    country,
    rows: 1,
    bytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
  }));
  for (const { path, country } of files) {
    await mkdir(dirname(join(place, path)), { recursive: true });
    await writeFile(join(place, path), countries[country] ?? '');
  }
  const registers = Object.keys(countries).map((country) => ({
    register: country.toLowerCase(),
    publisher: 'Companies House',
    licence: 'Open Government Licence v3.0',
    licenceKnown: true,
    attribution: null,
    synthetic: false,
    asOf: '2026-03-01',
    rows: 1,
  }));
  const manifest: Manifest = {
    manifestVersion: 1,
    format,
    generation,
    dataVersion: `0.1.0.${generation}-mgx1k2j0`,
    createdAt: '2026-03-02T03:20:00.000Z',
    program: '0.1.0',
    rows: files.length,
    countries: null,
    rowsPerFile: 100_000,
    includesUnknownLicences: false,
    leftOut: [],
    registers,
    schema: [],
    files,
    ...options.manifest,
  };
  await writeFile(join(place, LICENCES), '# Licences\n');
  await writeFile(join(place, MANIFEST), JSON.stringify(manifest));
  return manifest;
}

/** The address of a file. */
export function fileAddress(path = 'parquet/entities/country=GB/part-0000.parquet', generation: number | 'latest' = 1) {
  return `/api/v1/exports/${generation}/${path}`;
}
