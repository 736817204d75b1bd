import { createWriteStream, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { ZipFile } from 'yazl';
import type { Encoding } from '../../src/base/source-files.ts';
import { SYNTHETIC_MARK } from '../../src/formats/synthetic-mark.ts';
import type { SyntheticCsv, SyntheticFile, SyntheticJson, SyntheticWorkbook, SyntheticXml } from '../file.ts';
import { encodeCsv, makeEncoder } from './write-csv.ts';
import { encodeJson } from './write-json.ts';
import { addWorkbook, TextTable } from './write-xlsx.ts';
import { encodeXml } from './write-xml.ts';

/**
 * Writes a generated file in the format its register publishes, marked as synthetic, and returns its path. The file
 * gets its name only when it is complete, so a killed run leaves no truncated file that looks complete.
 */
export async function writeSynthetic(
  folder: string,
  file: SyntheticFile,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<string> {
  const path = join(folder, file.name);
  const partial = `${path}.partial`;
  const reporting = setInterval(() => onBytes(statSync(partial, { throwIfNoEntry: false })?.size ?? 0), REPORT_MS);
  try {
    await writeContent(partial, file);
    await rename(partial, path);
    return path;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  } finally {
    clearInterval(reporting);
  }
}

/** How often `onBytes` is called with what is written so far. */
const REPORT_MS = 100;

async function writeContent(path: string, { name, packing, content }: SyntheticFile): Promise<void> {
  if (content.type === 'xlsx') {
    if (packing !== 'none') throw new Error(`${name}: a workbook is already packed`);
    return writeWorkbook(path, content);
  }
  if (content.type === 'archive') {
    if (packing !== 'zip') throw new Error(`${name}: several tables need a zip`);
    return writeZip(path, (add) => {
      for (const file of content.files) add(file.name, () => Readable.from(encodeText(file.content)));
    });
  }
  const encode = () => Readable.from(encodeText(content));
  if (packing === 'none') return pipeline(encode(), createWriteStream(path));
  if (packing === 'gzip') return pipeline(encode(), createGzip({ level: LEVEL }), createWriteStream(path));
  const inner = name.replace(/\.zip$/i, '').replace(new RegExp(`(\\.${content.type})?$`, 'i'), `.${content.type}`);
  return writeZip(path, (add) => add(inner, encode));
}

function* encodeText(content: SyntheticCsv | SyntheticJson | SyntheticXml): Generator<Buffer> {
  if (content.type === 'csv') yield* encodeCsv(content);
  else yield* content.type === 'json' ? encodeJson(content) : encodeXml(content);
  yield makeEncoder(encodingOf(content))(SYNTHETIC_MARK);
}

function encodingOf(content: SyntheticCsv | SyntheticJson | SyntheticXml): Encoding {
  if (content.type === 'json') return 'utf-8';
  return content.type === 'csv' ? content.dialect.encoding : content.encoding;
}

async function writeWorkbook(path: string, workbook: SyntheticWorkbook): Promise<void> {
  const texts = new TextTable(`${path}.texts`);
  try {
    await writeZip(path, (add) => addWorkbook(workbook, texts, add));
  } finally {
    texts.remove();
  }
}

/** Fast rather than small: the files are for tests and benchmarks. */
const LEVEL = 3;

/** A fixed time, so that the same arguments always give the same bytes. */
const ENTRY = { mtime: new Date(Date.UTC(2026, 0, 1)), mode: 0o100644, compressionLevel: LEVEL };

/** Entries are opened one at a time, each after the previous one is written. */
type AddEntry = (name: string, open: () => Readable) => void;

async function writeZip(path: string, fill: (add: AddEntry) => void): Promise<void> {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  const fail = (error: Error) => output.destroy(error);
  zip.on('error', fail);
  fill((name, open) => zip.addReadStreamLazy(name, ENTRY, (give) => give(null, open().on('error', fail))));
  zip.end();
  await pipeline(output, createWriteStream(path));
}
