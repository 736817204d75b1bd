/** Writes the files of a golden case in the form in which the publisher offers them: packed, as a workbook, in its encoding. */
import { createWriteStream, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { ZipFile } from 'yazl';
import type { Encoding } from '../../src/base/source-files.ts';
import { makeEncoder } from '../../synthetic/writers/write-csv.ts';
import { addWorkbook, TextTable } from '../../synthetic/writers/write-xlsx.ts';

/** The text of a file, or the texts of an archive or the sheets of a workbook by name. */
export type Content = string | { readonly [name: string]: string };
export type Contents = Readonly<Record<string, Content>>;

/** The files of a case: a folder is an archive, or a workbook if its name ends with `.xlsx`. */
export function readContents(folder: string, without: readonly string[]): Contents {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !without.includes(name));
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(folder, entry.name);
      return [entry.name, entry.isDirectory() ? readTexts(path) : readFileSync(path, 'utf8')];
    }),
  );
}

function readTexts(folder: string): Record<string, string> {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]));
}

/** Returns the paths of the written files. */
export async function writeContents(
  folder: string,
  contents: Contents,
  encoding: Encoding | Readonly<Record<string, Encoding>>,
): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  const paths: string[] = [];
  for (const [name, content] of Object.entries(contents)) {
    const path = join(folder, name);
    const encode = makeEncoder(typeof encoding === 'string' ? encoding : (encoding[name] ?? 'utf-8'));
    mkdirSync(dirname(path), { recursive: true });
    paths.push(path);
    if (typeof content === 'string') writeFileSync(path, encode(content));
    else if (name.endsWith('.gz')) writeFileSync(path, gzipSync(encode(Object.values(content).join(''))));
    else if (name.endsWith('.xlsx')) await writeWorkbook(path, content);
    else await writeZip(path, (add) => addTexts(content, encode, add));
  }
  return paths;
}

type Add = (name: string, open: () => Readable) => void;

function addTexts(texts: Readonly<Record<string, string>>, encode: (text: string) => Buffer, add: Add): void {
  for (const [name, text] of Object.entries(texts)) add(name, () => Readable.from([encode(text)]));
}

/** Each `.tsv` file is a sheet. A cell with `=` before a number is a number cell. */
async function writeWorkbook(path: string, sheets: Readonly<Record<string, string>>): Promise<void> {
  const toCell = (cell: string) => (/^=-?[\d.]+$/.test(cell) ? Number(cell.slice(1)) : cell.replaceAll('\\n', '\n'));
  const workbook = {
    type: 'xlsx' as const,
    sheets: Object.entries(sheets).map(([name, text]) => ({
      name: name.replace(/\.tsv$/, ''),
      rows: text.split('\n').map((line) => line.split('\t').map(toCell)),
    })),
  };
  const texts = new TextTable(`${path}.texts`);
  try {
    // Its properties would say that the companies are invented.
    await writeZip(path, (add) =>
      addWorkbook(workbook, texts, (name, open) => (name === 'docProps/core.xml' ? undefined : add(name, open))),
    );
  } finally {
    texts.remove();
  }
}

async function writeZip(path: string, fill: (add: Add) => void): Promise<void> {
  const zip = new ZipFile();
  fill((name, open) => zip.addReadStreamLazy(name, { mtime: new Date(0) }, (give) => give(null, open())));
  zip.end();
  await pipeline(zip.outputStream as Readable, createWriteStream(path));
}
