import { basename, posix } from 'node:path';
import { maxUnpacked } from './limits.ts';
import { type Batches, FormatError } from './rows.ts';
import { SYNTHETIC_DESCRIPTION } from './synthetic-mark.ts';
import { readSharedStrings, readSheet, readTags } from './xlsx-parts.ts';
import { SharedStrings } from './xlsx-strings.ts';
import { readAttribute } from './xlsx-xml.ts';
import { openZip, type ZipArchive } from './zip.ts';

export interface Sheet {
  readonly name: string;
  rows(): Batches<readonly string[]>;
}

const WORKBOOK = 'xl/workbook.xml';
const PROPERTIES = 'docProps/core.xml';
/** In bytes. Real properties take less than 2 KB. */
const MAX_PROPERTIES = 65_536;

/**
 * Opens an .xlsx workbook; its sheets are read as streams. Cells are reported as the XML has them: a date is a serial
 * number. Serial numbers depend on the epoch, so workbooks with the 1904 epoch are refused.
 */
export async function openWorkbook(path: string) {
  const zip = await openZip(path).catch((error) => {
    throw error instanceof FormatError
      ? new FormatError(`${basename(path)} is not an .xlsx workbook, or is damaged: download it again`, {
          cause: error,
        })
      : error;
  });
  try {
    const parts = await readParts(path, zip);
    let strings: Promise<SharedStrings> | undefined;
    const readStrings = () => {
      strings ??=
        parts.strings === undefined ? Promise.resolve(new SharedStrings()) : readSharedStrings(parts.strings());
      return strings;
    };
    async function* rows(name: string, read: () => AsyncIterable<Uint8Array>): Batches<readonly string[]> {
      yield* readSheet(read(), `sheet ${name}`, await readStrings(), maxUnpacked(zip.size));
    }
    const sheets = parts.sheets.map(({ name, read }) => ({ name, rows: () => rows(name, read) }));
    return { sheets, isSynthetic: await hasSyntheticDescription(zip), close: async () => zip.close() };
  } catch (error) {
    zip.close();
    throw error;
  }
}

async function hasSyntheticDescription(zip: ZipArchive): Promise<boolean> {
  const entry = zip.entries.get(PROPERTIES);
  if (entry === undefined || entry.uncompressedSize > MAX_PROPERTIES) return false;
  let text = '';
  for await (const chunk of zip.read(entry)) text += Buffer.from(chunk).toString('utf8');
  return text.includes(SYNTHETIC_DESCRIPTION);
}

interface WorkbookParts {
  readonly sheets: readonly { readonly name: string; read(): AsyncIterable<Uint8Array> }[];
  readonly strings: (() => AsyncIterable<Uint8Array>) | undefined;
}

/** Finds the part of each sheet: the workbook lists sheet names with relation ids, the relations give the parts. */
async function readParts(path: string, zip: ZipArchive): Promise<WorkbookParts> {
  const file = basename(path);
  const open = (part: string) => {
    const entry = zip.entries.get(part);
    if (entry === undefined) throw new FormatError(`${file} is not a complete .xlsx workbook: it has no ${part}`);
    return () => zip.read(entry);
  };
  const tags = await readTags(open(WORKBOOK)(), WORKBOOK, ['sheet', 'workbookPr']);
  const settings = tags.find(({ name }) => name === 'workbookPr')?.tag ?? '';
  if (['1', 'true'].includes(readAttribute(settings, 'date1904') ?? '')) {
    throw new FormatError(`${file} uses the 1904 date system: save it again with the 1900 date system`);
  }
  const relations = 'xl/_rels/workbook.xml.rels';
  const targets = new Map<string, string>();
  let strings: string | undefined;
  for (const { tag } of await readTags(open(relations)(), relations, ['Relationship'])) {
    const target = posix.resolve('/xl', readAttribute(tag, 'Target') ?? '').slice(1);
    targets.set(readAttribute(tag, 'Id') ?? '', target);
    if (readAttribute(tag, 'Type')?.endsWith('/sharedStrings')) strings = target;
  }
  const used = new Set<string>();
  const sheets = tags
    .filter(({ name }) => name === 'sheet')
    .map(({ tag }) => {
      const name = readAttribute(tag, 'name') ?? '';
      const id = readAttribute(tag, ':id') ?? '';
      const target = targets.get(id) ?? `part for the sheet ${name}`;
      // Otherwise a small workbook could have one large sheet a thousand times.
      if (used.has(target))
        throw new FormatError(`${file}: two sheets are the same part of the workbook (${target}): it is damaged`);
      used.add(target);
      return { name, read: open(target) };
    });
  return { sheets, strings: strings === undefined ? undefined : open(strings) };
}
